"""Progress of a study on standard error: a bar with the time left, or lines where there is no terminal."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINES = 10
"""Lines of a whole study where there is no bar."""
CELLS_A_LINE = 1_000
"""Cells after which there is a line where their number isn't known."""


class StudyProgress:
    """Cells that are done, of how many, and the time left by the pace so far; `total` is None for a stream."""

    def __init__(self, total: int | None, *, shown: bool) -> None:
        self._total, self._shown = total, shown
        self._done = self._built = self._told = 0
        self._stack = ExitStack()
        self._bar: tuple[Progress, TaskID] | None = None
        self._start = 0.0

    def __enter__(self) -> Self:
        self._start = perf_counter()
        if self._shown and (sys.stderr.isatty() or _in_notebook()):
            self._bar = _started(self._stack, self._total)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def advance(self, cells: int, *, built: bool = True) -> None:
        """Count cells, which were built or were there from an earlier run."""
        if not cells:
            return
        self._done += cells
        self._built += cells if built else 0
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=self._done)
        elif self._shown:
            step = CELLS_A_LINE if self._total is None else max(1, self._total // LINES)
            if self._done // step > self._told or self._done == self._total:
                self._told = self._done // step
                print(self.line(perf_counter() - self._start), file=sys.stderr, flush=True)  # noqa: T201

    def line(self, seconds: float) -> str:
        """The cells that are done after so many seconds, and the time left, in words."""
        if self._total is None:
            return f"{self._done:,} cells"
        words = f"{self._done:,} of {self._total:,} cells"
        if self._done >= self._total or not self._built:
            return words
        left = (self._total - self._done) * seconds / self._built
        return f"{words}, about {_duration(left)} left"


def _duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    return f"{whole} s" if whole < 120 else f"{whole // 60} min"


def _in_notebook() -> bool:
    """Whether a kernel runs this, which shows a bar of rich's."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return type(found).__name__ == "ZMQInteractiveShell"


def _started(stack: ExitStack, total: int | None) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    timing = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), timing)
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    return bar, bar.add_task("cells", total=total)
