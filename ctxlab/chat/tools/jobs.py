"""A function in a thread of its own, whose end is awaited only as long as somebody wants it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from dataclasses import field
from itertools import islice
from time import monotonic
from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass

POLL_SECONDS = 0.02
MOST_ITEMS = 10_000
"""Items that are taken of what a generator yields."""

End = Literal["done", "failed", "timed out", "cancelled"]


@dataclass(slots=True, eq=False)
class Job:
    """A function under way. What it gives after a time-out or a cancel goes nowhere."""

    work: Callable[[], Any]
    timeout_seconds: float | None = None
    value: Any = None
    error: BaseException | None = None
    _began: float = 0.0
    _seconds: float | None = None
    _done: threading.Event = field(default_factory=threading.Event)

    def start(self) -> Job:
        self._began = monotonic()
        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(self._run,), daemon=True, name="ctxlab tool").start()
        return self

    def wait(self, is_cancelled: Callable[[], bool]) -> End:
        """The way it ended, or was left."""
        while not self._done.wait(POLL_SECONDS):
            if is_cancelled():
                return "cancelled"
            if self.timeout_seconds is not None and monotonic() - self._began > self.timeout_seconds:
                return "timed out"
        return "failed" if self.error is not None else "done"

    @property
    def seconds(self) -> float:
        """The time it took, or has taken until now."""
        return self._seconds if self._seconds is not None else monotonic() - self._began

    def _run(self) -> None:
        try:
            self.value = settled(self.work())
        except BaseException as error:  # SystemExit of a tool ends its thread and no more
            self.error = error
        self._seconds = monotonic() - self._began
        self._done.set()


def settled(value: Any) -> Any:
    """A value that is there: a coroutine is run to its end, the items of a generator are taken."""
    if inspect.isasyncgen(value):
        return asyncio.run(_items(value))
    if inspect.isawaitable(value):
        return asyncio.run(_awaited(value))
    return list(islice(value, MOST_ITEMS)) if inspect.isgenerator(value) else value


async def _awaited(value: Any) -> Any:
    return await value


async def _items(values: Any) -> list[Any]:
    found: list[Any] = []
    async for value in values:
        found.append(value)
        if len(found) == MOST_ITEMS:
            break
    return found
