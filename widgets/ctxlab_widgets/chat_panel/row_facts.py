"""Facts of one message besides its words: times, thoughts, calls, translation, and what an answer cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from ctxlab.chat.growing_reply import UNFINISHED_CALLS
from ctxlab.chat.node_times import END, FIRST, START
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode
from ctxlab.pipeline.services import TokenCounter
from ctxlab.providers.cost import price_of
from ctxlab.secrets import masked_in_place
from ctxlab.wires import PROVIDERS

NAME = 60
STATES = {"done": "done", "failed": "failed", "refused": "refused", "timed out": "failed", "cancelled": "failed"}
MOST_ARGUMENTS = 20_000
MOST = 10**12
"""Tokens and milliseconds above this are no figures."""


def facts_of(node: MessageNode) -> list[str]:
    """When it was written, and which model wrote it."""
    found = [time_of(node.timestamp)]
    if node.role == "assistant":
        model = node.meta("modelId") or node.meta("modelName")
        found.append(plain(model, NAME) if isinstance(model, str) else "")
    if node.meta("isTruncated") is True:
        found.append("ends where its longest length was reached")
    return [each for each in found if each]


def time_of(timestamp: str | None) -> str:
    """Day and time as the message has them; empty where it has none.

    >>> time_of("2026-11-23T14:05:09Z")
    '2026-11-23 14:05'
    """
    try:
        return f"{datetime.fromisoformat(timestamp or ''):%Y-%m-%d %H:%M}"
    except ValueError:
        return ""


def thought_of(node: MessageNode, inside: str, counter: TokenCounter | None) -> dict[str, str] | None:
    """The reasoning of an answer, with that which stands `inside` of its text, how long it took and its tokens."""
    text = "\n\n".join(each for each in (node.reasoning, inside) if each)
    if not text:
        return None
    start, end = node.meta("reasoningStartTime"), node.meta("reasoningEndTime")
    took = f"{(end - start) / 1000:.1f} s" if _is_span(start, end) else ""
    tokens = counted(counter.count(text), "token") if counter is not None else ""
    return {"text": text, "facts": ", ".join(each for each in (took, tokens) if each)}


def _is_span(start: object, end: object) -> bool:
    return isinstance(start, int) and isinstance(end, int) and 0 <= end - start < MOST


def calls_of(node: MessageNode, results: Sequence[MessageNode | None]) -> list[dict[str, Any]]:
    """The calls of an answer with what became of each; results have rows of their own."""
    if node.role != "assistant":
        return []
    found = [
        {
            "id": call.id,
            "name": plain(call.name, NAME),
            "arguments": call.arguments[:MOST_ARGUMENTS],
            "state": _call_state(result),
            "facts": _call_facts(result),
        }
        for call, result in zip(node.tool_calls, results, strict=True)
    ]
    return found or _unfinished(node)


def _unfinished(node: MessageNode) -> list[dict[str, Any]]:
    stored = node.meta(UNFINISHED_CALLS)
    calls = [each for each in cast("list[Any]", stored) if isinstance(each, dict)] if isinstance(stored, list) else []
    return [
        {
            "id": str(call.get("requestId") or ""),
            "name": plain(str(call.get("toolName") or ""), NAME),
            "arguments": masked_in_place(str(call.get("args") or ""))[:MOST_ARGUMENTS],
            "state": "failed",
            "facts": "broke off before it was whole; it was not carried out",
        }
        for call in calls
    ]


def _call_state(result: MessageNode | None) -> str:
    if result is None:
        return "failed"
    call = result.meta("toolCall")
    status = cast("Mapping[str, Any]", call).get("status") if isinstance(call, Mapping) else None
    return STATES.get(str(status), "done")


def _call_facts(result: MessageNode | None) -> str:
    if result is None:
        return "has no result here"
    call = result.meta("toolCall")
    known = cast("Mapping[str, Any]", call) if isinstance(call, Mapping) else {}
    status, took = known.get("status"), known.get("durationMs")
    words = [str(status)] if status in ("timed out", "cancelled") else []
    words += [f"{took / 1000:.1f} s"] if isinstance(took, int | float) and 0 <= took < MOST else []
    return ", ".join(words)


def translation_of(node: MessageNode) -> dict[str, str] | None:
    """The stored translation of a message, and whether it is shown."""
    stored = node.meta("translation")
    if not isinstance(stored, Mapping):
        return None
    known = cast("Mapping[str, Any]", stored)
    text, to, mode = known.get("content"), known.get("targetLang"), known.get("displayMode")
    if not isinstance(text, str) or not text:
        return None
    usual = mode if mode in ("original", "translation") else "both"
    shown = "original" if known.get("visible") is False else usual
    return {"text": text, "to": plain(to, NAME) if isinstance(to, str) else "", "shown": str(shown)}


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 50 else "under 0.1 s"


def got_of(node: MessageNode) -> dict[str, Any]:
    """Tokens and times of an answer and what it cost, as the vendor counted it, and the share that was cached."""
    stored = node.meta("usage")
    usage = cast("Mapping[str, Any]", stored) if isinstance(stored, Mapping) else {}
    prompt, out, cached = _whole(usage, "promptTokens"), _whole(usage, "completionTokens"), _cached(usage)
    facts = [f"{prompt:,} in"] if prompt else []
    share = min(1.0, cached / prompt) if prompt and cached else None
    facts += [f"{cached:,} cached, {share:.0%}"] if share is not None else []
    facts += [f"{out:,} out"] if out else []
    start, first, end = node.meta(START), node.meta(FIRST), node.meta(END)
    facts += [f"{_seconds(first - start)} to the first word"] if _is_span(start, first) else []
    facts += [f"{_seconds(end - start)} in all"] if not _is_span(start, first) and _is_span(start, end) else []
    usd = _usd(node, prompt, out, cached)
    facts += [f"US$ {usd:,.4f}"] if usd is not None else []
    return {"facts": facts, **({"cached": share} if share is not None else {})}


def _usd(node: MessageNode, prompt: int, out: int, cached: int) -> float | None:
    model, provider = node.meta("modelId"), node.meta("providerType")
    if not prompt or not (isinstance(model, str) and isinstance(provider, str) and provider in PROVIDERS):
        return None
    found = price_of(model, PROVIDERS[provider], prompt, min(prompt, cached), 0, out)
    return sum(found) if found is not None else None


def _cached(usage: Mapping[str, Any]) -> int:
    details = usage.get("promptTokensDetails")
    return _whole(cast("Mapping[str, Any]", details), "cachedTokens") if isinstance(details, Mapping) else 0


def _whole(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < MOST else 0
