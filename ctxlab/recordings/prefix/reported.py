"""The state of a prefix by the vendor's own usage: what could be read, and what was."""

from __future__ import annotations

from typing import Final

from ctxlab.recordings.prefix.lifetimes import least_tokens, rules_of
from ctxlab.recordings.prefix.request_prefix import NOT_REPORTED, WHOLE, PrefixState, ReportedPrefix
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.request_price import vendor_in

GONE: Final = 0.5
"""The share under which, after the time for which prefixes are kept, the rest is what other conversations share."""


def reported_of(
    request: RecordedRequest, before: RecordedRequest | None, seconds: float | None, lifetime: int | None
) -> ReportedPrefix:
    """The words of the vendor's usage on a request after another one; `lifetime` is that at the least."""
    usage = request.usage
    if usage.cached is None:
        return NOT_REPORTED
    readable = readable_tokens(request, before) if before is not None else None
    if before is None or readable is None:
        return ReportedPrefix("first" if before is None else "unknown", usage.cached, usage.written, readable)
    state = _state(request, before, usage.cached, readable, is_late=_is_late(seconds, lifetime))
    return ReportedPrefix(state, usage.cached, usage.written, readable)


def readable_tokens(request: RecordedRequest, before: RecordedRequest) -> int | None:
    """Tokens that the vendor could have read again: what the request before had read and written, or all of it.

    Never more than the request itself has. None where nothing is known, or nothing was kept.
    """
    old = before.usage
    kept = (old.cached or 0) + (old.written or 0)
    if not kept or (old.written in (None, 0) and not is_marked(before)):
        if vendor_in(before) == "anthropic" and not kept and not request.usage.cached:
            return None  # no mark asked for it
        kept = old.input or 0
    tokens = request.usage.input
    return (min(kept, tokens) if tokens is not None else kept) or None


def is_marked(request: RecordedRequest) -> bool:
    """Whether the vendor keeps only what marks ask for, and counts it."""
    return vendor_in(request) == "anthropic" and bool(request.usage.cached or request.usage.written)


def is_all_of(cached: int, readable: int, request: RecordedRequest) -> bool:
    """Whether so many tokens are all of those that could be read, as exactly as vendors count."""
    return cached >= WHOLE * readable or bool(cached and cached >= rules_of(request).whole_blocks(readable))


def _is_late(seconds: float | None, lifetime: int | None) -> bool:
    return seconds is not None and lifetime is not None and seconds > lifetime


def _state(
    request: RecordedRequest, before: RecordedRequest, cached: int, readable: int, *, is_late: bool
) -> PrefixState:
    if is_all_of(cached, readable, request):
        return "whole"
    if request.model != before.model:
        return "other model"
    least = least_tokens(request)
    if least is not None and readable < least and not cached:
        return "short"
    return "expired" if is_late and cached < GONE * readable else "cut"
