"""The gate before a request, on the seed's worked example and case by case."""

from typing import Any

import pytest

import ctxlab
from ctxlab.context import NOTHING, BuildInput, Context, Draft, Origin, Placement, Text
from ctxlab.context.tool_pairs import with_sendable_pairs
from ctxlab.documents import Session, ToolCall
from ctxlab.formats import read_data
from ctxlab.pipeline import NothingToSend, Services, StartsWithToolResult
from ctxlab.processors import RequestGate
from ctxlab.processors.request_gate import check_messages, with_system_first, without_empty_replies
from ctxlab.providers import tokenizer_for
from ctxlab.testing.fakes import WordTokenizer

ID = "request-gate"
SERVICES = Services(WordTokenizer())
SUMMARY = "[Previous conversation summary...]\n\n用户执行了 ls 命令，查看了目录内容"


def entity(number: int, role: str, content: str | None = None, **body: Any) -> dict[str, Any]:
    words = {} if content is None else {"content": content}
    return {"id": number, "body": {"role": role, "segments": [], **words, **body}}


def asked(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "execute_command", "arguments": "{}"}}


APART = {"merge-system.enabled": False, "merge-consecutive.enabled": False}
"""The seed's builder merges nothing."""
WORKED_EXAMPLE = {
    "systemPrompts": ["You are a helpful assistant..."],
    "messageEntities": [
        entity(1, "user", "执行命令 ls"),
        entity(2, "assistant", toolCalls=[asked("call_1")]),
        entity(3, "tool", "...", toolCallId="call_1"),
        entity(4, "assistant", "命令执行完成"),
        entity(5, "user", "再执行 pwd"),
        entity(6, "assistant", toolCalls=[asked("call_2")]),
        entity(7, "tool", "...", toolCallId="call_2"),
        entity(8, "assistant", ""),
    ],
    "compressionSummary": {
        "messageIds": [1, 2, 3, 4],
        "startMessageId": 1,
        "summary": "用户执行了 ls 命令，查看了目录内容",
    },
}


def draft(key: str, role: Any, words: str = "", **fields: Any) -> Draft:
    origin = fields.pop("origin", Origin("node", key))
    return Draft(key, role, (Text.of(words, origin),), origin, **fields)


def preset(key: str, role: Any, placement: Placement) -> Draft:
    return draft(key, role, key, origin=Origin("preset", key), placement=placement)


def context(*drafts: Draft) -> Context:
    return Context(BuildInput(Session.model_validate({"id": "s", "nodes": {}})), drafts)


def call(*ids: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(id, "look", "{}") for id in ids)


def rows(ctx: Context) -> list[tuple[str, str]]:
    return [(draft.role, str(draft.text)) for draft in ctx.drafts]


# --- the worked example


def test_the_worked_example_step_by_step() -> None:
    trace = ctxlab.build(read_data(WORKED_EXAMPLE), settings={"request-gate.enabled": False, **APART})
    prompt, *history = trace.result.drafts
    reply = draft("node:m7", "assistant")  # an empty reply, which the loader leaves out before the gate can
    compressed = context(*history, reply)

    assert rows(compressed) == [
        ("system", SUMMARY),
        ("user", "再执行 pwd"),
        ("assistant", ""),
        ("tool", "..."),
        ("assistant", ""),
    ]
    filtered = without_empty_replies(compressed)
    assert rows(filtered) == [("system", SUMMARY), ("user", "再执行 pwd"), ("assistant", ""), ("tool", "...")]
    paired = with_sendable_pairs(filtered, ID, SERVICES.tokenizer.count)
    assert paired is filtered
    with_prompt = with_system_first(paired.insert(0, prompt))
    assert rows(with_prompt) == [("system", "You are a helpful assistant..."), *rows(filtered)]
    check_messages(with_prompt)


def test_the_worked_example_is_sent_as_the_seed_sends_it() -> None:
    trace = ctxlab.build(read_data(WORKED_EXAMPLE), settings=APART)

    assert rows(trace.result) == [
        ("system", "You are a helpful assistant..."),
        ("system", SUMMARY),
        ("user", "再执行 pwd"),
        ("assistant", ""),
        ("tool", "..."),
    ]
    assert [(row["after"], row["messages"]) for row in trace.table(ID).to_dict("records")] == [
        ("received", 5),
        ("empty replies dropped", 5),
        ("tool pairs repaired", 5),
        ("system messages in front", 5),
        ("validated", 5),
    ]


# --- empty replies


@pytest.mark.parametrize(
    ("item", "stays"),
    [
        ({"type": "server_tool_use", "id": "s"}, True),
        ({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, False),
        ({"type": "reasoning", "id": "rs"}, False),
    ],
)
def test_a_reply_of_a_vendors_own_blocks_stays_unless_they_are_thoughts(item: dict[str, Any], *, stays: bool) -> None:
    meta = {"reasoningArtifacts": [{"wire": "anthropic", "item": item}]}
    reply = draft("r", "assistant", meta=meta)

    after = RequestGate()(context(draft("u", "user", "so?"), reply), SERVICES)

    assert (len(after.drafts) == 2) is stays
    assert [group.cause.rule for group in after.dropped] == ([] if stays else ["only-thoughts"])


def test_thoughts_stay_where_the_reply_follows_in_a_message_of_its_own() -> None:
    meta = {"reasoningArtifacts": [{"wire": "openai-responses", "item": {"type": "reasoning", "id": "rs"}}]}
    drafts = (draft("u", "user", "so?"), draft("r", "assistant", meta=meta), draft("a", "assistant", "Yes."))

    assert RequestGate()(context(*drafts), SERVICES).drafts == drafts


# --- tool pairs


def test_a_later_pair_with_the_id_of_an_earlier_one_gets_an_id_of_its_own_on_both_sides() -> None:
    artifact = {"wire": "gemini", "item": {"thoughtSignature": "c2ln"}, "on": "call_1", "own": 1}
    later = draft("c", "assistant", calls=call("call_1"), meta={"reasoningArtifacts": [artifact]})
    drafts = [draft("u", "user", "go"), draft("a", "assistant", calls=call("call_1"))]
    drafts += [draft("b", "tool", "1", result_of="call_1"), later, draft("d", "tool", "2", result_of="call_1")]

    after = RequestGate()(context(*drafts), SERVICES)

    *earlier, asking, answer = after.drafts
    assert earlier == drafts[:3]
    assert (asking.calls[0].id, answer.result_of) == ("call_2", "call_2")
    assert asking.meta["reasoningArtifacts"] == [{**artifact, "on": "call_2"}]
    assert [change.cause.rule for change in (*asking.changes, *answer.changes)] == ["repeated-id"] * 3
    assert "calls with the id of an earlier one" in after.notes[0].text


def test_results_come_behind_their_calls_in_order_and_what_was_between_after_them() -> None:
    drafts = [draft("u", "user", "go"), draft("a", "assistant", calls=call("x", "y"))]
    drafts += [
        draft("y", "tool", "2", result_of="y"),
        draft("v", "user", "wait"),
        draft("x", "tool", "1", result_of="x"),
    ]

    after = RequestGate()(context(*drafts), SERVICES)

    assert [each.key for each in after.drafts] == ["u", "a", "x", "y", "v"]
    assert [(each.key, each.changes[0].before) for each in after.drafts if each.changes] == [("x", 4), ("y", 2)]


def test_each_kind_of_mending_has_one_note() -> None:
    drafts = [
        draft("u", "user", "go"),
        draft("orphan", "tool", "?", result_of="gone"),
        draft("silent", "assistant", calls=call("never")),
        draft("a", "assistant", calls=(ToolCall("", " ", "[1]"),)),
        draft("v", "user", "wait"),
        draft("r", "tool", "1", result_of=""),
    ]

    after = RequestGate()(context(*drafts), SERVICES)

    assert [each.key for each in after.drafts] == ["u", "a", "r", "v"]
    asking, answer = after.drafts[1:3]
    assert asking.calls == (ToolCall("call_1", "unknown_tool", "[1]"),)
    assert answer.result_of == "call_1"
    notes = [note.text for note in after.notes]
    for words, key in (
        ("no call asks for the result", "orphan"),
        ("no result answers the call", "silent"),
        ("name no tool", "a"),
        ("calls without an id", "a"),
        ("come behind them", "r"),
        ("no JSON object", "a"),
    ):
        assert [note for note in notes if words in note and note.endswith(f": {key}")], (words, notes)
    assert len(notes) == 6


# --- system messages


def test_system_messages_before_the_history_go_in_front_and_those_at_a_depth_or_in_examples_stay() -> None:
    skeleton, depth = Placement("skeleton"), Placement("depth", depth=9)
    drafts = [
        preset("persona", "user", skeleton),
        preset("deep", "system", depth),
        preset("rules", "system", skeleton),
        preset("example", "assistant", skeleton),
        preset("new chat", "system", skeleton),
        draft("u", "user", "go"),
        preset("note", "system", Placement("depth", depth=0)),
    ]

    after = RequestGate()(context(*drafts), SERVICES)

    assert [each.key for each in after.drafts] == ["rules", "persona", "deep", "example", "new chat", "u", "note"]
    assert after.drafts[0].changes[0].before == 2


# --- validation


def test_a_conversation_whose_messages_were_all_left_out_is_refused_with_a_remedy_that_is_true() -> None:
    nodes = {
        "root": {"id": "root", "role": "system", "content": ""},
        "u": {"id": "u", "parentId": "root", "role": "user", "content": "go", "isEnabled": False},
    }
    session = Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "u", "nodes": nodes})

    with pytest.raises(
        NothingToSend, match=r"1 by session-loader \(the message is switched off\).*pending="
    ) as refused:
        ctxlab.build(session)

    assert refused.value.processor == ID
    assert refused.value.trace is not None
    assert len(ctxlab.build(session, pending="and now?").messages) == 1
    assert len(ctxlab.build(session.append("words", role="user")).messages) == 1


def test_a_conversation_without_a_message_can_be_looked_at_and_a_note_says_so() -> None:
    trace = ctxlab.build(Session.model_validate({"id": "s", "nodes": {}}))

    assert trace.messages == []
    assert [note.text for note in trace.result.notes if note.processor == ID] == [
        "the conversation has no message yet, so there is nothing to send"
    ]


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_result_that_a_message_before_it_asks_for_is_sent_whoever_asks(role: Any) -> None:
    call = ToolCall("x", "look")
    asks = Draft("c", role, (Text.of("It looked.", Origin("summary", "c")),), Origin("summary", "c"), calls=(call,))
    drafts = (asks, draft("t", "tool", "1", result_of="x"), draft("u", "user", "go"))

    for repairs in (True, False):
        gate = RequestGate(RequestGate.Settings(repair_pairs=repairs))
        sent = gate(Context(BuildInput(Session(id="s")), drafts), SERVICES)
        assert [each.key for each in sent.drafts] == ["c", "t", "u"]


def test_a_result_that_comes_first_is_refused_where_repairs_are_off() -> None:
    drafts = (draft("s", "system", "be brief"), draft("t", "tool", "1", result_of="x"), draft("u", "user", "go"))
    gate = RequestGate(RequestGate.Settings(repair_pairs=False))

    with pytest.raises(StartsWithToolResult, match=r"t comes first .* set request-gate.repair_pairs to true"):
        gate(context(*drafts), SERVICES)

    assert [each.key for each in RequestGate()(context(*drafts), SERVICES).drafts] == ["s", "u"]


def test_thoughts_that_go_back_are_counted_once() -> None:
    item = {"type": "thinking", "thinking": "it may rain today", "signature": "c2ln"}
    meta = {"reasoningArtifacts": [{"wire": "anthropic", "item": item}]}

    for tokenizer in (WordTokenizer(), tokenizer_for("gpt-4o")):
        bare = tokenizer.count_draft(draft("a", "assistant", "Yes.", meta=NOTHING))
        thoughts = tokenizer.count("it may rain today")
        said_too = draft("a", "assistant", "Yes.", meta=meta, reasoning="it may rain today")
        assert tokenizer.count_draft(draft("a", "assistant", "Yes.", meta=meta)) == bare + thoughts
        assert tokenizer.count_draft(said_too) == bare + thoughts
        never = {"reasoningArtifacts": [{"wire": "anthropic", "item": item, "replayPolicy": "never"}]}
        assert tokenizer.count_draft(draft("a", "assistant", "Yes.", meta=never)) == bare
