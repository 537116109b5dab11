"""A key that an answer repeats is in nothing that is made of the answer, wherever it stands and however it is cut."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import SendFailed
from ctxlab.formats.requests.replies import reply_message
from ctxlab.providers import Payload, payload
from ctxlab.providers.sending import connection
from ctxlab.providers.sending.connection import open_reply
from ctxlab.providers.sending.deltas import CallDelta, TextDelta, ThoughtDelta
from ctxlab.providers.sending.key_mask import KeyMask

KEY = 'sk-ss-s"\\sk-very-secret-42'
WRITTEN = json.dumps(KEY)[1:-1]
VENDORS = ("openai", "anthropic", "gemini", "openai-responses")
WORDS = st.text(st.sampled_from("sk- s海\n\x1b"), max_size=8)


@pytest.fixture(scope="module")
def requests() -> dict[str, Payload]:
    session = ctxlab.Session(id="s").append("Why?", id="u1")
    models = {"openai": "gpt-4o", "openai-responses": "gpt-4o", "anthropic": "claude-sonnet-4-5"}
    return {
        vendor: payload(ctxlab.build(session, model=models.get(vendor, "gemini-2.5-flash")), vendor, stream=True)
        for vendor in VENDORS
    }


def events_of(vendor: str, pieces: list[str], reason: str) -> list[dict[str, Any]]:
    """A stream whose words, thoughts or arguments come in these pieces."""
    match vendor:
        case "openai":
            chunks: list[Any] = [{"delta": {"content": piece, "reasoning_content": piece}} for piece in pieces]
            call = {"index": 0, "id": f"c-{KEY}", "function": {"name": f"f{KEY}"}}
            calls = [{**call, "function": {**call["function"], "arguments": piece}} for piece in pieces]  # type: ignore[dict-item]
            chunks += [{"delta": {"tool_calls": [one]}} for one in calls]
            return [{"choices": [{"index": 0, **chunk}]} for chunk in (*chunks, {"delta": {}, "finish_reason": reason})]
        case "anthropic":
            kinds = ("text", "text", "partial_json"), ("text_delta", "text_delta", "input_json_delta")
            blocks = (
                {"type": "text", "text": ""},
                {"type": "text", "text": ""},
                {"type": "tool_use", "id": KEY, "name": KEY},
            )
            found: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": KEY}}]
            for index, (block, name, kind) in enumerate(zip(blocks, *kinds, strict=True)):
                found.append({"type": "content_block_start", "index": index, "content_block": block})
                deltas = [{"type": kind, name: piece} for piece in pieces]
                found += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
                found.append({"type": "content_block_stop", "index": index})
            return [*found, {"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]
        case "gemini":
            parts: list[Any] = [{"text": piece} for piece in pieces if piece]
            parts += [{"text": piece, "thought": True} for piece in pieces if piece]
            parts.append({"functionCall": {"name": KEY, "args": {KEY: ["".join(pieces)]}}})
            chunks = [{"content": {"role": "model", "parts": [part]}} for part in parts]
            return [{"candidates": [chunk]} for chunk in (*chunks, {"finishReason": reason})]
        case _:
            message = {"type": "message", "role": "assistant", "content": []}
            call = {"type": "function_call", "call_id": KEY, "name": KEY, "arguments": "".join(pieces)}
            growing: list[dict[str, Any]] = [{"type": "response.output_item.added", "output_index": 0, "item": message}]
            growing += [{"type": "response.output_text.delta", "output_index": 0, "delta": piece} for piece in pieces]
            growing.append({"type": "response.output_item.added", "output_index": 1, "item": {**call, "arguments": ""}})
            part = {"type": "response.function_call_arguments.delta", "output_index": 1}
            growing += [{**part, "delta": piece} for piece in pieces]
            growing.append({"type": "response.output_item.done", "output_index": 1, "item": call})
            return [*growing, {"type": "response.completed", "response": {"status": reason}}]


def answered(monkeypatch: pytest.MonkeyPatch, content: bytes, kind: str) -> None:
    """Have every request answered by these bytes, without a network."""

    def read(*given: Any) -> None:
        items = given[6]
        for item in (connection._Head(kind), content, connection._End()):  # pyright: ignore[reportPrivateUsage]
            items.put(item)

    monkeypatch.setattr(connection, "_read", read)


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(before=WORDS, after=WORDS, places=st.lists(st.integers(0, 200), max_size=6), in_reason=st.booleans())
@pytest.mark.parametrize("vendor", VENDORS)
def test_the_key_is_in_no_piece_and_in_nothing_that_is_made_of_the_reply(
    vendor: str, before: str, after: str, places: list[int], in_reason: bool, requests: dict[str, Payload]
) -> None:
    said = f"{before}{KEY}{after}"
    events = events_of(vendor, cut(said, places), KEY if in_reason else "stop")
    lines = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    with pytest.MonkeyPatch.context() as monkeypatch:
        answered(monkeypatch, lines, "text/event-stream")
        reply = open_reply(requests[vendor], key=KEY)
        deltas = list(reply)

    texts = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    thoughts = "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta))
    calls = [(delta.id + delta.name, delta.arguments) for delta in deltas if isinstance(delta, CallDelta)]
    told = [texts, thoughts, "".join(name for name, _ in calls), "".join(arguments for _, arguments in calls)]
    whole = reply.reply()
    node = KeyMask((KEY,)).data(reply_message(whole, vendor).nodes)
    told += [json.dumps(whole, ensure_ascii=False), json.dumps(node, ensure_ascii=False, default=str), *reply.notes]
    assert not [text for text in told if KEY in text or WRITTEN in text or "very-secret" in text]
    times = 2 if vendor == "anthropic" else 1  # blocks of text
    assert texts == said.replace(KEY, "***") * times
    assert reply.notes[-1:] == ("the reply repeated the key, which is masked in it",)


@given(text=WORDS, size=st.integers(1, len(KEY) - 1))
def test_a_stream_that_breaks_off_inside_the_key_shows_no_good_part_of_it(text: str, size: int) -> None:
    def broken() -> Any:
        yield TextDelta(text + KEY[: size // 2])
        yield TextDelta(KEY[size // 2 : size])
        raise SendFailed("broken off")

    found: list[str] = []
    with pytest.raises(SendFailed):
        for delta in KeyMask((KEY,)).pieces(broken()):
            assert isinstance(delta, TextDelta)
            found.append(delta.text)

    said = "".join(found)
    assert KEY[:12] not in said
    assert size >= 12 or said == text + KEY[:size]


@given(pieces=st.lists(WORDS, max_size=8))
def test_a_reply_without_the_key_is_as_it_came(pieces: list[str]) -> None:
    found = KeyMask((KEY,)).pieces(TextDelta(piece) for piece in pieces)

    assert "".join(delta.text for delta in found if isinstance(delta, TextDelta)) == "".join(pieces)


@pytest.mark.parametrize("key", ["none", "test", "ollama", "lm-studio", "any"])
def test_a_key_that_is_a_word_blots_out_no_word(key: str) -> None:
    assert KeyMask((key,)).data({"text": f"there is {key}"}) == {"text": f"there is {key}"}


def test_the_key_of_a_client_of_ones_own_is_masked_as_well() -> None:
    client = SimpleNamespace(api_key=KEY, headers={"authorization": f"Bearer other-{KEY[:6]}-99"})

    assert KeyMask.of(None, client).text(f"a {KEY} b other-{KEY[:6]}-99") == "a *** b ***"
