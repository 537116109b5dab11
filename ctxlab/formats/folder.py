"""Everything readable in a folder as one Import."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from ctxlab.display.short_texts import counted
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.paths import folder_of
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.results import Import, Loss, SessionOrigin

MOST_FILES = 2_000
MOST_FOLDERS = 2_000
DEEPEST = 8
"""Folders below the one that is read."""
LARGEST_BYTES = 256_000_000
"""Of one file; the largest collection of conversations in one file that the tests read has 54 MB."""
MOST_BYTES = 1_000_000_000
"""Of all files together."""
NEVER_READ = frozenset({"node_modules", "__pycache__"})
"""Folders of programs, which hold thousands of JSON files and no conversation. Hidden ones are left out too."""

ReadFile = Callable[[Path, str], Import]


def read_folder(folder: Path, name: str, read: ReadFile) -> Import:
    """Everything readable in a folder and those in it; `read` gives what a file at a path, of a name, holds.

    A folder's files come before those of the folders in it, each by name. Hidden files and folders are left out, links
    are not followed. Files that sessions and agents name come along. What can't be read, and what is over the limits
    above, is named in `losses`. Raises ReadError when nothing can be read.
    """
    files = FilesOfFolder(folder)
    attached = Files(FolderShelf(folder, deep=True))
    found: list[Import] = []
    read_from: list[str] = []
    for path in files:
        place = path.relative_to(folder).as_posix()
        try:
            part = attached.along_with(read(path, place), folder_of(place))
        except ReadError as error:
            files.losses.append(Loss(place, reason_left_out(error, place)))
            continue
        found.append(replace(part, losses=tuple(loss.inside(place) for loss in part.losses), source=name))
        read_from.append(place)
    if not found:
        raise ReadError(_nothing_read(name, files.losses))
    whole = _joined(found)
    origins = {
        id(session): SessionOrigin(part.format, place)
        for place, part in zip(read_from, found, strict=True)
        for session in part.sessions
    }
    of_sessions = [origins.get(id(session), SessionOrigin()) for session in whole.sessions]
    losses = (*whole.losses, *(loss for loss in files.losses if loss.place not in attached.taken))
    return replace(
        whole,
        losses=losses,
        source=name,
        session_files=tuple([origin.file for origin in of_sessions]),
        session_programs=tuple([origin.program for origin in of_sessions]),
    )


def _joined(parts: Sequence[Import]) -> Import:
    """The parts as one, joined in halves: one after the other would compare every value with every file."""
    if len(parts) <= 2:
        return reduce(lambda one, other: one | other, parts)
    half = len(parts) // 2
    return _joined(parts[:half]) | _joined(parts[half:])


@dataclass(slots=True)
class FilesOfFolder:
    """The files of a folder that are read; `losses` name the others as they are met."""

    folder: Path
    losses: list[Loss] = field(default_factory=list[Loss])

    def __iter__(self) -> Iterator[Path]:
        read = size = 0
        for path in self._regular_files():
            if read >= MOST_FILES:
                self.losses.append(Loss("", f"only the first {MOST_FILES:,} files are read; name a smaller folder"))
                return
            bytes_there = path.stat().st_size
            if bytes_there > LARGEST_BYTES or size + bytes_there > MOST_BYTES:
                limit = f"{bytes_there / 1e6:,.0f} MB are too many for a folder's reading; name the file itself"
                self.losses.append(Loss(path.relative_to(self.folder).as_posix(), f"left out; {limit}"))
                continue
            read, size = read + 1, size + bytes_there
            yield path

    def _regular_files(self) -> Iterator[Path]:
        for number, (at, folders, files) in enumerate(os.walk(self.folder, onerror=self._unreadable)):
            if number >= MOST_FOLDERS:
                self.losses.append(Loss("", f"only the first {MOST_FOLDERS:,} folders are read; name a smaller one"))
                return
            here = Path(at)
            shown = sorted(each for each in folders if not each.startswith(".") and each not in NEVER_READ)
            deep = len(here.relative_to(self.folder).parts) >= DEEPEST
            for each in shown:
                if (here / each).is_symlink():
                    self._lose(here / each, "left out; it is a link, and links are not followed")
                elif deep:
                    self._lose(here / each, f"left out; it is more than {DEEPEST} folders deep")
            folders[:] = [] if deep else [each for each in shown if not (here / each).is_symlink()]
            for each in sorted(each for each in files if not each.startswith(".")):
                path = here / each
                if path.is_symlink():
                    self._lose(path, "left out; it is a link, and links are not followed")
                elif not path.is_file():
                    self._lose(path, "left out; it is not a regular file")
                else:
                    yield path

    def _unreadable(self, error: OSError) -> None:
        self._lose(Path(error.filename), f"can't be read: {error.strerror}")

    def _lose(self, path: Path, text: str) -> None:
        self.losses.append(Loss(path.relative_to(self.folder).as_posix(), text))


def reason_left_out(error: ReadError, place: str) -> str:
    """The reason why a file is left out, without its name, which is the loss's place."""
    if isinstance(error, UnknownFormat):
        return "left out; it is in no format that ctxlab reads"
    text = str(error)
    if at := re.match(r"(\d+):(\d+): (.+)", text.removeprefix(f"{place}:"), re.DOTALL):
        line, column, what = at.groups()
        return f"left out; it is no JSON: {what}, line {line}, column {column}"
    return f"left out; it{text.removeprefix(place)}" if text.startswith(f"{place} ") else f"left out; {text}"


def _nothing_read(name: str, losses: Sequence[Loss]) -> str:
    if not losses:
        return f"{name} is a folder without a file that is read; hidden ones are left out"
    first = "; ".join(map(str, losses[:3]))
    more = f" and {counted(len(losses) - 3, 'more', 'more')}" if len(losses) > 3 else ""
    return f"{name} is a folder in which nothing can be read: {first}{more}"
