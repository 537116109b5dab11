"""The times of a turn: those of the machine, or one that is given."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's time."""

    def now(self) -> str | None:
        return datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251  (a message is sent now)

    def seconds(self) -> float | None:
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class StoppedClock:
    """One time for everything, and no durations, so that a turn is the same whenever it runs."""

    timestamp: str | None = None

    def now(self) -> str | None:
        return self.timestamp

    def seconds(self) -> float | None:
        return None
