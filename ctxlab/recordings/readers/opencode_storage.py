"""OpenCode's storage: folders of JSON (`session`, `message`, `part`), or a database with tables of these names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from ctxlab.display.short_texts import counted, short
from ctxlab.errors import ReadError
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.readers import opencode_rows
from ctxlab.recordings.readers.opencode import StoredSession, add_sessions
from ctxlab.recordings.readers.opencode_messages import StoredMessage, number_in, stored_message

TABLES: Final = frozenset({"session", "message", "part"})
SEVERAL_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Storage:
    """Stored sessions: facts of all by id, and the messages of one; `pick` says how one of them is read."""

    name: str
    infos: dict[str, Data]
    messages: Callable[[str], Sequence[StoredMessage]]
    pick: str


def storage_at(folder: Path) -> Path | None:
    """The folder in which OpenCode's storage is: this one, or `storage` in it; of older versions `session` in that."""
    for place in (folder, folder / "storage"):
        for root in (place, place / "session"):
            if all((root / name).is_dir() for name in ("message", "part")):
                return root
    return None


def session_file(place: Path) -> Path | None:
    """The storage that the file of a session is in; None for any other file."""
    if place.suffix != ".json" or not place.is_file():
        return None
    roots = (parent for parent in [*place.resolve().parents][:4] if parent.name in ("session", "info"))
    return next((found for root in roots if (found := storage_at(root.parent)) is not None), None)


def read_folder(root: Path, name: str, builder: RecordingBuilder, *, only: str = "") -> None:
    """The only session in a storage, or the one of an id, with those of its sub-agents."""
    infos = {str(info.get("id")): info for info in _infos(root, builder.losses) if info.get("id")}

    def messages(session: str) -> Sequence[StoredMessage]:
        found = [*_read_all(root / "message" / session, builder.losses)]
        parts = ((each, _parts(root, session, str(each.get("id")), builder.losses)) for each in found)
        return [stored_message(info, own) for info, own in parts]

    _read(Storage(name, infos, messages, "read one by its file under `session`"), builder, only)


def _infos(root: Path, losses: list[Loss]) -> Iterator[Data]:
    for folder in sorted(path for path in (root / "session", root / "info") if path.is_dir()):
        yield from _read_all(folder, losses)
        for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
            yield from _read_all(inner, losses)


def _parts(root: Path, session: str, message: str, losses: list[Loss]) -> list[Data]:
    places = (root / "part" / message, root / "part" / session / message)
    return [part for place in places if place.is_dir() for part in _read_all(place, losses)]


def _read_all(folder: Path, losses: list[Loss]) -> Iterator[Data]:
    """The JSON of the files of a folder, by name, which is by time; links are not followed."""
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        if file.is_symlink() or not file.is_file():
            continue
        try:
            found = fields_of(json.loads(file.read_bytes()))
        except (OSError, ValueError, RecursionError):
            losses.append(Loss(file.name, "can't be read, or is no JSON; it is left out"))
            continue
        yield {"id": file.stem, **found}


# --- the database of newer versions


def read_database(
    database: sqlite3.Connection, name: str, builder: RecordingBuilder, tables: AbstractSet[str] = TABLES
) -> None:
    """The only session in a database, with those of its sub-agents; each from the newer tables where it is in both."""
    first = _rows(database, "session") if "session" in tables else ()
    infos = {str(row["id"]): {**dict(row), "parentID": dict(row).get("parent_id")} for row in first}
    second = opencode_rows.has_rows(database, tables)
    infos |= opencode_rows.session_infos(database, tables) if second else {}

    def messages(session: str) -> Sequence[StoredMessage]:
        return of_rows(session) or of_parts(session)

    def of_rows(session: str) -> Sequence[StoredMessage]:
        return opencode_rows.messages_of(database, session, builder.losses) if second else []

    def of_parts(session: str) -> Sequence[StoredMessage]:
        if not tables >= TABLES:
            return []
        parts: dict[str, list[Data]] = {}
        for row in _rows(database, "part", session):
            parts.setdefault(str(row["message_id"]), []).append({**_data(row), "id": row["id"]})
        found = [{**_data(row), "id": row["id"]} for row in _rows(database, "message", session)]
        return [stored_message(info, parts.get(str(info["id"]), [])) for info in found]

    _read(Storage(name, infos, messages, "`opencode export ID` writes one to a file"), builder, "")


def _rows(database: sqlite3.Connection, table: str, session: str | None = None) -> Iterator[Data]:
    chosen = "" if session is None else " WHERE session_id = ?"
    rows = database.execute(f"SELECT * FROM {table}{chosen} ORDER BY id", () if session is None else (session,))
    yield from (dict(row) for row in rows)


def _data(row: Data) -> Data:
    try:
        return fields_of(json.loads(row["data"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}


# --- one session of it


def _read(storage: Storage, builder: RecordingBuilder, only: str) -> None:
    main = only if only in storage.infos else _the_only(storage)
    sessions = [*_with_sub_agents(storage, main)]
    builder.source = sessions[0].id
    add_sessions(builder, sessions)


def _the_only(storage: Storage) -> str:
    """The id of the only session that no other began; raises ReadError where there are several."""
    mains = [id for id, info in storage.infos.items() if info.get("parentID") not in storage.infos]
    if not mains:
        raise ReadError(f"{storage.name} is a storage of OpenCode without a session")
    if len(mains) > 1:
        named = [f"{id} ({short(str(storage.infos[id].get('title') or ''), 40)!r})" for id in mains[:SEVERAL_SHOWN]]
        more = f" and {len(mains) - SEVERAL_SHOWN} more" if len(mains) > SEVERAL_SHOWN else ""
        held = counted(len(mains), "recording")
        raise ReadError(f"{storage.name} holds {held}: {', '.join(named)}{more}; {storage.pick}")
    return mains[0]


def _with_sub_agents(storage: Storage, main: str) -> Iterator[StoredSession]:
    waiting, seen = [main], {main}
    while waiting:
        id = waiting.pop(0)
        messages = sorted(storage.messages(id), key=_place_in_time)
        yield StoredSession({**storage.infos[id], "id": id}, tuple(messages))
        below = [each for each, info in storage.infos.items() if info.get("parentID") == id and each not in seen]
        seen.update(below)
        waiting += below


def _place_in_time(message: StoredMessage) -> tuple[float, float, str]:
    """The number of a message's row where it has one, else its time."""
    return (number_in(message.info, "seq"), message.created, message.id)
