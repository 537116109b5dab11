"""Turns of searches and of work on an index: Python runs one thread at a time, and a search shall not wait for it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from time import sleep

PAUSE_SECONDS = 0.001


class SearchTurns:
    """Counts the searches that are under way, so that work that can wait pauses between two of its steps."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = Lock()

    @contextmanager
    def search(self) -> Generator[None]:
        """Marks a search as under way."""
        with self._lock:
            self._count += 1
        try:
            yield
        finally:
            with self._lock:
                self._count -= 1

    def give_way(self) -> None:
        """Pause shortly while a search is under way; the work goes on slowly however many there are."""
        if self._count:
            sleep(PAUSE_SECONDS)


turns = SearchTurns()
"""Those of this process: all indexes share one interpreter."""
