"""The files of a workspace: read, written whole, listed with stamps, locked. `LocalFiles` are those of a folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from ctxlab.documents.atomic_file import replace_file, sweep_left_overs, sync_folder
from ctxlab.errors import WriteError

LOCKS = ".locks"
STRIPES = 64
"""Lock files, which values share by their names, so that a folder of 10,000 sessions has no 10,000 lock files."""
LOCK_SECONDS = 60.0
MOST_BYTES = 512_000_000
"""Of a file that is read."""


class Files(Protocol):
    """Files by their path inside a workspace, with `/` between its parts.

    A stamp is a text that changes with the file. `read` raises FileNotFoundError, all else OSError or WriteError.
    """

    place: str
    """The folder or the address, as people know it."""
    can_lock: bool
    """Whether `lock` keeps other processes out."""
    root: Path | None
    """The folder, where the files are in one."""

    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        ...

    def write_whole(self, path: str, data: bytes, *, lasting: bool = True) -> str:
        """Replace a file whole or not at all, and give its stamp; a `lasting` one survives a power cut."""
        ...

    def append(self, path: str, data: bytes) -> bool:
        """Add bytes at the end of a file; False where that can't be done."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file; one that isn't there is no error."""
        ...

    def move(self, path: str, to: str) -> None:
        """Give a file another path."""
        ...

    def copy(self, path: str, to: str) -> None:
        """Keep the present content of a file under another path as well."""
        ...

    def stamp(self, path: str) -> str | None:
        """The stamp of a file; None where it isn't there."""
        ...

    def modified(self, stamp: str) -> str | None:
        """The time in a stamp, in ISO form; None where it has none."""
        ...

    def list(self, folder: str) -> Mapping[str, str]:
        """The stamps of the files in a folder, by name, without those that begin with a dot; empty without folder."""
        ...

    def folders(self, folder: str) -> Iterable[str]:
        """The names of the folders in a folder."""
        ...

    def remove_folder(self, folder: str) -> None:
        """Remove a folder that is empty; any other stays."""
        ...

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Hold what has this name alone, among all processes where `can_lock`."""
        ...

    def sweep(self, folders: Iterable[str]) -> int:
        """Remove what writers that are gone left behind; gives the number of files."""
        ...


class LocalFiles:
    """The files of a folder on this machine. Links in it are passed over, so that nothing outside is read."""

    can_lock = True

    def __init__(self, folder: Path) -> None:
        self.root: Path | None = folder
        self.place = str(folder)
        self._root = folder

    def __repr__(self) -> str:
        return f"LocalFiles({self.place!r})"

    def read(self, path: str) -> bytes:
        file = self._root / path
        if file.is_symlink():
            raise OSError(f"{path} is a link, and links are not followed")
        if file.stat().st_size > MOST_BYTES:
            raise OSError(f"{path} is larger than the {MOST_BYTES:,} bytes that are read")
        return file.read_bytes()

    def write_whole(self, path: str, data: bytes, *, lasting: bool = True) -> str:
        target = self._root / path
        self._make_folder(target.parent)
        replace_file(target, data, sync="folder" if lasting else "none")
        return _stamp(target.lstat())

    def append(self, path: str, data: bytes) -> bool:
        target = self._root / path
        self._make_folder(target.parent)
        handle = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, data)  # one call: lines of several processes don't mix
        finally:
            os.close(handle)
        return True

    def delete(self, path: str) -> None:
        (self._root / path).unlink(missing_ok=True)

    def move(self, path: str, to: str) -> None:
        source, target = self._root / path, self._root / to
        self._make_folder(target.parent)
        source.replace(target)
        sync_folder(target.parent)
        sync_folder(source.parent)

    def copy(self, path: str, to: str) -> None:
        source, target = self._root / path, self._root / to
        self._make_folder(target.parent)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)  # files are replaced and never changed, so a second name costs nothing
        except (OSError, AttributeError):
            shutil.copyfile(source, target)

    def stamp(self, path: str) -> str | None:
        try:
            return _stamp((self._root / path).lstat())
        except FileNotFoundError:
            return None

    def modified(self, stamp: str) -> str | None:
        from datetime import UTC, datetime

        nanoseconds = int(stamp.partition("-")[0], 16)
        return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat(timespec="milliseconds")

    def list(self, folder: str) -> Mapping[str, str]:
        try:
            with os.scandir(self._root / folder) as entries:
                return {
                    entry.name: _stamp(entry.stat(follow_symlinks=False))
                    for entry in entries
                    if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)
                }
        except FileNotFoundError:
            return {}

    def folders(self, folder: str) -> Iterable[str]:
        try:
            with os.scandir(self._root / folder) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return ()

    def remove_folder(self, folder: str) -> None:
        with suppress(OSError):
            (self._root / folder).rmdir()

    @contextmanager
    def lock(self, name: str) -> Generator[None]:
        from filelock import FileLock, Timeout

        from ctxlab.storage.file_names import stripe

        place = self._root / LOCKS
        self._make_folder(place)
        try:
            held = FileLock(place / f"{stripe(name, STRIPES):02x}.lock", timeout=LOCK_SECONDS)
            held.acquire()
        except Timeout:
            raise WriteError(
                f"{self.place} is being written by another program for {LOCK_SECONDS:g} s: try again when it is done"
            ) from None
        try:
            yield
        finally:
            held.release()

    def sweep(self, folders: Iterable[str]) -> int:
        found = [self._root / folder for folder in folders]
        with suppress(OSError):
            return sum(sweep_left_overs(folder) for folder in found if folder.is_dir())
        return 0

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)


def _stamp(about: os.stat_result) -> str:
    """Time, size and number of a file, of which one changes with every write; the time of the change tells copies."""
    return f"{about.st_mtime_ns:x}-{about.st_ctime_ns:x}-{about.st_size:x}-{about.st_ino:x}"
