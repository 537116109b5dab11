"""Times as stored texts have them, taken as moments: two texts of one moment are the same time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime


def moment_of(time: str | None) -> datetime | None:
    """The moment of an ISO 8601 time, in UTC where it names no zone; None for none and for what is no such time.

    >>> moment_of("2026-01-01T09:00:00+09:00") == moment_of("2026-01-01T00:00:00Z") == moment_of("2026-01-01")
    True
    """
    try:
        found = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def seconds_of(time: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 time, as `moment_of` takes it; None for what is no such time."""
    found = moment_of(time)
    return found.timestamp() if found is not None else None


def on_one_clock(times: Iterable[str | None]) -> list[datetime | None]:
    """The moments of some times, all on the clock of the zone that the first of them is written in.

    >>> [f"{time:%H:%M}" for time in on_one_clock(["2026-01-01T09:00:00+09:00", "2026-01-01T00:05:00Z"]) if time]
    ['09:00', '09:05']
    """
    found = [moment_of(time) for time in times]
    zone = next((moment.tzinfo for moment in found if moment is not None), UTC)
    return [moment.astimezone(zone) if moment is not None else None for moment in found]
