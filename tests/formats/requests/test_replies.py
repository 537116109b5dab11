"""Replies of vendors as messages: everything that the next request needs is in them."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.documents import MessageNode
from ctxlab.documents.session.replay_artifacts import artifacts_of
from ctxlab.errors import ReadError, WrongArgument
from ctxlab.formats.requests.replies import reply_message
from tests.formats.requests.test_request_bodies import strings
from tests.wire_bodies import FOLDER, RecordedBody, bodies, ids

PLAIN = [each for each in bodies() if isinstance(each.reply, dict) and each.status == 200]
ABOUT = {"type", "role", "object", "url"}


def test_an_answer_of_anthropic_keeps_its_thoughts_signed() -> None:
    thought = {"type": "thinking", "thinking": "It rains.", "signature": "c2ln"}
    reply = reply_message(
        {
            "id": "msg_1",
            "model": "claude-sonnet-4-5",
            "content": [
                thought,
                {"type": "text", "text": "Take "},
                {"type": "text", "text": "a coat."},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"where": "海上"}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 20, "output_tokens": 9},
        },
        "anthropic",
    )

    (node,) = (MessageNode.model_validate(fields) for fields in reply.nodes)
    assert (node.role, node.content, node.reasoning) == ("assistant", "Take a coat.", "It rains.")
    assert [(one.item, one.before) for one in artifacts_of(node.metadata)] == [(thought, "text")]
    assert [call.id for call in node.tool_calls] == ["toolu_1"]
    assert node.meta("usage") == reply.usage
    assert reply.usage == {
        "promptTokens": 23,
        "completionTokens": 9,
        "totalTokens": 32,
        "promptTokensDetails": {"cachedTokens": 20},
    }


def test_an_answer_of_gemini_counts_thoughts_as_written() -> None:
    reply = reply_message(
        {
            "candidates": [
                {"content": {"parts": [{"text": "Hello.", "thoughtSignature": "c2ln"}]}, "finishReason": "STOP"}
            ],
            "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 7},
        },
        "gemini",
    )

    assert (reply.content, reply.finish_reason) == ("Hello.", "STOP")
    assert reply.usage is not None
    assert reply.usage["completionTokens"] == 9
    assert reply.usage["completionTokensDetails"] == {"reasoningTokens": 7}


def test_a_refusal_is_what_is_said() -> None:
    reply = reply_message({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "openai")

    assert (reply.content, reply.refusal) == ("No.", "No.")


@pytest.mark.parametrize("vendor", ["openai", "openai-responses", "anthropic", "gemini"])
@pytest.mark.parametrize("reply", [{}, {"error": {"message": "overloaded"}}, {"choices": []}, {"candidates": []}])
def test_what_is_no_reply_is_refused_in_one_line(reply: dict[str, Any], vendor: str) -> None:
    with pytest.raises(ReadError) as refusal:
        reply_message(reply, vendor)

    assert "\n" not in str(refusal.value)


def test_an_unknown_vendor_is_named() -> None:
    with pytest.raises(WrongArgument, match="there is no vendor 'antropic'; did you mean 'anthropic'"):
        reply_message({}, "antropic")


@FOLDER
@pytest.mark.parametrize("recorded", PLAIN, ids=ids)
def test_words_thoughts_and_calls_of_a_recorded_reply_are_kept(recorded: RecordedBody) -> None:
    reply = reply_message(recorded.reply, recorded.vendor)

    said = next(recorded.reply[key] for key in ("choices", "output", "content", "candidates") if key in recorded.reply)
    there = "\0".join(text for _, _, text in strings(list(reply.nodes)))
    places = tuple(loss.place.replace("reply.content", "") for loss in reply.losses)
    missing = [
        path
        for path, key, text in strings(said)
        if len(text) >= 4 and key not in ABOUT and text not in there and not any(place in path for place in places)
    ]
    assert missing == []
    assert reply.usage is not None


@FOLDER
@pytest.mark.parametrize("recorded", [each for each in PLAIN if each.vendor != "openai"], ids=ids)
def test_a_recorded_reply_goes_back_as_it_came(recorded: RecordedBody) -> None:
    found = ctxlab.read_data(recorded.body)
    session = found.pick()
    reply = reply_message(recorded.reply, recorded.vendor)
    for fields in reply.nodes:
        session = session.append(**fields)
    for call in reply.calls:
        session = session.append(role="tool", content="Done.", metadata={"toolCall": call})
    session = session.append(role="user", content="And then?")

    trace = ctxlab.build(session, found.agents[0] if found.agents else None)
    sent = [text for _, _, text in strings(ctxlab.payload(trace, recorded.vendor, model=recorded.model).body)]

    signatures = {"signature", "encrypted_content", "thoughtSignature", "encrypted_index"}
    cited = tuple(loss.place for loss in reply.losses)
    assert not [
        path
        for path, key, text in strings(recorded.reply)
        if key in signatures and text not in sent and not any(place.removeprefix("reply.") in path for place in cited)
    ]
