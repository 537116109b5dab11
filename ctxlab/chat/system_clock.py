"""The times of a turn: those of the machine, or one that is given."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's time."""

    def now(self) -> str | None:
        return datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251  (a message is sent now)

    def seconds(self) -> float | None:
        return time.monotonic()

    def wait(self, seconds: float, cancelled: threading.Event) -> None:
        cancelled.wait(seconds)


@dataclass(frozen=True, slots=True)
class StoppedClock:
    """One time for everything, and no durations, so that a turn is the same whenever it runs."""

    timestamp: str | None = None

    def now(self) -> str | None:
        return self.timestamp

    def seconds(self) -> float | None:
        return None

    def wait(self, seconds: float, cancelled: threading.Event) -> None:
        cancelled.wait(seconds)  # what others ask of a program holds for one without a watch too
