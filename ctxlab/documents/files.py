"""Files that are replaced in one step."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write a file so that a reader sees the old content or the new, never half of it."""
    target = Path(path).expanduser()
    temporary = target.with_name(f".{target.name[:40]}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return target
