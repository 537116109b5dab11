"""The times of folders, which tell whether files in them came, went or were replaced, without a look at each.

All writers replace files, which changes the time of the folder. A file that is changed in place leaves it as it was:
that is seen by a look at the files, which is due each LOOK_SECONDS.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from ctxlab.lazy_dataclass import dataclass

LOOK_SECONDS = 1.0
"""Files are looked at one by one when the last look is so long ago."""
FINE_NS, COARSE_NS = 100_000_000, 3_000_000_000
"""A folder may change twice within one tick of its clock: a time says nothing before it is so old."""
TICK_NS = 1_000_000
"""Times that are multiples of this come from a coarse clock."""


@dataclass(frozen=True, slots=True)
class FolderMarks:
    """The times and numbers of some folders, when they were taken, and whether a later change would show in them."""

    facts: tuple[tuple[int, ...], ...]
    seconds: float
    would_show: bool

    def still_hold(self, now: FolderMarks) -> bool:
        """Whether the files are surely the same now, but for changes in place in the last LOOK_SECONDS."""
        return self.would_show and self.facts == now.facts and now.seconds - self.seconds < LOOK_SECONDS


def marks_of(folders: Iterable[Path]) -> FolderMarks:
    """The marks of folders; one that isn't there has a mark too."""
    facts: list[tuple[int, ...]] = []
    would_show = True
    clock = time.time_ns()
    for folder in folders:
        try:
            about = os.stat(folder)  # noqa: PTH116  # at each search: a Path costs more than the call
        except OSError:
            facts.append(())
            continue
        facts.append((about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_dev))
        latest = max(about.st_mtime_ns, about.st_ctime_ns)
        would_show &= clock - latest > (FINE_NS if latest % TICK_NS else COARSE_NS)
    return FolderMarks(tuple(facts), time.monotonic(), would_show)
