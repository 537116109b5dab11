"""A workspace: sessions, agents, users, books and all else, kept in a folder or at an address."""

from __future__ import annotations

import os
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.display.short_texts import counted
from ctxlab.documents import History, Library, Session
from ctxlab.documents.moments import moment_of
from ctxlab.documents.stored import Note, Stored, as_json, from_json
from ctxlab.errors import CtxlabError, ReadError, Refused, UnknownName
from ctxlab.storage.arrangement import PATH as ARRANGEMENT
from ctxlab.storage.backup import Restored, restore_backup, write_backup
from ctxlab.storage.drafts import Drafts
from ctxlab.storage.files import Files, LocalFiles
from ctxlab.storage.health import problems, repaired
from ctxlab.storage.import_files import ImportFiles
from ctxlab.storage.journal import JournalEntries
from ctxlab.storage.kinds import KINDS, KindName
from ctxlab.storage.rows import Rows, SessionRow, ValueRow, session_row, value_row
from ctxlab.storage.store import Store
from ctxlab.storage.take_in import Added, LibraryTaker, OnDuplicate
from ctxlab.storage.trash import TrashEntries, TrashEntry
from ctxlab.storage.value_files import OnConflict

if TYPE_CHECKING:
    from ctxlab.storage.kept_search import KeptSearch
    from ctxlab.storage.search import SearchResult

V = TypeVar("V", bound=Stored)
Order = Literal["updated", "created", "name", "messages", "tokens"]


class Workspace:
    """Values kept as files: each is written whole or not at all, and what several programs write is never lost.

    `save` gives the value back with its new revision: that one is to go on with. What others have saved meanwhile is
    refused with ChangedMeanwhile, or merged with `on_conflict="merge"`. `notes` says what was amiss on the way.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._search: KeptSearch | None = None

    def __repr__(self) -> str:
        return f"Workspace({self.place!r})"

    def _repr_html_(self) -> str:
        counts = [(kind.nouns[1], len(self._store.rows(name))) for name, kind in KINDS.items()]
        return heading(self) + html_table(("kind", "values"), [each for each in counts if each[1]], of="kinds")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("workspace", self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write the indexes, so that the next opening reads no file again. All else is on the disk already."""
        for index in self._store.indexes.values():
            index.flush()
        if self._search is not None:
            self._search.close()

    @property
    def folder(self) -> Path | None:
        """The folder; None for one that is elsewhere."""
        return self._store.files.root

    @property
    def place(self) -> str:
        """The folder or the address."""
        return self._store.files.place

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on what was amiss so far, each once."""
        return tuple(self._store.found_notes.values())

    @property
    def drafts(self) -> Drafts:
        """The texts that are being typed, by session."""
        return self._store.drafts

    @property
    def assets(self) -> AssetFolder:
        """The files of messages and agents, by their content; refused for a workspace at an address."""
        if self._store.assets is None:
            raise Refused(f"{self.place} is no folder, and keeps no files of messages")
        return self._store.assets

    # --- values

    @checked_arguments
    def save(self, value: V, *, on_conflict: OnConflict = "raise") -> V:
        """Save a value and give it with its new revision, which is the one to go on with.

        Where another saved it since it was read, ChangedMeanwhile says what changed, and nothing is written; "merge"
        keeps both sides, "overwrite" puts the other's into the trash. A value without an id gets one of its content.
        """
        return self._store.save(value, on_conflict=on_conflict)

    @checked_arguments
    def load(self, id: str, *, kind: KindName = "sessions") -> Any:
        """The value of this id, as its file has it now; what couldn't be read of it is in `notes`.

        Raises UnknownName where there is none, ReadError where its file can't be read.
        """
        return self._store.load(id, kind)

    @checked_arguments
    def session(self, id: str) -> Session:
        """The session of this id."""
        return self._store.load(id, "sessions")

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._store.indexes["sessions"].file_of(id) is not None

    @checked_arguments
    def library(self, *, sessions: Iterable[str] | None = None) -> Library:
        """All values as a library, with all sessions or those of these ids; what can't be read is in `notes`."""
        held: dict[str, Any] = {name: [] for name in KINDS}
        for name in KINDS:
            if name == "sessions" and sessions is not None:
                held[name] = [self.session(id) for id in sessions]
                continue
            for row in sorted(self._store.rows(name), key=itemgetter("id")):
                try:
                    held[name].append(self._store.load(row["id"], name))
                except (ReadError, UnknownName) as error:  # changed by another in between
                    self._store.note(Note("warning", str(error)))
        return Library(**held)

    # --- lists

    @checked_arguments
    def sessions(
        self,
        *,
        sort: Order | None = None,
        folder: str | None = None,
        favourite: bool | None = None,
        tag: str | None = None,
        agent: str | None = None,
        program: str | None = None,
        file: str | None = None,
        progress: ProgressOption = False,
    ) -> Rows[SessionRow]:
        """A row a session: the newest first, or as `sort` says; names ascend, all else descends.

        `program` is the format that it was imported from, such as chatgpt, `file` the file, as its row has them.
        """
        places = self._store.arrangement.places("sessions")
        rows = [session_row(row, places.get(row["id"], {})) for row in self._store.rows("sessions", progress=progress)]
        shown = [
            row
            for row in rows
            if (folder is None or row.folder == folder)
            and (favourite is None or row.favourite == favourite)
            and (tag is None or tag in row.tags)
            and (agent is None or row.agent == agent)
            and (program is None or row.program == program)
            and (file is None or row.file == file)
        ]
        return Rows(_sorted(shown, sort or self._store.arrangement.sort("sessions") or "updated"))

    @checked_arguments
    def values(self, kind: KindName, *, sort: Order | None = None) -> Rows[ValueRow]:
        """A row a value of a kind other than sessions, by name, or as `sort` says."""
        if kind == "sessions":
            raise Refused("sessions() lists the sessions; values() takes the other kinds")
        places = self._store.arrangement.places(kind)
        rows = [value_row(row, places.get(row["id"], {})) for row in self._store.rows(kind)]
        return Rows(_sorted(rows, sort or self._store.arrangement.sort(kind) or "name"))

    @checked_arguments
    def row(self, id: str, *, kind: KindName = "sessions") -> SessionRow | ValueRow | None:
        """The row of one value, as the lists had it last and where it is in them now; None for one they haven't."""
        row = self._store.indexes[kind].row(id)
        if row is None:
            return None
        place = self._store.arrangement.places(kind).get(id, {})
        return session_row(row, place) if kind == "sessions" else value_row(row, place)

    @checked_arguments
    def path_of(self, id: str, *, kind: KindName = "sessions") -> str:
        """The path of a value's file inside the workspace. Raises UnknownName where there is none."""
        return KINDS[kind].path(self._store.file_of(id, kind))

    # --- search

    @checked_arguments
    def search(self, query: str, *, progress: ProgressOption = False, **filters: Any) -> SearchResult:
        """Hits of words in messages, presets, entries and names, the newest first; the index is caught up before.

        `filters` are those of `SearchIndex.search`: mode, kinds, session, agent, role, model, program, tag, since,
        until, order,
        limit, offset; `kinds` are the fields of a library, such as "sessions". A folder that can't be written is
        searched too. Refused for a workspace at an address. Raises UnknownName for a session that isn't here.
        """
        from ctxlab.storage.kept_search import KeptSearch, check_filters

        check_filters(self._store, filters)
        if self._search is None:
            self._search = KeptSearch(self._store)
        with progress_of("values indexed", progress) as shown:
            index = self._search.caught_up(lambda done, of: shown(done / max(of, 1)))
        return index.search(query, **filters)

    # --- trash

    @checked_arguments
    def delete(self, id: str, *, kind: KindName = "sessions") -> TrashEntry:
        """Move a value into the trash, with its draft, its history and its place in the lists."""
        return self._store.delete(id, kind)

    def trash(self) -> TrashEntries:
        """Everything in the trash, oldest first."""
        return self._store.trash.entries()

    @checked_arguments
    def restore(self, id: str, *, kind: KindName | None = None) -> Any:
        """Put the value that was deleted last under this id back, with all that belonged to it, and give it.

        `id` may also be the key of an entry of `trash()`.
        """
        known = [entry for entry in self.trash() if entry.kind in KINDS and kind in (None, entry.kind)]
        found = [entry for entry in known if id in (entry.id, entry.key)]
        deleted = [entry for entry in found if entry.why == "deleted"] or found
        if not deleted:
            raise UnknownName(f"the trash of {self.place} has no {id!r}")
        return self._store.restore(deleted[-1])

    @checked_arguments
    def empty_trash(self, *, older_than: str | None = None) -> int:
        """Remove what is in the trash for good, or what came there before an ISO time; gives the number of entries."""
        gone = self.trash() if older_than is None else self.trash().older_than(older_than)
        with self._store.errors("be emptied"):
            for entry in gone:
                self._store.trash.remove(entry.key)
        if gone:
            self._store.log("empty trash", None, detail=counted(len(gone), "entry", "entries"))
        return len(gone)

    # --- places in the lists

    @checked_arguments
    def favour(self, id: str, *, favourite: bool = True, kind: KindName = "sessions") -> None:
        """Make a value a favourite, or no longer one."""
        self._place(kind, id, {"favourite": favourite})

    @checked_arguments
    def move_to_folder(self, id: str, folder: str | None, *, kind: KindName = "sessions") -> None:
        """Put a value into a folder of the lists, or with None out of it."""
        self._place(kind, id, {"folder": folder})

    @checked_arguments
    def tag(self, id: str, tags: Iterable[str], *, kind: KindName = "sessions") -> None:
        """Give a value these tags, besides those that are in the value itself."""
        self._place(kind, id, {"tags": list(dict.fromkeys(tags))})

    def _place(self, kind: str, id: str, fields: dict[str, Any]) -> None:
        self._store.file_of(id, kind)
        with self._store.errors("be written"):
            self._store.arrangement.place(kind, id, fields)

    @checked_arguments
    def sort_by(self, order: Order, *, kind: KindName = "sessions") -> None:
        """Keep the order in which a kind is listed."""
        with self._store.errors("be written"):
            self._store.arrangement.set_sort(kind, order)

    @property
    def current(self) -> str | None:
        """The id of the session that was opened last; None where there is none."""
        found = self._store.arrangement.read().get("currentSessionId")
        return found if isinstance(found, str) and found in self else None

    @checked_arguments
    def open_session(self, id: str) -> Session:
        """The session of this id, which is the current one from now on."""
        session = self.session(id)
        with self._store.errors("be written"):
            self._store.arrangement.set_current(id)
        return session

    # --- whole libraries, folders and backups

    @checked_arguments
    def add(self, library: Library, *, on_duplicate: OnDuplicate = "keep", progress: ProgressOption = False) -> Added:
        """Take everything in a library, such as `read` gives, files too.

        A value that is there with the same content is counted and not kept twice. One whose id has other content comes
        in under a new id ("keep"), in the place of what goes to the trash ("overwrite"), or not at all ("skip").
        """
        taker = LibraryTaker(self._store, on_duplicate)
        added = taker.take(library, progress=progress)
        taker.keep_origins()
        self._store.log("add", None, detail=", ".join(added.in_words()))
        return added

    @checked_arguments
    def import_files(
        self,
        *paths: str | os.PathLike[str],
        on_duplicate: OnDuplicate = "keep",
        progress: ProgressOption = False,
    ) -> Added:
        """Take in files and whole folders of other programs, one file after the other, each as `add` does.

        A folder is read with those in it; what is in no known format is counted as a loss and left where it is.
        Raises ReadError for a path that isn't there.
        """
        taker = LibraryTaker(self._store, on_duplicate)
        places = [Path(path).expanduser().absolute() for path in paths]
        try:
            added = ImportFiles(places, taker.take, progress).run()
        finally:
            taker.keep_origins()
        self._store.log("import", None, detail=", ".join(added.in_words()))
        return added

    @checked_arguments
    def backup(self, path: str | os.PathLike[str], *, progress: ProgressOption = False) -> Path:
        """Write everything into one zip archive, and give its path."""
        return write_backup(self._store, Path(path), progress)

    @checked_arguments
    def restore_backup(self, path: str | os.PathLike[str], *, progress: ProgressOption = False) -> Restored:
        """Put back what is in a backup; what is here and other than there goes to the trash, all else stays.

        Trash and journal of a backup stay in it: they tell of the workspace that it is of.
        """
        return restore_backup(self._store, Path(path).expanduser(), progress)

    @checked_arguments
    def check(self, *, content: bool = True, progress: ProgressOption = False) -> tuple[Note, ...]:
        """Notes on everything that is wrong; every value is read, and with `content` the bytes of every file too."""
        return problems(self._store, content=content, progress=progress)

    @checked_arguments
    def repair(self, *, progress: ProgressOption = False) -> tuple[Note, ...]:
        """Make the indexes anew and mend broken trees; a note on each thing that was done.

        What was replaced is in the trash, and files that can't be read are left as they are.
        """
        return repaired(self._store, progress=progress)

    # --- history and journal

    @checked_arguments
    def history(self, id: str) -> History:
        """The session of this id with its undo history; one that belongs to another state of it begins anew."""
        session = self.session(id)
        try:
            data: object = from_json(self._store.files.read(self._store.history_path(id)))
            return History.from_data(session, data)
        except FileNotFoundError:
            return History(session)
        except (OSError, ValueError, CtxlabError) as error:
            self._store.note(Note("info", f"the undo history of {id!r} begins anew: {error}"))
            return History(session)

    @checked_arguments
    def save_history(self, history: History, *, on_conflict: OnConflict = "raise") -> Session:
        """Save the present session of a history and then the history, which goes on from what was saved."""
        saved = self._store.save(history.session, on_conflict=on_conflict)
        history.continue_from(saved)
        with self._store.errors("be written"):
            self._store.files.write_whole(self._store.history_path(saved.id), as_json(history.to_data()))
        return saved

    def journal(self) -> JournalEntries:
        """Everything that was done, by whom, and when, oldest first."""
        return self._store.journal.entries()


@checked_arguments
def open_workspace(place: str | os.PathLike[str], *, create: bool = True, who: str | None = None) -> Workspace:
    """The workspace in a folder, or at an address such as `memory://name` or `s3://bucket/name`.

    A folder that isn't there or is empty becomes one, unless `create` is False. `who` is the name that the journal
    has for this program. Raises ReadError for a folder of something else, and for the workspace of a newer ctxlab.
    """
    files = files_at(os.fspath(place))
    known = files.stamp(ARRANGEMENT) is not None
    if not known and not any(files.list(kind.folder) for kind in KINDS.values()):
        if not create:
            raise ReadError(f"{files.place} is no workspace: there is no {ARRANGEMENT} in it")
        if files.list("") or files.folders(""):
            raise ReadError(f"{files.place} holds other things and is no workspace: name an empty folder or a new one")
    store = Store(files, who=who)
    if not known and any(files.list(kind.folder) for kind in KINDS.values()):
        words = f"{ARRANGEMENT} is not there: folders, favourites and tags of the lists are not known"
        store.note(Note("warning", words))
    store.prepare(create=create and not known)
    return Workspace(store)


def files_at(place: str) -> Files:
    """The files of a folder, or of an address with `://`."""
    if "://" in place and not place.startswith("file://"):
        from ctxlab.storage.remote_files import FsspecFiles

        return FsspecFiles(place)
    folder = Path(place.removeprefix("file://")).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ReadError(f"{folder} is a file; a workspace is a folder")
    return LocalFiles(folder)


def _sorted(rows: list[Any], order: str) -> list[Any]:
    by_name = sorted(rows, key=lambda row: (row.name.casefold(), row.id))
    if order == "name" or not rows:
        return by_name
    field = order if hasattr(rows[0], order) else "updated"
    is_time = field in ("updated", "created")

    def worth(row: Any) -> tuple[bool, Any]:
        value = moment_of(getattr(row, field)) if is_time else getattr(row, field)
        return (True, value) if value else (False, 0)

    return sorted(by_name, key=worth, reverse=True)
