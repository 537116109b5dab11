"""Replies of Chat Completions, whole and as chunks; DeepSeek's have its thinking and its counts of the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.testing.fake_server.sending import Sending, event

REASONS = {"length": "length", "filter": "content_filter", "stop": "stop"}


def _usage(sending: Sending, *, deepseek: bool) -> dict[str, Any]:
    tokens = sending.tokens
    usage: dict[str, Any] = {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": sending.output_tokens,
        "total_tokens": tokens.prompt + sending.output_tokens,
        "prompt_tokens_details": {"cached_tokens": tokens.read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": sending.thinking_tokens, "audio_tokens": 0},
    }
    if deepseek:
        usage |= {"prompt_cache_hit_tokens": tokens.read, "prompt_cache_miss_tokens": tokens.prompt - tokens.read}
    return usage


def _finish(sending: Sending) -> str:
    return REASONS.get(sending.reply.finish) or ("tool_calls" if sending.reply.calls else "stop")


def _calls(sending: Sending) -> list[dict[str, Any]]:
    return [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for call in sending.calls("call_")
    ]


def _head(sending: Sending, kind: str) -> dict[str, Any]:
    return {
        "id": sending.id("chatcmpl-"),
        "object": kind,
        "created": sending.created,
        "model": sending.model,
        "system_fingerprint": "fp_fake",
    }


def whole(sending: Sending, *, deepseek: bool = False) -> dict[str, Any]:
    reply = sending.reply
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or (None if reply.calls else "")}
    if deepseek and reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = _calls(sending)
    if not deepseek:
        message["refusal"] = None
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(sending)}
    return _head(sending, "chat.completion") | {"choices": [choice], "usage": _usage(sending, deepseek=deepseek)}


def _deltas(sending: Sending, *, deepseek: bool) -> Iterator[dict[str, Any]]:
    reply = sending.reply
    yield {"role": "assistant", "content": None if reply.calls and not reply.text else ""}
    if deepseek:
        yield from ({"reasoning_content": piece, "content": None} for piece in sending.pieces(reply.thinking))
    yield from ({"content": piece} for piece in sending.pieces(reply.text))
    for index, call in enumerate(_calls(sending)):
        function = call["function"]
        yield {"tool_calls": [call | {"index": index, "function": {"name": function["name"], "arguments": ""}}]}
        for piece in sending.pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def events(sending: Sending, *, deepseek: bool = False) -> Iterator[bytes]:
    """Chunks of deltas, one with the reason of the end, one with the counts where they are asked for, and [DONE]."""
    head = _head(sending, "chat.completion.chunk")
    options = sending.body.get("stream_options")
    counts = bool(isinstance(options, dict) and options.get("include_usage"))

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return event(head | {"choices": [choice]} | ({"usage": None} if counts else {}))

    for delta in _deltas(sending, deepseek=deepseek):
        yield chunk(delta)
    yield chunk({}, _finish(sending))
    if counts:
        yield event(head | {"choices": [], "usage": _usage(sending, deepseek=deepseek)})
    yield event("[DONE]")
