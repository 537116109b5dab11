"""The many ways in which SillyTavern's chats write a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ctxlab.lazy_pattern import lazy_pattern

MONTHS: Final[tuple[str, ...]] = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
WRITTEN = lazy_pattern(
    r"([a-z]{3})[a-z]*\.? (\d{1,2}), (\d{4}),?(?: at)? (\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])\.?m\.?", re.IGNORECASE
)
STAMPED = lazy_pattern(
    r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s\s*(?:(\d{1,3})ms)?", re.IGNORECASE
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECONDS_BELOW = 100_000_000_000
"""Numbers below are seconds, others milliseconds: as milliseconds they would be in the year 1973."""


def iso(stored: Any) -> str | None:
    """The time in ISO 8601; None when none can be read. A time without a zone stays without one."""
    if isinstance(stored, bool) or not isinstance(stored, str | int | float):
        return None
    word = str(stored).strip()
    try:
        return _of_number(float(word))
    except (ValueError, OverflowError):
        return _of_words(word)


def _of_number(number: float) -> str:
    seconds = number if abs(number) < SECONDS_BELOW else number / 1000
    time = EPOCH + timedelta(seconds=seconds)
    return time.isoformat(timespec="milliseconds" if time.microsecond else "seconds").replace("+00:00", "Z")


def _of_words(word: str) -> str | None:
    try:
        if found := WRITTEN.fullmatch(word):
            month, day, year, hour, minute, second, half = found.groups()
            hours = int(hour) % 12 + (12 if half.lower() == "p" else 0)
            numbers = (int(year), MONTHS.index(month.lower()) + 1, int(day), hours, int(minute), int(second or 0))
            return datetime(*numbers).isoformat()
        if found := STAMPED.fullmatch(word):
            *numbers, thousandths = found.groups()
            time = datetime(*map(int, numbers), microsecond=int(thousandths or 0) * 1000)
            return time.isoformat(timespec="milliseconds" if thousandths else "seconds")
        datetime.fromisoformat(word)
    except ValueError:
        return None
    return word
