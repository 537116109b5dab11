"""Whole folders of other programs taken into a workspace, file by file, so that memory holds one file at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from pathlib import Path

from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.errors import ReadError
from ctxlab.formats import read
from ctxlab.formats.files.attached import Files as AttachedFiles
from ctxlab.formats.files.paths import folder_of
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.folder import NEVER_READ, reason_left_out
from ctxlab.formats.results import Import, Loss, Losses
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.take_in import MOST_LOSSES, Added

LARGEST_BYTES = 2_000_000_000
"""Of one file."""
DEEPEST = 24
"""Folders below the one that is read: programs nest theirs, a few levels."""
LINK = "left out; it is a link, and links are not followed"
TOO_DEEP = f"left out; it is more than {DEEPEST} folders deep"
DOCUMENT = "left out; it is a document: ctxlab.knowledge_base keeps its text as knowledge"
DOCUMENTS = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".md", ".markdown", ".txt", ".html", ".htm", ".csv"})
NOT_READ = frozenset(
    {".js", ".css", ".html", ".map", ".lock", ".log", ".exe", ".dll", ".so", ".ttf", ".woff", ".woff2", ".mp3", ".mp4"}
)
"""Endings of files that hold no values, of which data folders have many."""


@dataclass(slots=True)
class ImportFiles:
    """The files of some paths, each read and handed over; `losses` name those that can't be read, before all others.

    Files that messages and agents name came along with them, and are no losses.
    """

    paths: Iterable[Path]
    take: Callable[[Import], Added]
    progress: ProgressOption = False
    losses: list[Loss] = field(default_factory=list[Loss])
    attached: set[str] = field(default_factory=set[str])

    def run(self) -> Added:
        """Read all files and take in what is in them. Raises ReadError for a path that isn't there."""
        total = Added()
        files = [each for path in self.paths for each in self._files(path)]
        with WorkProgress("files", len(files), self.progress) as shown:
            for top, path in files:
                found = self._read(top, path)
                if found is not None:
                    total += self.take(found)
                shown.advance(1)
        own = [loss for loss in self.losses if loss.place not in self.attached]
        losses = Losses((*own, *total.losses)[:MOST_LOSSES])
        return replace(total, lost=total.lost + len(own), losses=losses)

    def _read(self, top: Path, path: Path) -> Import | None:
        place = path.relative_to(top).as_posix() if path != top else path.name
        try:
            found = read(path)
            if path != top:
                attached = AttachedFiles(FolderShelf(top, deep=True))
                found = attached.along_with(found, folder_of(place))
                self.attached.update(attached.taken)
        except ReadError as error:
            is_document = path.suffix.lower() in DOCUMENTS
            self._lose(place, DOCUMENT if is_document else reason_left_out(error, str(path)))
            return None
        except OSError as error:
            self._lose(place, f"can't be read: {error.strerror or error}")
            return None
        count = len(found.sessions)
        return replace(
            found,
            losses=Losses(loss.inside(place) for loss in found.losses),
            session_files=(place,) * count,
            session_programs=(found.format,) * count,
        )

    def _files(self, path: Path) -> Iterator[tuple[Path, Path]]:
        """The files at a path, each with the folder that it was found from; a file is its own."""
        if not path.exists():
            raise ReadError(f"{path} does not exist")
        if not path.is_dir():
            yield path, path
            return
        for each in self._below(path):
            if each.suffix.lower() in NOT_READ:
                continue
            if each.stat().st_size > LARGEST_BYTES:
                self._lose(each.relative_to(path).as_posix(), f"left out; it has more than {LARGEST_BYTES:,} bytes")
            else:
                yield path, each

    def _below(self, top: Path) -> Iterator[Path]:
        for at, folders, names in os.walk(top):
            here = Path(at)
            deep = len(here.relative_to(top).parts) >= DEEPEST
            shown = sorted(each for each in folders if not each.startswith(".") and each not in NEVER_READ)
            folders[:] = [] if deep else [each for each in shown if not (here / each).is_symlink()]
            for each in shown:
                if (here / each).is_symlink():
                    self._lose((here / each).relative_to(top).as_posix(), LINK)
                elif deep:
                    self._lose((here / each).relative_to(top).as_posix(), TOO_DEEP)
            for path in (here / name for name in sorted(names) if not name.startswith(".")):
                if path.is_symlink():
                    self._lose(path.relative_to(top).as_posix(), LINK)
                elif not path.is_file():
                    self._lose(path.relative_to(top).as_posix(), "left out; it is not a regular file")
                else:
                    yield path

    def _lose(self, place: str, text: str) -> None:
        self.losses.append(Loss(place, text))
