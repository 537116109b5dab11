"""The parts of a workspace together, files, indexes, values, trash and lists, and what is done with a value."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.display.progress import ProgressOption
from ctxlab.documents.stored import Note, Stored
from ctxlab.errors import CtxlabError, ReadError, UnknownName, WriteError
from ctxlab.storage.arrangement import Arrangement
from ctxlab.storage.drafts import FOLDER as DRAFTS
from ctxlab.storage.drafts import Drafts
from ctxlab.storage.file_names import file_stem
from ctxlab.storage.files import Files
from ctxlab.storage.index import Index
from ctxlab.storage.journal import Journal
from ctxlab.storage.kinds import KINDS, SUFFIX, Kind, id_of, kind_of
from ctxlab.storage.revisions import content_digest, revision_of, without_revision
from ctxlab.storage.trash import FOLDER as TRASH
from ctxlab.storage.trash import Trash, TrashEntry
from ctxlab.storage.value_files import OnConflict, ValueFiles, notes_of

V = TypeVar("V", bound=Stored)
HISTORIES = "sessions/history"
ASSETS = "assets"
MOST_NOTES = 200


class Store:
    """Everything that a workspace is made of; `Workspace` is what people use of it."""

    def __init__(self, files: Files, *, who: str | None = None) -> None:
        self.files = files
        self.found_notes: dict[str, Note] = {}
        self._listing_notes: dict[str, list[str]] = {}
        self.journal = Journal(files, who=who or _this_program(), now=now)
        self.trash = Trash(files)
        self.arrangement = Arrangement(files, self.note, self.set_aside)
        self.drafts = Drafts(files)
        self.assets = AssetFolder(files.root / ASSETS) if files.root is not None else None
        self.indexes = {name: Index(files, kind, self.note) for name, kind in KINDS.items()}
        self.values = {
            name: ValueFiles(files, kind, self.indexes[name], set_aside=self.set_aside) for name, kind in KINDS.items()
        }

    def prepare(self, *, create: bool) -> None:
        """Begin a new workspace, or look at one: its version, and what writers that are gone left behind."""
        self.arrangement.read()
        if create:
            with self.errors("be made"):
                self.arrangement.change(lambda data: None)
        folders = [kind.folder for kind in KINDS.values()]
        trashed = (f"{TRASH}/{key}" for key in self.files.folders(TRASH))
        self.files.sweep(["", *folders, HISTORIES, DRAFTS, *trashed])
        if not self.files.can_lock:
            words = "two programs that save one value at the same moment may lose what the first saved"
            self.note(Note("info", f"{self.files.place} has no locks: {words}"))

    # --- values

    def save(self, value: V, *, on_conflict: OnConflict = "raise") -> V:
        """Save a value and give it with its new revision."""
        kind = kind_of(value)
        if not id_of(value):
            id = f"{kind.noun.replace(' ', '-')}-{content_digest(value.to_data())[:10]}"
            value = value.model_copy(update={"id": id})
        with self.errors("be written"):
            saved = self.values[kind.name].save(value, on_conflict=on_conflict)
        if saved.wrote:
            revision = str(revision_of(saved.value) or "")
            self.log("save", kind, id_of(saved.value), revision=revision, detail="; ".join(saved.notes))
        for text in saved.notes:
            self.note(Note("info", text, details={"kind": kind.name, "id": id_of(value)}))
        if saved.copy is not None:
            self.save(without_revision(saved.copy).model_copy(update={"id": self.free_id(kind, id_of(saved.copy))}))
        return saved.value

    def free_id(self, kind: Kind, id: str, taken: Iterable[str] = ()) -> str:
        """The id with the first number that no other value has, and that isn't `taken`."""
        others = {*taken}
        number = 2
        while (free := f"{id}-{number}") in others or self.indexes[kind.name].file_of(free, is_new=True) is not None:
            number += 1
        return free

    def load(self, id: str, kind: str) -> Any:
        """The value of an id; what couldn't be read of it becomes notes."""
        with self.errors("be read", ReadError):
            found = self.values[kind].load(id)
        for note in notes_of(KINDS[kind], found):
            self.note(note)
        return found.value

    def file_of(self, id: str, kind: str) -> str:
        """The name of the file of an id; raises UnknownName, naming what is near."""
        file = self.indexes[kind].file_of(id)
        if file is None:
            self.values[kind].load(id)
            raise UnknownName(f"{self.files.place} has no {KINDS[kind].noun} {id!r}")
        return file

    def rows(self, kind: str, *, progress: ProgressOption = False) -> list[dict[str, Any]]:
        """The rows of a kind as the folder is now; what can't be listed becomes notes."""
        index = self.indexes[kind]
        with self.errors("be listed", ReadError):
            index.refresh(progress=progress)
        paths = {
            KINDS[kind].path(name): f"{problem}; it is left as it is" for name, problem in index.unreadable().items()
        }
        for name, id in index.repeated().items():
            path = KINDS[kind].path(name)
            paths[path] = f"{path} has the id {id!r} of another file and isn't listed"
        for text in self._listing_notes.get(kind, ()):  # what was so at the last listing may be no longer
            self.found_notes.pop(text, None)
        self._listing_notes[kind] = list(paths.values())
        for path, text in paths.items():
            self.note(Note("warning", text, details={"file": path}))
        return list(index.rows())

    # --- trash

    def delete(self, id: str, kind: str) -> TrashEntry:
        """Move a value into the trash with all that belongs to it."""
        held = KINDS[kind]
        with self.errors("be deleted from"):
            file = self.file_of(id, kind)
            row = self.indexes[kind].row(id) or {}
            with self.files.lock(held.path(file)):
                key = self.trash.take(
                    [held.path(file), *self.belongings(id, kind, file)],
                    kind=kind,
                    id=id,
                    name=str(row.get("name", "")),
                    at=now(),
                    why="deleted",
                    place=self.arrangement.places(kind).get(id, {}),
                )
                self.values[kind].forget(file)
                self.indexes[kind].remove(file)
            self.arrangement.forget(kind, id)
        self.log("delete", held, id)
        return next(entry for entry in self.trash.entries() if entry.key == key)

    def belongings(self, id: str, kind: str, file: str) -> list[str]:
        """The paths of what is kept beside a value: earlier versions, and of a session its draft and its history."""
        versions = self.values[kind].version_paths(file)
        return [*versions, self.drafts.path(id), self.history_path(id)] if kind == "sessions" else versions

    def restore(self, entry: TrashEntry) -> Any:
        """Put an entry of the trash back and give its value."""
        with self.errors("be written"):
            with self.files.lock(next(iter(entry.files.values()))):
                self.trash.restore(entry)
            if entry.place:
                self.arrangement.place(entry.kind, entry.id, entry.place)
        self.log("restore", KINDS[entry.kind], entry.id)
        self.indexes[entry.kind].refresh()
        return self.load(entry.id, entry.kind)

    def set_aside(self, path: str, why: str) -> None:
        """Keep a copy of a file in the trash before something else is written to its place."""
        kind = next((name for name, each in KINDS.items() if path.startswith(f"{each.folder}/")), "")
        file = path.rpartition("/")[2]
        rows: Iterable[dict[str, Any]] = self.indexes[kind].rows() if kind else ()
        row = next((row for row in rows if row["file"] == file), {})
        stem = file.removeprefix(KINDS[kind].prefix).removesuffix(SUFFIX) if kind else file
        id, name = str(row.get("id", stem)), str(row.get("name", ""))
        self.trash.take([path], kind=kind, id=id, name=name, at=now(), why=why, copy=True)
        self.note(Note("warning", f"{path} was replaced, since {why}; what it was is in the trash"))

    # --- paths, notes and errors

    def history_path(self, id: str) -> str:
        """The file of a session's undo history."""
        return f"{HISTORIES}/{file_stem(id)}.json"

    def note(self, note: Note) -> None:
        """Keep a note, each text once."""
        if len(self.found_notes) < MOST_NOTES:
            self.found_notes.setdefault(note.text, note)

    def log(self, what: str, kind: Kind | None, id: str = "", *, revision: str = "", detail: str = "") -> None:
        """Add a line to the journal; where that can't be done, a note says so."""
        named = kind.name if kind else ""
        if not self.journal.add(what, kind=named, id=id, revision=revision, detail=detail):
            self.note(Note("info", f"the journal of {self.files.place} isn't kept"))

    @contextmanager
    def errors(self, what: str, kind: type[CtxlabError] = WriteError) -> Generator[None]:
        """An error of the disk in one sentence that names the workspace."""
        try:
            yield
        except OSError as error:
            raise kind(f"{self.files.place} can't {what}: {error.strerror or error}") from error


def now() -> str:
    """The time, in ISO form."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251  (what is saved is saved now)


def _this_program() -> str:
    return f"{Path(sys.argv[0] or 'python').name or 'python'} {os.getpid()}"
