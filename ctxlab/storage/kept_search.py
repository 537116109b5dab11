"""The full-text index of a workspace: beside its files, or where it can't be written in a folder that goes again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast, get_args

from ctxlab.documents import Role, Session
from ctxlab.documents.stored import Note
from ctxlab.errors import Refused, WriteError, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.folder_marks import FolderMarks, marks_of
from ctxlab.storage.kinds import KINDS, kind_named
from ctxlab.storage.search import CatchUp, SearchIndex
from ctxlab.storage.search.index import Key
from ctxlab.storage.store import Store


class WorkspaceSource:
    """Stored values by kind and id, each with a stamp that changes with its file; the files are listed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamps: Mapping[tuple[str, str], str] | None = None

    def stamps(self) -> Mapping[tuple[str, str], str]:
        """The stamps of all values that can be read."""
        if self._stamps is None:
            self._stamps = {(kind, row["id"]): row["stamp"] for kind in KINDS for row in self._store.rows(kind)}
        return self._stamps

    def load(self, kind: str, id: str) -> object:
        """The value of a kind and an id, as its file has it now; a session has its newest message's time for none."""
        value = self._store.load(id, kind)
        if isinstance(value, Session) and not (value.created_at or value.updated_at):
            row = self._store.indexes[kind].row(id)
            return value.model_copy(update={"updated_at": row.get("updatedAt")}) if row else value
        return value


SEARCH = "search.sqlite"


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state in which an index had all that is kept: the marks of the folders, the stamps of values, its own."""

    marks: FolderMarks
    stamps: Mapping[Key, str]
    state: tuple[str, ...]


class KeptSearch:
    """The index of a store, which is opened at the first search."""

    def __init__(self, store: Store) -> None:
        if store.files.root is None:
            place = store.files.place
            raise Refused(f"{place} is no folder, and has no search index: read its library and search that")
        self._store, self._path = store, store.files.root / SEARCH
        self._folders = [store.files.root / kind.folder for kind in KINDS.values()]
        self._index: SearchIndex | None = None
        self._passing: TemporaryDirectory[str] | None = None
        self._seen: _Seen | None = None

    def caught_up(self, progress: Callable[[int, int], None]) -> SearchIndex:
        """The index with all that is kept now; its notes are the store's.

        A search right after another looks at the folders alone, and at each file only where one of them has changed.
        """
        marks = marks_of(self._folders)
        seen = self._seen
        if seen is not None and self._index is not None and seen.marks.still_hold(marks) and self._is_as(seen):
            return self._index
        source = WorkspaceSource(self._store)
        if seen is not None and self._index is not None and source.stamps() == seen.stamps and self._is_as(seen):
            self._seen = replace(seen, marks=marks)
            return self._index
        self._seen = None
        try:
            index, came = self._try(self._path, source, progress)
        except WriteError as problem:
            if self._passing is None:
                self.close()
                self._passing = TemporaryDirectory(ignore_cleanup_errors=True)
                self._path = Path(self._passing.name) / SEARCH
                words = f"the search index is made anew at each opening of {self._store.files.place}: {problem}"
                self._store.note(Note("info", words))
            index, came = self._try(self._path, source, progress)
        index.origin_of = self._origin_of
        for note in (*index.notes, *came.notes):
            self._store.note(note)
        state = index.state()
        if index.stamps() == source.stamps():  # else another wrote meanwhile, or something couldn't be read
            self._seen = _Seen(marks, source.stamps(), state)
        return index

    def _origin_of(self, kind: str, id: str) -> tuple[str, str]:
        place = self._store.arrangement.places(kind).get(id, {})
        program, file = place.get("program"), place.get("file")
        return program if isinstance(program, str) else "", file if isinstance(file, str) else ""

    def _is_as(self, seen: _Seen) -> bool:
        """Whether nobody has written the index since."""
        return self._index is not None and self._index.state() == seen.state

    def _try(
        self, path: Path, source: WorkspaceSource, progress: Callable[[int, int], None]
    ) -> tuple[SearchIndex, CatchUp]:
        index = self._index = self._index or SearchIndex(path)
        return index, index.catch_up(source, progress=progress)

    def close(self) -> None:
        """Close the file, and remove the folder of one that was made for this opening alone."""
        if self._index is not None:
            self._index.close()
            self._index = self._seen = None
        if self._passing is not None:
            self._passing.cleanup()
            self._passing = None


def check_filters(store: Store, filters: Mapping[str, Any]) -> None:
    """Refuse a kind, role, program or session that there is none of, which finds nothing. Raises CtxlabError."""
    for kind in _each(filters.get("kinds")):
        kind_named(kind)
    roles = get_args(Role)
    for role in _each(filters.get("role")):
        if role not in roles:
            raise WrongArgument(f"there is no role {role!r}{did_you_mean(role, roles)}", function="search")
    if programs := _each(filters.get("program")):
        places = store.arrangement.places("sessions").values()
        known = sorted({found for place in places if isinstance(found := place.get("program"), str)})
        for program in programs:
            if program not in known:
                held = f"; there are {', '.join(known)}" if known else "; none was imported"
                raise WrongArgument(f"no session is of the program {program!r}{held}", function="search")
    for id in _each(filters.get("session")):
        store.file_of(id, "sessions")


def _each(names: object) -> Sequence[str]:
    found = (names,) if isinstance(names, str) else names
    return [each for each in cast("Sequence[object]", found or ()) if isinstance(each, str)]
