"""Replies of Anthropic's Messages API, whole and as events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.testing.fake_server.sending import Sending, event

REASONS = {"length": "max_tokens", "filter": "refusal", "stop": "end_turn"}


def content(sending: Sending) -> list[dict[str, Any]]:
    """The blocks of the reply: thinking, text, calls."""
    blocks: list[dict[str, Any]] = []
    reply = sending.reply
    if reply.thinking and reply.redacted:
        blocks.append({"type": "redacted_thinking", "data": sending.signature})
    elif reply.thinking:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": sending.signature})
    if reply.text or not reply.calls:
        blocks.append({"type": "text", "text": reply.text})
    for call in sending.calls("toolu_"):
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    return blocks


def _usage(sending: Sending) -> dict[str, Any]:
    tokens = sending.tokens
    return {
        "input_tokens": tokens.rest,
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.written_5m,
            "ephemeral_1h_input_tokens": tokens.written_1h,
        },
        "output_tokens": sending.output_tokens,
        "service_tier": "standard",
    }


def _message(sending: Sending) -> dict[str, Any]:
    return {
        "id": sending.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": sending.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**_usage(sending), "output_tokens": 1},
    }


def _stop_reason(sending: Sending) -> str:
    return REASONS.get(sending.reply.finish) or ("tool_use" if sending.reply.calls else "end_turn")


def whole(sending: Sending) -> dict[str, Any]:
    return _message(sending) | {
        "content": content(sending),
        "stop_reason": _stop_reason(sending),
        "usage": _usage(sending),
    }


def _deltas(block: dict[str, Any], sending: Sending) -> Iterator[dict[str, Any]]:
    """The beginning of a block, then each addition to it."""
    if block["type"] == "text":
        yield {"type": "text", "text": ""}
        yield from ({"type": "text_delta", "text": piece} for piece in sending.pieces(block["text"]))
    elif block["type"] == "thinking":
        yield {"type": "thinking", "thinking": "", "signature": ""}
        yield from ({"type": "thinking_delta", "thinking": piece} for piece in sending.pieces(block["thinking"]))
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "tool_use":
        yield block | {"input": {}}
        text = next(call.text for call in sending.calls("toolu_") if call.id == block["id"])
        yield from ({"type": "input_json_delta", "partial_json": piece} for piece in ("", *sending.pieces(text)))
    else:
        yield block


def events(sending: Sending) -> Iterator[bytes]:
    """message_start, then start, deltas and stop of each block, then message_delta and message_stop."""

    def named(type: str, **fields: Any) -> bytes:
        return event({"type": type, **fields}, name=type)

    yield named("message_start", message=_message(sending))
    for index, block in enumerate(content(sending)):
        start, *deltas = _deltas(block, sending)
        yield named("content_block_start", index=index, content_block=start)
        if index == 0:
            yield named("ping")
        for delta in deltas:
            yield named("content_block_delta", index=index, delta=delta)
        yield named("content_block_stop", index=index)
    delta = {"stop_reason": _stop_reason(sending), "stop_sequence": None}
    yield named("message_delta", delta=delta, usage=_usage(sending))
    yield named("message_stop")


def counted(sending: Sending) -> dict[str, Any]:
    return {"input_tokens": sending.tokens.prompt}
