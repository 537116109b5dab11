"""Progress of long work with the time left: a bar in a terminal, one line in a notebook, a few lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock, Timer
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import uuid4

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

ProgressOption: TypeAlias = bool | Callable[[float], Any]
"""True shows it, False nothing; a function is called with the share that is done, in [0, 1]."""
PATIENCE_SECONDS = 1.0
"""Work that is done by then shows nothing in a terminal and in a notebook."""
QUIET_SECONDS = 10.0
"""Work that is done by then shows nothing elsewhere."""
UPDATE_SECONDS = 0.25
"""Least time between two states of the line in a notebook."""
LINES = 10
"""Lines of the whole work where there is no bar."""
COUNT_A_LINE = 1_000
"""Things after which there is a line where their number isn't known."""


@contextmanager
def progress_of(what: str, progress: ProgressOption) -> Generator[Callable[[float], Any]]:
    """A function that takes the share of work that is done: the caller's own, or one that shows it."""
    if callable(progress):
        yield progress
        return
    with WorkProgress(what, 1.0, progress) as shown:
        yield lambda share: shown.advance_to(share)


class WorkProgress:
    """Work that is done, of how much, and the time left by the pace so far.

    `what` names the things that are counted, or with a `total` of 1.0 the work whose share is; None is a stream, of
    which a function is called at the end alone.
    """

    def __init__(self, what: str, total: float | None, progress: ProgressOption) -> None:
        self._what, self._total, self._progress = what, total, progress
        self._done = self._reused = 0.0
        self._lines = 0
        self._bar: tuple[Progress, TaskID] | None = None
        self._timer: Timer | None = None
        self._notebook: NotebookLine | None = None
        self._lock = Lock()
        self._start = self._shown_at = 0.0

    def __enter__(self) -> Self:
        self._start = perf_counter()
        if self._progress is not True:
            return self
        self._notebook = NotebookLine.here()
        if self._notebook is None and sys.stderr.isatty():
            self._timer = Timer(PATIENCE_SECONDS, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._bar is not None:
            self._bar[0].stop()
        if self._notebook is not None and self._notebook.is_shown:
            self._notebook.show(self.line(perf_counter() - self._start))
        if callable(self._progress) and self._total is None and kind is None:
            self._progress(1.0)

    @property
    def done(self) -> float:
        """The amount that is done, of `total`."""
        return self._done

    def advance(self, count: float, *, reused: bool = False) -> None:
        """Count things that are done, or that were already before, which says nothing of the pace."""
        if count:
            self._reused += count if reused else 0
            self.advance_to(self._done + count)

    def advance_to(self, done: float) -> None:
        """Note how much is done in all."""
        with self._lock:
            self._done = done
            if self._bar is not None:
                self._bar[0].update(self._bar[1], completed=done)
        if callable(self._progress) and self._total:
            self._progress(min(1.0, done / self._total))
        elif self._progress is True and self._timer is None:
            seconds = perf_counter() - self._start
            if self._notebook is None:
                self._print_line(seconds)
            elif seconds >= max(PATIENCE_SECONDS, self._shown_at + UPDATE_SECONDS):
                self._shown_at = seconds
                self._notebook.show(self.line(seconds))

    def _show(self) -> None:
        with self._lock:
            self._bar = _started_bar(self._what, self._total, self._done)

    def _print_line(self, seconds: float) -> None:
        step = self._total / LINES if self._total is not None else COUNT_A_LINE
        reached = int(self._done / step)
        if seconds >= QUIET_SECONDS and reached > self._lines:
            self._lines = reached
            print(self.line(seconds), file=sys.stderr, flush=True)  # noqa: T201

    def line(self, seconds: float) -> str:
        """A sentence on the work that is done after so many seconds, and the time left."""
        if self._total is None:
            return f"{self._done:,.0f} {self._what}"
        share = f"{self._done:,.0f} of {self._total:,} {self._what}"
        words = f"{self._what}: {self._done:.0%}" if self._total == 1.0 else share
        pace = self._done - self._reused
        if self._done >= self._total or not pace:
            return words
        return f"{words}, about {_duration((self._total - self._done) * seconds / pace)} left"


def _duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    return f"{whole} s" if whole < 120 else f"{whole // 60} min"


class NotebookLine:
    """A line below a notebook's cell that is replaced by its next state."""

    def __init__(self, publish: Callable[..., Any]) -> None:
        self._publish = publish
        self._id = uuid4().hex
        self.is_shown = False

    @classmethod
    def here(cls) -> NotebookLine | None:
        """A line in the notebook whose kernel runs this; None elsewhere."""
        ipython = sys.modules.get("IPython")
        shell: Any = ipython.get_ipython() if ipython is not None else None
        return cls(shell.display_pub.publish) if type(shell).__name__ == "ZMQInteractiveShell" else None

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        self._publish({"text/plain": text}, transient={"display_id": self._id}, update=self.is_shown)
        self.is_shown = True


def _started_bar(what: str, total: float | None, done: float) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    timing = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    number = TaskProgressColumn() if total == 1.0 else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), number, timing)
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    bar.update(task, completed=done)
    bar.start()
    return bar, task
