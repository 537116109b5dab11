"""Zip archives: `metadata.json`, `sessions/<id>.json`, agents and users that came along, and the files of all of them.

Nothing is unpacked to the disk. What is read is every JSON file in an archive, whoever packed it, with the files that
they name, and every picture with a card in it that none of them names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar, cast

from ctxlab.assets.zip_members import BROKEN_ZIP
from ctxlab.documents import Agent, KnowledgeBase, QuickActionSet, RegexPreset, Session, Stored, UserProfile, Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.formats.decode import source_of
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.paths import folder_of, is_hidden, is_inside, leads_out
from ctxlab.formats.files.shelf import ZipShelf
from ctxlab.formats.files.zip_archive import TOGETHER_BYTES, Zipped, file_name, is_json, members, opened, packed_files
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.session import session_json
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.cards.png import MOST_FILE_BYTES, texts_in_png
from ctxlab.formats.source import Archive, Source
from ctxlab.formats.values_to_export import (
    all_but_sessions_left_out,
    files_named_by,
    missing_files,
    with_one_session,
)

Data = dict[str, Any]
V = TypeVar("V", Session, Worldbook, RegexPreset, QuickActionSet, KnowledgeBase)

KIND, VERSION = "ctxlab-sessions", 1
INDEX = "metadata.json"
FOLDERS = ("sessions", "agents", "users", "files")
"""Folders of an archive: of values, and of files that have a path which is no name inside an archive."""


# --- writing


def sessions_zip(
    sessions: Sequence[Session],
    *,
    agents: Sequence[Agent] = (),
    users: Sequence[UserProfile] = (),
    files: Mapping[str, bytes] | None = None,
    exported_at: str | None = None,
) -> Export[bytes]:
    """An archive of sessions; ids that make no file names get others there, equal ids get different ones.

    `files` are by the paths that sessions and agents name; `losses` name those of them that aren't given.
    """
    packed: dict[str, bytes] = {}
    listed: list[Data] = []
    names = Names()
    for session in sessions:
        file = file_name("sessions", session.id, names)
        packed[file] = session_json(session).data
        listed.append({"id": session.id, "name": session.name, "file": file})
    for agent in agents:
        packed[file_name("agents", agent.id, names)] = _stored(agent, {"presetMessages": []})
    for user in users:
        packed[file_name("users", user.id, names)] = _stored(user, {"id": user.id, "name": user.name, "content": ""})
    about: Data = {"format": KIND, "version": VERSION, "sessionCount": len(listed), "sessions": listed}
    if exported_at:
        about["exportedAt"] = exported_at
    losses = list(missing_files((*sessions, *agents), files or {}))
    places = _places_of(files or {}, names, losses)
    if places:
        about["files"] = [{"path": path, "file": place} for path, place in places.items()]
    attached = {place: (files or {})[path] for path, place in places.items()}
    return Export(packed_files({INDEX: as_json(about, indent=2), **packed, **attached}), tuple(losses))


def _places_of(files: Mapping[str, bytes], names: Names, losses: list[Loss]) -> dict[str, str]:
    """The name in the archive of each file: its path, or another where that is none inside an archive."""
    places: dict[str, str] = {}
    for path in files:
        if leads_out(path) or not path:
            losses.append(Loss(path, "its path leads out of the archive; left out"))
        elif _is_free(path):
            places[path] = path
        else:
            places[path] = file_name("files", path, names, ending="")
    return places


def _is_free(path: str) -> bool:
    """Whether a path is a name inside an archive that nothing else there has, and that isn't read as a value."""
    top, _, below = path.partition("/")
    data_at_top = not below and path.lower().endswith((".json", ".jsonl", ".yaml", ".yml"))
    return is_inside(path) and not is_hidden(path) and not data_at_top and top not in FOLDERS


def _stored(value: Stored, needed: Data) -> bytes:
    """A value's JSON with the fields by which it is recognised."""
    return as_json({**needed, **value.to_data()}, indent=2)


# --- reading


def read_zip(raw: Zipped, source: str, read: Callable[[Source], Import]) -> Import:
    """Everything that `read` finds in the JSON files of an archive, and the files that it names, and no other file.

    Raises BrokenFile for what is no archive or is too large, UnknownFormat when nothing in it can be read.
    """
    losses: list[Loss] = []
    found: list[Import] = []
    with opened(raw, source) as archive:
        attached = Files(ZipShelf(archive))
        _take_listed(attached, losses)
        values = members(archive, source, losses, wanted=lambda name: _is_value(name, attached))
        for name, data in chain(values, _cards(attached)):
            try:
                part = read(source_of(data, name))
            except ReadError as error:
                losses.append(Loss(name, f"left out: {error}"))
                continue
            part = attached.along_with(part, folder_of(name))
            found.append(part)
            losses += [loss.inside(name) for loss in part.losses]
    if not found:
        raise UnknownFormat(f"{source} is a zip archive in which nothing can be read{_reasons(losses)}")
    return Import(
        sessions=tuple(distinct_ids([session for part in found for session in part.sessions], "session", losses)),
        agents=tuple(agent for part in found for agent in part.agents),
        users=tuple(user for part in found for user in part.users),
        books=tuple(distinct_ids([book for part in found for book in part.books], "book", losses)),
        rules=tuple(distinct_ids([rules for part in found for rules in part.rules], "set of rules", losses)),
        quick_actions=tuple(
            distinct_ids([each for part in found for each in part.quick_actions], "set of quick actions", losses)
        ),
        knowledge_bases=tuple(
            distinct_ids([each for part in found for each in part.knowledge_bases], "knowledge base", losses)
        ),
        losses=tuple(loss for loss in losses if loss.place not in attached.taken),
        files={**{path: data for part in found for path, data in part.files.items()}, **attached.held},
    )


def _take_listed(attached: Files, losses: list[Loss]) -> None:
    """Take the files that an archive of ours lists in its index."""
    try:
        about = source_of(attached.shelf.read(INDEX), INDEX).data if attached.shelf.size_of(INDEX) else None
    except (ReadError, *BROKEN_ZIP):  # of another program's index nothing is wanted
        return
    if not isinstance(about, dict) or cast("Data", about).get("format") != KIND:
        return
    listed = cast("Data", about).get("files")
    for entry in cast("list[Any]", listed) if isinstance(listed, list) else []:
        if isinstance(entry, dict):
            attached.take_as(str(cast("Data", entry).get("path")), str(cast("Data", entry).get("file")), losses)


def _is_value(name: str, attached: Files) -> bool:
    """Whether a file is read as JSON; one that is attached is not, whatever its name says."""
    return is_json(name) and not name.endswith(f"/{INDEX}") and name != INDEX and name not in attached.taken


def _cards(attached: Files) -> Iterator[tuple[str, bytes]]:
    """The pictures with a card in them, of those that no value names as its file."""
    shelf, room = attached.shelf, TOGETHER_BYTES
    for name in shelf.names():
        size = shelf.size_of(name) or 0
        if not name.lower().endswith(".png") or name in attached.taken or size > min(room, MOST_FILE_BYTES):
            continue
        room -= size
        try:
            data = shelf.read(name)
            texts_in_png(data, name)
        except (ReadError, *BROKEN_ZIP):  # a picture without a card, which nothing asks for
            continue
        yield name, data


def _reasons(losses: Sequence[Loss]) -> str:
    return f": {losses[0]}" if losses else ": it holds neither JSON nor a card"


def distinct_ids(values: Sequence[V], noun: str, losses: list[Loss]) -> Iterator[V]:
    """The values with an id each; what is there twice and the same is there once."""
    names = Names()
    first: dict[str, V] = {}
    for value in values:
        id = value.book_id if isinstance(value, Worldbook) else value.id
        if noun != "session" and first.setdefault(id, value) is not value and first[id] == value:
            continue
        taken = names.take(id)
        if taken != id:
            losses.append(Loss(f"{noun} {id!r}", f"its id is there twice; this one is {taken!r} now"))
            value = value.model_copy(update={"id": taken})
        yield value


# --- the format


def sniff(data: Any) -> bool:
    return isinstance(data, Archive)


def read(source: Source) -> Import:
    from ctxlab.formats import read_source  # it reads what is in the archive, with every format

    return read_zip(
        source.data.raw, source.name, lambda inner: read_source(replace(inner, keep_prompts=source.keep_prompts))
    )


def write(found: Import, pick: Pick) -> Export[bytes]:
    """All sessions, agents and users with their files, or the picked session with the agents that its messages name."""
    chosen = with_one_session(found, pick)
    files = found.files if pick is None else files_named_by((*chosen.sessions, *chosen.agents), found.files)
    export = sessions_zip(chosen.sessions, agents=chosen.agents, users=chosen.users, files=files)
    return export.after(all_but_sessions_left_out(replace(found, files={})))


ZIP = Format("zip", "session", (".zip",), sniff=sniff, read=read, write=write, holds=("sessions", "agents", "users"))
