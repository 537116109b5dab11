"""The most memory of a process."""

from __future__ import annotations

import contextlib
import re
import resource
from pathlib import Path


def most_megabytes() -> float:
    """The most memory that this program has had; `ru_maxrss` is also that of the one that started it."""
    with contextlib.suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        if found is not None:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
