"""Streams as servers really send them, beyond what the vendors' own would."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.providers.sending.assemblers import assembler_of
from ctxlab.providers.sending.deltas import ServerEvent
from ctxlab.providers.sending.server_events import object_of
from tests.providers.sending.recorded_streams import read

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}


def chat(*deltas: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    assembler = assembler_of("openai-chat")
    for delta in deltas:
        assembler.add(ServerEvent({"choices": [{"index": 0, "delta": delta}]}))
    if finish:
        assembler.add(ServerEvent({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
    return assembler.reply()


def calls_of(reply: dict[str, Any]) -> list[tuple[str, str]]:
    message = reply["choices"][0]["message"]
    return [(call["id"], call["function"]["arguments"]) for call in message.get("tool_calls", [])]


def piece(index: int | None, arguments: str, id: str = "") -> dict[str, Any]:
    numbered = {} if index is None else {"index": index}
    named = (
        {"id": id, "function": {"name": "f", "arguments": arguments}} if id else {"function": {"arguments": arguments}}
    )
    return {"tool_calls": [{**numbered, **named}]}


@pytest.mark.parametrize(
    "indexes", [(0, 0, 1, 1), (0, 0, 0, 0), (None, None, None, None)], ids=["numbered", "all are 0", "none"]
)
def test_calls_are_told_apart_by_index_or_id(indexes: tuple[int | None, ...]) -> None:
    first, more, second, last = indexes

    reply = chat(
        piece(first, "{", "a"), piece(more, "}"), piece(second, "[", "b"), piece(last, "]"), finish="tool_calls"
    )

    assert calls_of(reply) == [("a", "{}"), ("b", "[]")]


def test_a_call_that_may_go_on_is_left_out() -> None:
    begun = (piece(0, "{}", "a"), piece(1, '{"amount": 1', "b"))

    assert calls_of(chat(*begun)) == [("a", "{}")]
    assert calls_of(chat(*begun, piece(1, "00}"), finish="tool_calls"))[1] == ("b", '{"amount": 100}')


def anthropic(*events: dict[str, Any]) -> dict[str, Any]:
    assembler = assembler_of("anthropic")
    for event in events:
        assembler.add(ServerEvent(event))
    return assembler.reply()


def test_a_call_of_anthropic_counts_when_its_block_has_ended() -> None:
    block = {"type": "tool_use", "id": "t", "name": "pay", "input": {}}
    begun = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
    ]

    half, full = anthropic(*begun), anthropic(*begun, {"type": "content_block_stop", "index": 0})

    assert half["content"] == []
    assert full["content"] == [{**block, "input": {"a": 1}}]


def test_arguments_that_were_cut_stay_a_text_and_are_not_taken_for_none() -> None:
    cut = anthropic(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "pay"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"to": "An'},
        },
        {"type": "content_block_stop", "index": 0},
    )

    (call,) = read("anthropic", cut).calls
    assert call["args"] == '{"to": "An'


def test_citations_and_counts_of_anthropic_are_kept() -> None:
    citation = {"type": "char_location", "cited_text": "x"}
    reply = anthropic(
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": citation}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    )

    assert reply["content"] == [{"type": "text", "text": "Hi", "citations": [citation]}]
    assert reply["usage"] == {"input_tokens": 5, "output_tokens": 9}


def test_a_refused_prompt_of_gemini_is_complete_without_a_candidate() -> None:
    assembler = assembler_of("gemini")
    assembler.add(ServerEvent({"promptFeedback": {"blockReason": "SAFETY"}}))

    assert assembler.complete
    assert assembler.reply() == {"promptFeedback": {"blockReason": "SAFETY"}}


def test_a_signature_of_gemini_stays_on_its_own_words() -> None:
    assembler = assembler_of("gemini")
    parts = [
        {"text": "a"},
        {"text": "b", "thoughtSignature": "s"},
        {"text": "c"},
        {"text": "", "thoughtSignature": "t"},
    ]
    for part in parts:
        assembler.add(ServerEvent({"candidates": [{"content": {"parts": [part]}}]}))

    assert assembler.reply()["candidates"][0]["content"]["parts"] == [
        {"text": "ab", "thoughtSignature": "s"},
        {"text": "c"},
        {"text": "", "thoughtSignature": "t"},
    ]


def test_half_a_character_is_no_reason_to_lose_an_event() -> None:
    assert object_of('{"a": "x\\ud83d", "b": ["\\uDE00"], "c": "\\ud83d\\ude00"}') == {
        "a": "x\ufffd",
        "b": ["\ufffd"],
        "c": "😀",
    }
    assert object_of('{"a": "\\ud83d", "b": NaN}') is None
    assert object_of("[" * 5000) is None
