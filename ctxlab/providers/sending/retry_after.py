"""Seconds that a server asks to wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, which is a number or a date; a date is counted from the answer's own Date.

    >>> retry_after_seconds({"retry-after": "2"})
    2.0
    """
    milliseconds = _milliseconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds
    stored = headers.get("retry-after", "").strip()
    seconds = _number(stored)
    return seconds if seconds is not None else _until(stored, headers.get("date", ""))


def _milliseconds(stored: str) -> float | None:
    found = _number(stored.strip())
    return None if found is None else found / 1000


def _number(stored: str) -> float | None:
    try:
        found = float(stored)
    except ValueError:
        return None
    return found if isfinite(found) and found >= 0 else None


def _until(stored: str, date: str) -> float | None:
    """Seconds from one HTTP date to another; the server's own clock says both, so that ours may be wrong."""
    try:
        then, now = (parsedate_to_datetime(each) for each in (stored, date))
    except (ValueError, TypeError):
        return None
    seconds = (then.replace(tzinfo=then.tzinfo or UTC) - now.replace(tzinfo=now.tzinfo or UTC)).total_seconds()
    return max(seconds, 0.0)
