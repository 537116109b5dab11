"""Replies of Google's Gemini API, whole and as a stream of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.testing.fake_server.sending import Sending, event

REASONS = {"length": "MAX_TOKENS", "filter": "SAFETY"}


def _usage(sending: Sending) -> dict[str, Any]:
    tokens, written = sending.tokens, sending.output_tokens - sending.thinking_tokens
    usage: dict[str, Any] = {
        "promptTokenCount": tokens.prompt,
        "candidatesTokenCount": written,
        "totalTokenCount": tokens.prompt + sending.output_tokens,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens.prompt}],
    }
    if sending.reply.thinking:
        usage["thoughtsTokenCount"] = sending.thinking_tokens
    if tokens.read:
        usage["cachedContentTokenCount"] = tokens.read
    return usage


def _signed(sending: Sending, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts with the signature at the first call, or else at the last text."""
    if not sending.reply.thinking or not parts:
        return parts
    signed = next((i for i, part in enumerate(parts) if "functionCall" in part), len(parts) - 1)
    return [part | {"thoughtSignature": sending.signature} if i == signed else part for i, part in enumerate(parts)]


def _answer_parts(sending: Sending) -> list[dict[str, Any]]:
    reply = sending.reply
    texts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text or not reply.calls else []
    calls = [
        {"functionCall": {"name": call.name, "args": call.arguments} | ({"id": given.id} if given.id else {})}
        for call, given in zip(sending.calls("call_"), reply.calls, strict=True)
    ]
    return _signed(sending, [*texts, *calls])


def _thought(sending: Sending, words: str) -> dict[str, Any]:
    return {"text": words, "thought": True}


def _response(sending: Sending, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if last:
        candidate["finishReason"] = REASONS.get(sending.reply.finish, "STOP")
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(sending),
        "modelVersion": sending.model,
        "responseId": sending.id("fake"),
    }


def _shows_thoughts(sending: Sending) -> bool:
    return bool(sending.reply.thinking) and not sending.reply.redacted


def whole(sending: Sending) -> dict[str, Any]:
    thoughts = [_thought(sending, sending.reply.thinking)] if _shows_thoughts(sending) else []
    return _response(sending, [*thoughts, *_answer_parts(sending)], last=True)


def events(sending: Sending) -> Iterator[bytes]:
    """One part of a text or one call at a time; the last has the reason of the end."""
    parts: list[dict[str, Any]] = []
    if _shows_thoughts(sending):
        parts += [_thought(sending, piece) for piece in sending.pieces(sending.reply.thinking)]
    for part in _answer_parts(sending):
        pieces = [*sending.pieces(part["text"])] if "text" in part else []
        parts += [{"text": piece} for piece in pieces[:-1]]
        parts.append(part | {"text": pieces[-1]} if pieces else part)
    for number, part in enumerate(parts, 1):
        yield event(_response(sending, [part], last=number == len(parts)))


def counted(sending: Sending) -> dict[str, Any]:
    tokens = sending.tokens.prompt
    return {"totalTokens": tokens, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens}]}
