"""Every call gets exactly one result, in order; what is written as a call is read as it was written."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.chat.events import ToolFinished, ToolStarted
from ctxlab.chat.tools import Runner, ToolCallConfig, tools_of
from ctxlab.documents import ToolCall
from ctxlab.documents.session.message import MessageNode
from ctxlab.engines.tool_text import calls_in_text, without_calls

NAMES = st.sampled_from(["works", "fails", "exits", "unknown", ""])
ARGUMENTS = st.sampled_from(["", "{}", '{"a": 1}', '{"a', "[]", "null", '{"a": "\ud800"}']) | st.text(max_size=20)
CALLS = st.lists(st.builds(ToolCall, st.sampled_from(["1", "2", ""]), NAMES, ARGUMENTS), max_size=5)


def works(a: int = 0) -> int:
    return a


def fails() -> None:
    raise RuntimeError


def exits() -> None:
    raise SystemExit


@settings(max_examples=60, deadline=None)
@given(CALLS, st.booleans(), st.sampled_from([None, True, False, frozenset({"works"})]), st.integers(0, 6) | st.none())
def test_each_call_gets_one_result_in_its_place(
    calls: list[ToolCall], parallel: bool, approve: bool | frozenset[str] | None, cancel_after: int | None
) -> None:
    config = ToolCallConfig(enabled=True, parallel_execution=parallel, default_auto_approve=approve is None)
    asked = 0

    def is_cancelled() -> bool:
        nonlocal asked
        asked += 1
        return cancel_after is not None and asked > cancel_after

    runner = Runner(tools_of([works, fails, exits]), config, approve=approve)
    events = list(runner.run(calls, is_cancelled=is_cancelled))

    finished = [each for each in events if isinstance(each, ToolFinished)]
    assert [(each.call_id, each.name) for each in finished] == [(call.id, call.name) for call in calls]
    assert len([each for each in events if isinstance(each, ToolStarted)]) <= len(calls)
    for call, each in zip(calls, finished, strict=True):
        node = MessageNode.model_validate(each.node)
        assert node.content and node.result_of == call.id


WORDS = st.text(st.sampled_from("ab 上海\n`~<>[]「」始:,，"), max_size=12)
KEYS = st.text(st.sampled_from("abc_键"), min_size=1, max_size=6)


@given(KEYS, st.dictionaries(KEYS.map(lambda key: f"k{key}"), WORDS, max_size=3))
def test_a_call_is_read_as_it_was_written(name: str, arguments: dict[str, str]) -> None:
    values = {"tool_name": name, **arguments}
    lines = ",\n".join(f"{key}:「始X」{value}「末X」" for key, value in values.items())
    text = f"<<<[TOOL_REQUEST]>>>\n{lines}\n<<<[END_TOOL_REQUEST]>>>"

    [call] = calls_in_text(text)

    assert (call.name, dict(call.arguments), call.broken) == (name, {k: v.strip() for k, v in arguments.items()}, "")
    assert without_calls(f"before\n{text}") == "before"


PIECES = st.lists(
    st.sampled_from(
        [
            "<<<[TOOL_REQUEST]>>>",
            "<<<[END_TOOL_REQUEST]>>>",
            "tool_name:「始」t「末」",
            "a:「始",
            "「末」",
            "```\n",
            "x",
            "\n",
        ]
    ),
    max_size=14,
)


@given(PIECES)
def test_any_text_is_read_and_calls_do_not_overlap(pieces: list[str]) -> None:
    text = "".join(pieces)
    calls = calls_in_text(text)

    assert all(call.broken or call.name for call in calls)
    assert all(one.end <= other.start for one, other in pairwise(calls))
    assert all(0 <= call.start < call.end <= len(text) for call in calls)
    json.dumps([dict(call.arguments) for call in calls])
