"""A limit that many replies share: requests a minute, and how many are on their way at once."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from ctxlab.errors import WrongArgument

MINUTE = 60.0


class RateLimit:
    """Lets requests begin as a vendor's limits allow: so many within any minute, so many at once; None is no limit.

    >>> RateLimit(requests_per_minute=30, concurrent=4)
    RateLimit(requests_per_minute=30, concurrent=4)
    """

    def __init__(
        self,
        *,
        requests_per_minute: int | None = None,
        concurrent: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value in (("requests_per_minute", requests_per_minute), ("concurrent", concurrent)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise WrongArgument(f"{name} takes a whole number from 1 on, or None")
        self.requests_per_minute = requests_per_minute
        self.concurrent = concurrent
        self._clock = clock
        self._changed = threading.Condition()
        self._started: deque[float] = deque()
        self._running = 0

    def __repr__(self) -> str:
        return f"RateLimit(requests_per_minute={self.requests_per_minute}, concurrent={self.concurrent})"

    def enter(self, cancelled: threading.Event) -> bool:
        """Wait until a request may begin, which counts from then on; False where it was cancelled before."""
        with self._changed:
            while not cancelled.is_set():
                if self.concurrent is not None and self._running >= self.concurrent:
                    self._changed.wait()
                    continue
                seconds = self.seconds_to_wait()
                if seconds <= 0:
                    self._running += 1
                    self._started.append(self._clock())
                    return True
                self._changed.wait(seconds)
        return False

    def leave(self) -> None:
        """A request has ended."""
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def wake(self) -> None:
        """Let those who wait see whether they are cancelled."""
        with self._changed:
            self._changed.notify_all()

    def seconds_to_wait(self) -> float:
        """Seconds until the requests of the last minute leave room for one more."""
        if self.requests_per_minute is None:
            return 0.0
        now = self._clock()
        while self._started and self._started[0] <= now - MINUTE:
            self._started.popleft()
        if len(self._started) < self.requests_per_minute:
            return 0.0
        return self._started[-self.requests_per_minute] + MINUTE - now
