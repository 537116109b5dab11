"""A progress spinner on standard error when something takes long, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_SECONDS = 1.0
LARGE_BYTES = 20_000_000  # about a second of reading; the parser lets no other thread run meanwhile


@contextmanager
def progress(what: str, *, file: Path | None = None) -> Generator[None]:
    """Show what is in progress after a second, at once for a large `file`."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[Progress] = []
    large = file is not None and file.is_file() and file.stat().st_size > LARGE_BYTES
    timer = Timer(PATIENCE_SECONDS, lambda: shown.append(_started(what)))
    timer.daemon = True
    if large:
        shown.append(_started(what))
    else:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        for progress in shown:
            progress.stop()


def _started(what: str) -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    progress.add_task(what, total=None)
    progress.start()
    return progress
