"""Why a reply ended, in a sentence, where it ended otherwise than by having said all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.chat.fold import CUT_SHORT
from ctxlab.display.short_texts import counted, short
from ctxlab.formats.requests.replies import ReplyMessage
from ctxlab.providers.payload import Payload

ENDED_WELL: Final = frozenset(
    {
        *("", "stop", "STOP", "end_turn", "stop_sequence", "tool_use", "tool_calls", "function_call", "completed"),
        *("eos", "eos_token", "FINISH_REASON_UNSPECIFIED"),
    }
)
WINDOW: Final = "model_context_window_exceeded"
LIMITS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens")
FILTERED: Final = frozenset(
    {"content_filter", "SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "IMAGE_SAFETY", "sensitive"}
)
GOES_ON: Final = "continue_reply goes on"


def ending_notes(reply: ReplyMessage, request: Payload, *, by_vendor: bool = True) -> tuple[str, ...]:
    """Sentences on a reply that its vendor ended early, or that has no words; none on one that has said all.

    A function (not `by_vendor`) that gives a text gives no reason for its end.
    """
    reason = reply.finish_reason
    said = any(node.get("content") or node.get("attachments") for node in reply.nodes) or bool(reply.calls)
    if reason in CUT_SHORT:
        return (_cut(reply, request, said=said),)
    if reason in FILTERED:
        left = "what came before is kept" if said else "there are no words of it"
        return (f"the vendor's filter ended the reply ({short(reason, 40)}); {left}",)
    if reason == "refusal" or reply.refusal:
        return ("the model declined to answer (refusal); other words may be answered",)
    if reason == "pause_turn":
        return (f"the vendor paused a long turn before its end (pause_turn); {GOES_ON}",)
    if reason not in ENDED_WELL:
        return (f"the reply ended early: the vendor gives {short(reason, 40)!r} as the reason",)
    if not said:
        what = "the reply has thoughts and no words" if reply.reasoning else "the reply is empty"
        why = f"the vendor gives {short(reason, 40)!r} as the reason of its end" if reason else "no reason is given"
        return (f"{what}; {why}" if by_vendor else what,)
    return ()


def _cut(reply: ReplyMessage, request: Payload, *, said: bool) -> str:
    remedy = GOES_ON if said else "a greater limit leaves room for words"
    if reply.finish_reason == WINDOW:
        return "the reply ended where the model's context window was full; a shorter conversation leaves room"
    limit, written = _limit(request), (reply.usage or {}).get("completionTokens")
    if limit is None or (isinstance(written, int) and 0 < written < limit):
        return f"the reply stopped at the greatest length that the model or its window allows; {remedy}"
    return f"the reply stopped at its limit of {counted(limit, 'token')}; {remedy}"


def _limit(request: Payload) -> int | None:
    """The tokens that a request allows a reply; None where it names no limit."""
    config: Any = request.body.get("generationConfig")
    places = (request.body, cast("Mapping[str, Any]", config) if isinstance(config, Mapping) else {})
    found = (place.get(name) for place in places for name in LIMITS)
    return next((value for value in found if isinstance(value, int) and not isinstance(value, bool)), None)
