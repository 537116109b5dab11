"""The files of a workspace at an address that fsspec knows: object storage, other machines, memory.

Object stores write an object whole or not at all, and have no locks: two programs that save one value at the same
moment may lose what the first saved. All else is as in a folder.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any, cast

from ctxlab.errors import MissingExtra, ReadError
from ctxlab.storage.files import MOST_BYTES

STAMPED = ("ETag", "etag", "md5", "checksum", "LastModified", "mtime", "updated", "created", "size")
"""Fields of which some change with an object, by the names that the backends of fsspec have for them."""
TIMES = ("LastModified", "mtime", "updated", "created")


class FsspecFiles:
    """The files below an address such as `s3://bucket/name`."""

    can_lock = False
    root: Path | None = None

    def __init__(self, address: str) -> None:
        try:
            fsspec: Any = importlib.import_module("fsspec")
        except ModuleNotFoundError as missing:
            raise MissingExtra(
                f"{address} needs fsspec, which isn't installed: pip install 'ctxlab[remote]'"
            ) from missing
        try:
            self._system, path = fsspec.core.url_to_fs(address)
        except (ValueError, ImportError) as error:
            raise ReadError(f"{address} is no address that can be opened: {error}") from error
        self.place = address
        self._root = str(path).rstrip("/")
        self._lock = RLock()
        self._times: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"FsspecFiles({self.place!r})"

    def read(self, path: str) -> bytes:
        """All bytes of an object."""
        where = self._at(path)
        with self._plain_errors():
            if (size := self._system.info(where).get("size") or 0) > MOST_BYTES:
                raise OSError(f"{path} has {size:,} bytes; up to {MOST_BYTES:,} are read")
            return self._system.cat_file(where)

    def write_whole(self, path: str, data: bytes, *, lasting: bool = True) -> str:
        """Write an object and give its stamp."""
        del lasting  # a store that has an object has it for good
        where = self._at(path)
        with self._plain_errors():
            self._system.makedirs(where.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(where, data)
        return self.stamp(path) or ""

    def append(self, path: str, data: bytes) -> bool:
        """False: objects can't be added to."""
        del path, data
        return False

    def delete(self, path: str) -> None:
        """Remove an object; one that isn't there is no error."""
        with self._plain_errors(), suppress(FileNotFoundError):
            self._system.rm_file(self._at(path))

    def move(self, path: str, to: str) -> None:
        """Copy an object and remove it."""
        self.copy(path, to)
        self.delete(path)

    def copy(self, path: str, to: str) -> None:
        """Keep the content of an object under another path as well."""
        self.write_whole(to, self.read(path))

    def stamp(self, path: str) -> str | None:
        """The stamp of an object; None where it isn't there."""
        with self._plain_errors():
            try:
                self._system.invalidate_cache()
                return self._stamp(self._system.info(self._at(path)))
            except FileNotFoundError:
                return None

    def modified(self, stamp: str) -> str | None:
        """The time that the store had for this stamp, if it was seen."""
        return self._times.get(stamp)

    def list(self, folder: str) -> Mapping[str, str]:
        """The stamps of the objects in a folder by name."""
        return {name: self._stamp(about) for name, about in self._entries(folder) if about.get("type") == "file"}

    def folders(self, folder: str) -> Iterable[str]:
        """The names of the folders in a folder."""
        return sorted(name for name, about in self._entries(folder) if about.get("type") == "directory")

    def remove_folder(self, folder: str) -> None:
        """Remove a folder where the store has such things."""
        with suppress(OSError):
            self._system.rmdir(self._at(folder))

    @contextmanager
    def lock(self, name: str) -> Generator[None]:
        """Keep other threads of this process out; other processes aren't."""
        del name
        with self._lock:
            yield

    def sweep(self, folders: Iterable[str]) -> int:
        """0: a store keeps no half of an object."""
        del folders
        return 0

    def _entries(self, folder: str) -> Iterable[tuple[str, dict[str, Any]]]:
        with self._plain_errors():
            try:
                self._system.invalidate_cache()
                found = cast("list[dict[str, Any]]", self._system.ls(self._at(folder), detail=True))
            except FileNotFoundError:
                return
        for about in found:
            name = str(about["name"]).rstrip("/").rpartition("/")[2]
            if name and not name.startswith("."):
                yield name, about

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    def _stamp(self, about: Mapping[str, Any]) -> str:
        known = [f"{name}={about[name]}" for name in STAMPED if about.get(name) is not None]
        stamp = blake2b("\n".join(known).encode(), digest_size=10).hexdigest()
        time = next((about[name] for name in TIMES if isinstance(about.get(name), datetime)), None)
        if time is not None:
            self._times[stamp] = time.isoformat(timespec="milliseconds")
        return stamp

    @contextmanager
    def _plain_errors(self) -> Generator[None]:
        """Errors of a backend, which are of any class, as OSError. Their texts may name keys, so only the class is."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            raise OSError(f"the store answered with {type(error).__name__}") from None
