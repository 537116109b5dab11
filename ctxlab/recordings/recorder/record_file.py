"""A file of recordings that only grows: whole lines under a lock, on the disk before the next ones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ctxlab.errors import WriteError
from ctxlab.recordings.recorder.record_lines import KIND, VERSION, line

LOCK_SECONDS = 30.0
FIRST = b'{"type":"recording"'
IDENTIFIED = (b'{"type":"message"', b'{"type":"part"', b'{"type":"head"')


class RecordFile:
    """Adds lines to a recording, which may be there already and which other processes may be adding to as well.

    `known` are the ids of the messages, parts and heads in it. A line that a crash has torn is ended, so that the next
    ones stand for themselves. Raises WriteError for a folder, a file of another kind and a place that can't be written.
    """

    def __init__(self, path: str | os.PathLike[str], *, about: dict[str, Any]) -> None:
        from filelock import FileLock

        self.path = Path(path).expanduser().absolute()
        self.known: set[str] = set()
        self._lock = FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS)
        if self.path.is_dir():
            raise WriteError(f"{path} is a folder; give a file name inside it")
        if not self.path.parent.is_dir():
            raise WriteError(f"{path} can't be written: there is no folder {self.path.parent}")
        if self.path.is_file():
            self._look_at(path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self.append([line({"type": "recording", "kind": KIND, "version": VERSION, **about})])
        except OSError as error:
            raise WriteError(f"{path} can't be written: {error.strerror or error}") from error

    def append(self, lines: Iterable[bytes]) -> None:
        """Add whole lines; when this returns they are on the disk. Raises OSError where they can't be."""
        data = b"".join(lines)
        if not data:
            return
        with self._lock:
            size = os.fstat(self._file).st_size
            os.lseek(self._file, max(size - 1, 0), os.SEEK_SET)
            if size and os.read(self._file, 1) != b"\n":
                data = b"\n" + data
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _look_at(self, named: str | os.PathLike[str]) -> None:
        try:
            with self.path.open("rb") as lines:
                first = True
                for each in lines:
                    if first and not each.startswith(FIRST):
                        raise WriteError(f"{named} is no recording of ctxlab and stays as it is; give another file")
                    if first and json.loads(each).get("version") != VERSION:
                        raise WriteError(f"{named} is a recording of another version; give another file")
                    first = False
                    if each.startswith(IDENTIFIED):
                        self._know(each)
        except ValueError as error:
            raise WriteError(f"{named} begins with a broken line; give another file") from error
        except OSError as error:
            raise WriteError(f"{named} can't be read: {error.strerror or error}") from error

    def _know(self, written: bytes) -> None:
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):  # torn by a crash: it is written again
            return
        if isinstance(found.get("id"), str):
            self.known.add(found["id"])
