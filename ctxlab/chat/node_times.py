"""Times of a reply as its metadata have them: milliseconds since 1970, as programs of this kind store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.documents.moments import seconds_of

START, FIRST, END = "requestStartTime", "firstTokenTime", "requestEndTime"


def milliseconds(timestamp: str | None) -> int | None:
    """Milliseconds since 1970 of an ISO 8601 time; None for none and for what is none.

    >>> milliseconds("1970-01-01T00:00:02.5Z")
    2500
    """
    seconds = seconds_of(timestamp)
    return None if seconds is None else round(seconds * 1000)


def after(metadata: Mapping[str, Any], seconds: float | None) -> int | None:
    """The time so many seconds after the request was sent; None where either isn't known."""
    start = metadata.get(START)
    return start + round(seconds * 1000) if isinstance(start, int) and seconds is not None else None


def tokens_per_second(metadata: Mapping[str, Any]) -> float | None:
    """Tokens of the answer a second, from its first piece to its end; None where that isn't known."""
    first, end, usage = metadata.get(FIRST), metadata.get(END), metadata.get("usage")
    counted = usage.get("completionTokens") if isinstance(usage, Mapping) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    tokens = counted if isinstance(counted, int) else metadata.get("tokenCount")
    if not (isinstance(first, int) and isinstance(end, int) and isinstance(tokens, int)) or end <= first:
        return None
    return round(tokens / (end - first) * 1000, 2)
