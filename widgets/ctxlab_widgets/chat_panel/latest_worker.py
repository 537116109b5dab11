"""Work that is done in a thread for the newest job alone: older ones are left out, their results dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

J = TypeVar("J")
R = TypeVar("R")


class LatestWorker(Generic[J, R]):
    """Does the newest job once none has come for `wait_seconds`; `deliver` gets it with its result.

    A result that is no longer of the newest job is dropped. The thread lives while there is something to do.
    """

    def __init__(self, work: Callable[[J], R], deliver: Callable[[J, R], object], *, wait_seconds: float) -> None:
        self._work, self._deliver, self._wait = work, deliver, wait_seconds
        self._condition = threading.Condition()
        self._job: tuple[J] | None = None
        self._number = 0
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def ask(self, job: J) -> None:
        """Do this job, unless a newer one comes before it is done."""
        with self._condition:
            if self._is_closed:
                return
            self._job, self._number = (job,), self._number + 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="ctxlab-chat-draft", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def rest(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do; False where that takes longer than so many seconds."""
        with self._condition:
            return self._condition.wait_for(lambda: self._is_closed or self._thread is None, timeout)

    def close(self) -> None:
        """Begin nothing more; what is being done is dropped."""
        with self._condition:
            self._is_closed, self._number = True, self._number + 1
            self._condition.notify_all()

    def _run(self) -> None:
        try:
            while (taken := self._next()) is not None:
                job, number = taken
                result = self._work(job)
                with self._condition:
                    is_newest = number == self._number
                if is_newest:
                    self._deliver(job, result)
        finally:
            with self._condition:
                if self._thread is threading.current_thread():
                    self._thread = None
                self._condition.notify_all()

    def _next(self) -> tuple[J, int] | None:
        """The newest job, once it is quiet; None where there is none, and the thread ends."""
        with self._condition:
            while not self._is_closed and self._job is not None:
                number = self._number
                if not self._condition.wait_for(lambda n=number: self._is_closed or self._number != n, self._wait):
                    (job,) = self._job
                    self._job = None
                    return job, number
            self._thread = None
            self._condition.notify_all()
            return None
