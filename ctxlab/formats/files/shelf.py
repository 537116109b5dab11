"""Places from which files are taken: a folder, and a zip archive. Neither gives what lies outside it."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from ctxlab.assets.zip_members import member_bytes
from ctxlab.formats.files.paths import is_hidden, is_inside
from ctxlab.lazy_dataclass import dataclass

MOST_LISTED = 50_000
"""Names of files that are looked through to find one by its id."""


class Shelf(Protocol):
    """Files by their path below the top."""

    def size_of(self, path: str) -> int | None:
        """Bytes of a file; None where there is none."""
        ...

    def is_link(self, path: str) -> bool:
        """Whether a path is a link or leads through one, which isn't followed."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises OSError or one of BROKEN_ZIP."""
        ...

    def names(self) -> Sequence[str]:
        """The paths of the files, as many as are listed."""
        ...


@dataclass(frozen=True, slots=True)
class FolderShelf:
    """The files of a folder; links and hidden files are none of it. `deep` says whether names are those below, too."""

    folder: Path
    deep: bool = False

    def size_of(self, path: str) -> int | None:
        if not is_inside(path) or is_hidden(path):
            return None
        at = self.folder
        try:
            for part in path.split("/"):
                at = at / part
                if at.is_symlink():
                    return None
            return at.stat().st_size if at.is_file() else None
        except OSError:  # a name that this system can't have, or that may not be looked at
            return None

    def is_link(self, path: str) -> bool:
        if not is_inside(path) or is_hidden(path):
            return False
        parts = path.split("/")
        try:
            return any(self.folder.joinpath(*parts[:n]).is_symlink() for n in range(1, len(parts) + 1))
        except OSError:
            return False

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def names(self) -> Sequence[str]:
        found: list[str] = []
        for at, folders, files in os.walk(self.folder):
            folders[:] = sorted(each for each in folders if not each.startswith(".")) if self.deep else []
            here = Path(at).relative_to(self.folder).as_posix()
            found += [each if here == "." else f"{here}/{each}" for each in sorted(files)]
            if len(found) > MOST_LISTED:
                break
        return [name for name in found[:MOST_LISTED] if not is_hidden(name)]


@dataclass(frozen=True, slots=True)
class ZipShelf:
    """The files of an open archive; what is locked, or packed otherwise than by deflate, is named and not given."""

    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo] = field(default_factory=dict[str, zipfile.ZipInfo])

    def __post_init__(self) -> None:
        named = ((entry.filename, entry) for entry in self.archive.infolist())
        self.entries.update((name, entry) for name, entry in named if is_inside(name) and not is_hidden(name))

    def size_of(self, path: str) -> int | None:
        entry = self.entries.get(path)
        return None if entry is None else entry.file_size

    def is_link(self, path: str) -> bool:
        return path in self.entries and stat.S_ISLNK(self.entries[path].external_attr >> 16)

    def read(self, path: str) -> bytes:
        entry = self.entries[path]
        if (reason := why_not_unpacked(entry)) is not None:
            raise zipfile.BadZipFile(reason)
        return member_bytes(self.archive, entry)

    def names(self) -> Sequence[str]:
        return list(self.entries)[:MOST_LISTED]


def why_not_unpacked(entry: zipfile.ZipInfo) -> str | None:
    """Why a member isn't read; None where it is. Other ways of packing than deflate have no limit to what they give."""
    if entry.flag_bits & 1:
        return "it is locked with a password"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is packed in another way than deflate"
    return None


def by_id(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Ids that a name may begin with, each with the name: `file-abc` and `file-abc-map` of `file-abc-map.png`."""
    for name in names:
        last = name.rpartition("/")[2]
        yield last, name
        for at, letter in enumerate(last[:200]):
            if letter in "-.":
                yield last[:at], name
