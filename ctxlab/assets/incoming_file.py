"""A file on its way into a store: copied once, in pieces, and hashed while it is copied."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Protocol

from ctxlab.assets.byte_window import HEAD_BYTES
from ctxlab.display.short_texts import counted
from ctxlab.errors import WriteError
from ctxlab.lazy_dataclass import dataclass

PIECE_BYTES = 1_000_000
LEFT_OVER = ".part"
OLD_SECONDS = 3_600
"""Age from which a temporary file is one that a writer left behind: no copy takes an hour without a write."""
_numbers = count()


class Readable(Protocol):
    """A stream: anything that gives its next bytes."""

    def read(self, size: int = -1, /) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A temporary file that holds all bytes of a source, with their hash and their beginning."""

    path: Path
    sha256: str
    size: int
    head: bytes


@contextmanager
def incoming(source: Readable, folder: Path, *, most: int, name: str) -> Generator[IncomingFile]:
    """A copy of the source in a folder, on the disk when it is given, and gone afterwards unless it was moved."""
    path = _fresh_path(folder)
    try:
        with path.open("xb") as file:
            digest, size, head = sha256(), 0, b""
            while piece := source.read(PIECE_BYTES):
                size += len(piece)
                if size > most:
                    raise WriteError(f"{name or 'the file'} is larger than the {counted(most, 'byte')} that are kept")
                digest.update(piece)
                file.write(piece)
                if len(head) < HEAD_BYTES:
                    head += piece[: HEAD_BYTES - len(head)]
            file.flush()
            os.fsync(file.fileno())
        yield IncomingFile(path, digest.hexdigest(), size, head)
    finally:
        path.unlink(missing_ok=True)


def _fresh_path(folder: Path) -> Path:
    """A name that no other writer takes; the file is created exclusively."""
    return folder / f"{os.getpid()}-{next(_numbers)}-{os.urandom(6).hex()}{LEFT_OVER}"


def sweep(folder: Path) -> int:
    """Remove temporary files that a writer left behind an hour ago or more; gives their number."""
    probe = _fresh_path(folder)
    probe.touch()
    now = probe.stat().st_mtime  # the clock of the disk, by which the others are dated
    probe.unlink()
    old = [path for path in folder.glob(f"*{LEFT_OVER}") if now - _modified(path, now) > OLD_SECONDS]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _modified(path: Path, default: float) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # its writer has just moved it
        return default
