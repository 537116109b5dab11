"""A preset's text in a window is cut as SillyTavern cuts it, and each cut says what would keep it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.instruct import fit_instruct_text, read_instruct_preset
from ctxlab.errors import WrongArgument
from ctxlab.rendering import RenderedPrompt, rendered

PRESET = read_instruct_preset(
    {
        "instruct": {
            "input_sequence": "[USER]", "output_sequence": "[CHAR]", "system_sequence": "[SYS]",
            "input_suffix": "[/]", "output_suffix": "[/]", "system_suffix": "[/]", "wrap": False,
        }
    }
)  # fmt: skip


def trace_of(turns: int, words: int = 12) -> ctxlab.Trace:
    chat = [{"role": ("user", "assistant")[n % 2], "content": f"turn{n} " + "lamp 灯 " * words} for n in range(turns)]
    return ctxlab.build([{"role": "system", "content": "Keep the tower."}, *chat, {"role": "user", "content": "And?"}])


def cut_keys(found: RenderedPrompt) -> list[str]:
    return [each.key for each in found.effects if each.kind == "cut" and each.key]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(80, 900), st.integers(0, 60))
def test_the_text_in_a_window_is_that_of_the_programs_rule(turns: int, context: int, answer: int) -> None:
    trace = trace_of(turns)

    found = rendered(trace, PRESET, context=context, answer=answer)

    count = trace.services.tokenizer.count
    wanted = fit_instruct_text(
        trace.result.drafts, PRESET, budget=context - answer, count=count, user="User", char="Assistant"
    )
    assert found.text == str(wanted.rendered.text)
    assert cut_keys(found) == [part.key for number in sorted(wanted.cut) for part in trace.result.drafts[number].parts]
    assert not [each for each in found.effects if each.kind == "dropped"]


def test_a_cut_message_says_so_and_the_context_it_names_keeps_every_message() -> None:
    trace = trace_of(8)
    found = rendered(trace, PRESET, context=200, answer=40)
    cut = [each for each in found.effects if each.kind == "cut"]

    assert "turn0" in cut[0].sentence
    assert cut[0].sentence.endswith("is cut by SillyTavern's text completion.")
    told = re.fullmatch(r"With a context of ([\d,]+) tokens every message stays\.", cut[0].advice)
    assert told is not None
    assert not cut_keys(rendered(trace, PRESET, context=int(told[1].replace(",", "")), answer=40))
    assert "every message stays" in str(found.why("turn0"))


def test_what_has_to_stay_and_no_longer_fits_is_told() -> None:
    found = rendered(trace_of(1, words=2), PRESET, context=70)

    assert [each.kind for each in found.effects if not each.key] == ["cut"]
    assert "more than" in next(each.sentence for each in found.effects if not each.key)


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (JinjaTemplate("{{ messages }}"), {"context": 900}, "takes no context"),
        (PRESET, {"context": 100, "answer": 100}, "leaves no room"),
        (PRESET, {"answer": 5}, "leaves no room"),
        (PRESET, {"context": 10, "answer": -1}, "leaves no room"),
    ],
)
def test_a_window_that_is_none_is_refused(model: Any, more: dict[str, Any], words: str) -> None:
    with pytest.raises(WrongArgument, match=words):
        rendered(trace_of(1), model, **more)
