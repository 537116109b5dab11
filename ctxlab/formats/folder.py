"""Everything readable in a folder: as one Import, or its conversations file by file."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, fields, replace
from functools import reduce
from pathlib import Path

from ctxlab.display.short_texts import counted
from ctxlab.documents import Library, Session
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.paths import folder_of
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.results import Import, Loss, SessionOrigin
from ctxlab.lazy_dataclass import dataclass

DEEPEST = 8
"""Folders below the one that is read."""
LARGEST_BYTES = 256_000_000
"""Of one file; the largest collection of conversations in one file that the tests read has 54 MB."""
MOST_BYTES = 1_000_000_000
"""Of all files that may hold text and are held at once: as values they take some four times as much."""
HEAD_BYTES = 1_024
"""Bytes of a file in which a picture, a sound or a film has a zero, and no text has one."""
UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)
"""Beginnings of texts in which there are zeros."""
NEVER_READ = frozenset({"node_modules", "__pycache__"})
"""Folders of programs, which hold thousands of JSON files and no conversation. Hidden ones are left out too."""
NAMED = 3
"""Files that a sentence names."""

ReadFile = Callable[[Path, str], Import]
ReadBeside = Callable[[Path, str], Import | None]
"""Gives all that a file at a path, of a name, holds beside conversations; None where it holds conversations alone."""


def read_folder(folder: Path, name: str, read: ReadFile) -> Import:
    """Everything readable in a folder and those in it; `read` gives what a file at a path, of a name, holds.

    A folder's files come before those of the folders in it, each by name. Hidden files and folders are left out, links
    are not followed. Files that sessions and agents name come along. What can't be read, and what is too large or too
    deep, is named in `losses`. Raises ReadError when nothing can be read, and when it is more than is held at once.
    """
    files = FilesOfFolder(folder)
    paths = tuple(files)
    refuse_too_much(folder, name, paths)
    attached = Files(FolderShelf(folder, deep=True))
    found: list[Import] = []
    read_from: list[str] = []
    for path in paths:
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


def refuse_too_much(folder: Path, name: str, files: Sequence[Path]) -> None:
    """Raise ReadError where the files are more than is held at once, naming what reads them one by one."""
    texts = _texts(files)
    size = sum(map(_size, texts))
    if size > MOST_BYTES:
        first = texts[0].relative_to(folder).as_posix()
        raise ReadError(
            f"{name} holds {size / 1e9:,.1f} GB in {counted(len(texts), 'file')}, more than the "
            f"{MOST_BYTES / 1e9:,.1f} GB that are held at once; survey, study, branches and check read a folder file "
            f"by file; for one conversation name its file, such as {folder / first}"
        )


def is_too_much(folder: Path) -> bool:
    """Whether the files of a folder are more than is held at once."""
    return sum(map(_size, _texts(tuple(FilesOfFolder(folder))))) > MOST_BYTES


def _texts(files: Sequence[Path]) -> Sequence[Path]:
    """The files that may hold text, where it matters which these are."""
    too_much = sum(map(_size, files)) > MOST_BYTES
    return [path for path in files if _may_be_text(path)] if too_much else files


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone since
        return 0


def _may_be_text(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return b"\0" not in head or head.startswith(UTF_16)


@dataclass(slots=True, eq=False)
class FolderParts:
    """The conversations of a folder, read file by file each time they are asked for, and what lies beside them.

    `beside` is everything but conversations in files of which not all is theirs: cards, books, presets, rules. It is
    for all conversations; what a list of messages brings, such as its system prompt, is for its own alone. `files` are
    the paths of those that hold conversations, from the folder on. `left_out` are the files that hold nothing that is
    read, each with its reason. A file that goes along with a message is known once that was read.
    """

    folder: Path
    name: str
    read: ReadFile = field(repr=False)
    files: tuple[str, ...] = ()
    beside: Import = field(default_factory=Import)
    left_out: tuple[Loss, ...] = ()
    again: set[str] = field(default_factory=set[str], repr=False)
    """Conversations that were met in an earlier file already, each by its file and its id."""
    _attached: Files = field(init=False, repr=False)
    _beside: Library = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._attached = Files(FolderShelf(self.folder, deep=True))
        self._beside = Library()

    @classmethod
    def of(
        cls,
        folder: Path,
        name: str,
        read: ReadFile,
        beside: ReadBeside,
        step: Callable[[float], object] = lambda share: None,
    ) -> FolderParts:
        """The parts of a folder, whose files are looked at once; `step` is told the share of bytes that is done."""
        found = cls(folder, name, read)
        files = FilesOfFolder(folder)
        paths = tuple(files)
        whole, done = sum(map(_size, paths)) or 1, 0
        places: list[str] = []
        others: list[Import] = []
        for path in paths:
            place = path.relative_to(folder).as_posix()
            try:
                part = beside(path, place)
                if part is None or part.sessions:
                    places.append(place)
                if part is not None:
                    kept = found._attached.along_with(replace(part, sessions=()), folder_of(place))
                    others.append(replace(kept, losses=tuple(loss.inside(place) for loss in kept.losses)))
            except ReadError as error:
                files.losses.append(Loss(place, reason_left_out(error, place)))
            done += _size(path)
            step(done / whole)
        found.files, found.left_out = tuple(places), tuple(files.losses)
        found.beside = _joined(others) if others else found.beside
        found._beside = Library(**{each.name: getattr(found.beside, each.name) for each in fields(Library)})
        return found

    def __len__(self) -> int:
        """The number of files that hold conversations."""
        return len(self.files)

    def __iter__(self) -> Iterator[tuple[str, Import | ReadError]]:
        """Each file that holds conversations, by its path, with everything in it, or with why it can't be read.

        A conversation that stands in several files is given with the first.
        """
        met: dict[int, str] = {}
        for place in self.files:
            try:
                part = self._attached.of_another().along_with(self.read(self.folder / place, place), folder_of(place))
            except ReadError as error:
                yield place, error
                continue
            new = tuple([each for each in part.sessions if met.setdefault(_fingerprint(each), place) == place])
            if len(new) < len(part.sessions):
                kept = set(map(id, new))
                self.again |= {f"{place}, {each.id}" for each in part.sessions if id(each) not in kept}
                part = replace(part, sessions=new)
            yield place, replace(part, losses=tuple(loss.inside(place) for loss in part.losses), source=self.name)

    def for_sessions(self, part: Library) -> Library:
        """All that is at hand for the conversations of a part of the folder, without them: `beside` and its own."""
        own = {each.name: getattr(part, each.name) for each in fields(Library) if each.name != "sessions"}
        if not any(own.values()):
            return self._beside
        of_sessions = part.agents_of_sessions if isinstance(part, Import) else frozenset[str]()
        return self._beside | Import(**own, agents_of_sessions=of_sessions)

    def left_out_sentences(self) -> tuple[str, ...]:
        """Sentences on files that hold nothing that is read, and on conversations that were met again.

        A file that went along with a message which was read is none of them.
        """
        losses = [loss for loss in self.left_out if loss.place not in self._attached.seen]
        again = f"{counted(len(self.again), 'conversation')} of {self.name}: in an earlier file too, taken once"
        return (
            *((_left_out_sentence(self.name, losses),) if losses else ()),
            *((again,) if self.again else ()),
        )

    def refusal(self) -> str:
        """The sentence on a folder in which there is no conversation."""
        if self.beside.counts():
            return f"{self.name} holds no conversation, only {' and '.join(self.beside.counts())}"
        return _nothing_read(self.name, self.left_out)


def _left_out_sentence(name: str, losses: Sequence[Loss]) -> str:
    """A sentence on the files of a folder that are left out, with the reasons of the first."""
    first = "; ".join([f"{loss.place} ({loss.text.removeprefix('left out; ')})" for loss in losses[:NAMED]])
    more = f" and {len(losses) - NAMED:,} more" if len(losses) > NAMED else ""
    holds = "holds" if len(losses) == 1 else "hold"
    return f"{counted(len(losses), 'file')} of {name} {holds} nothing that is read: {first}{more}"


def _fingerprint(session: Session) -> int:
    """A number that conversations with the same messages under the same ids have in common, in one process."""
    nodes = tuple([(id, node.parent_id, node.role, node.content) for id, node in session.nodes.items()])
    return hash((session.id, session.name, nodes))


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
        for path in self._regular_files():
            size = _size(path)
            if size > LARGEST_BYTES:
                self._lose(path, f"left out; {size / 1e6:,.0f} MB are too many for a folder's reading; name it itself")
            else:
                yield path

    def _regular_files(self) -> Iterator[Path]:
        for at, folders, files in os.walk(self.folder, onerror=self._unreadable):
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
