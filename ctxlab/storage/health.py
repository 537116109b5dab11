"""The health of a workspace: everything that is wrong in it, and what can be mended without losing anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.documents.library import NOUNS
from ctxlab.documents.stored import Note
from ctxlab.errors import CtxlabError
from ctxlab.storage.kinds import KINDS
from ctxlab.storage.store import Store
from ctxlab.storage.trash import FOLDER as TRASH


def problems(store: Store, *, content: bool, progress: ProgressOption) -> tuple[Note, ...]:
    """Notes on everything that is wrong; every value is read, and with `content` the bytes of every file."""
    return tuple(_problems(store, content=content, progress=progress))


def _problems(store: Store, *, content: bool, progress: ProgressOption) -> Iterator[Note]:
    rows = {name: store.rows(name) for name in KINDS}
    for name, kind in KINDS.items():
        index = store.indexes[name]
        for file, problem in index.unreadable().items():
            yield _note("error", f"{problem}; it is left as it is", kind.path(file))
        for file, id in index.repeated().items():
            yield _note(
                "warning", f"{kind.path(file)} has the id {id!r} of another file and isn't listed", kind.path(file)
            )
    with WorkProgress("values", sum(map(len, rows.values())), progress) as shown:
        for name, held in rows.items():
            for row in held:
                yield from _of_value(store, name, row["id"], rows)
                shown.advance(1)
    yield from _of_file_names(store, rows)
    yield from _of_lists(store, rows)
    for key in store.trash.broken():
        yield _note("warning", f"{TRASH}/{key} has no note of what it was; its files are left there", f"{TRASH}/{key}")
    if store.assets is not None and store.assets.folder.is_dir():
        yield from store.assets.check(content=content)


def _of_value(store: Store, kind: str, id: str, rows: dict[str, list[dict[str, Any]]]) -> Iterator[Note]:
    which = f"{NOUNS[kind][0]} {id!r}"
    try:
        loaded = store.values[kind].load(id)
    except (CtxlabError, OSError) as error:
        yield _note("error", f"{which}: {error}", id)
        return
    for loss in loaded.losses:
        yield _note("warning", f"{which}: {loss}", id)
    if isinstance(loaded.value, Session):
        for note in loaded.value.check():
            yield _note(note.level, f"{which}: {note.text}", id)
    if isinstance(loaded.value, Agent | UserProfile):
        books = {row["id"] for row in rows["books"]}
        for book in loaded.value.worldbook_ids:
            if book not in books:
                yield _note("info", f"{which} names the book {book!r}, which isn't here", id)


def _of_file_names(store: Store, rows: dict[str, list[dict[str, Any]]]) -> Iterator[Note]:
    """Files whose names are those of other ids, such as after an edit by hand."""
    for name, kind in KINDS.items():
        for row in rows[name]:
            path = kind.path(row["file"])
            if row["file"] != kind.file_name(row["id"]):
                yield _note("info", f"{path} holds the {kind.noun} {row['id']!r}, for which it isn't named", path)


def _of_lists(store: Store, rows: dict[str, list[dict[str, Any]]]) -> Iterator[Note]:
    for name, held in rows.items():
        there = {row["id"] for row in held}
        for id in store.arrangement.places(name):
            if id not in there:
                yield _note("info", f"the lists name the {NOUNS[name][0]} {id!r}, which isn't here", id)


def repaired(store: Store, *, progress: ProgressOption) -> tuple[Note, ...]:
    """Mend what can be mended, and give a note on each thing that was done; what was replaced is in the trash."""
    done: list[Note] = []
    for name, kind in KINDS.items():
        store.indexes[name].forget()
        rows = store.rows(name)
        if store.indexes[name].flush() and rows:
            done.append(_note("info", f"{kind.index} was made anew, from {counted(len(rows), 'file')}", kind.index))
    done += _mended_trees(store, progress)
    rows = {name: store.rows(name) for name in KINDS}
    for name, held in rows.items():
        there = {row["id"] for row in held}
        for id in [id for id in store.arrangement.places(name) if id not in there]:
            with store.errors("be written"):
                store.arrangement.forget(name, id)
            done.append(_note("info", f"{NOUNS[name][0]} {id!r} is taken out of the lists: it isn't here", id))
    store.log("repair", None, detail=f"{len(done)} things")
    return tuple(done)


def _mended_trees(store: Store, progress: ProgressOption) -> Iterator[Note]:
    rows = store.rows("sessions")
    kind = KINDS["sessions"]
    with WorkProgress("sessions", len(rows), progress) as shown:
        for row in rows:
            shown.advance(1)
            with suppress(CtxlabError):  # what can't be read is named by `problems` and left as it is
                session: Session = store.load(row["id"], "sessions")
                if not session.check():
                    continue
                mended, notes = session.repaired()
                if mended != session:
                    store.set_aside(kind.path(store.file_of(session.id, "sessions")), "its tree was mended")
                    store.save(mended)
                    yield from (_note("info", f"session {session.id!r}: {note.text}", session.id) for note in notes)


def _note(level: Any, text: str, place: str) -> Note:
    return Note(level, text, details={"place": place})
