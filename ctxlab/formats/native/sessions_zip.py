"""Zip archives: `metadata.json`, `sessions/<id>.json`, and the agents and users that came along.

Nothing is unpacked to the disk. What is read is every JSON file in an archive, whoever packed it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, TypeVar

from ctxlab.documents import Agent, RegexPreset, Session, Stored, UserProfile, Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.errors import BrokenFile, ReadError, UnknownFormat
from ctxlab.formats.decode import source_of
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.session import session_json
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Archive, Source
from ctxlab.formats.values_to_export import all_but_sessions_left_out, with_one_session

Data = dict[str, Any]
V = TypeVar("V", Session, Worldbook, RegexPreset)

KIND, VERSION = "ctxlab-sessions", 1
INDEX = "metadata.json"
LARGEST_BYTES = 512 * 2**20
TOGETHER_BYTES = 2**30
ENTRIES = 50_000
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same sessions make the same bytes."""
UNSAFE = re.compile(r"[^\w.-]+")
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError)


# --- writing


def sessions_zip(
    sessions: Sequence[Session],
    *,
    agents: Sequence[Agent] = (),
    users: Sequence[UserProfile] = (),
    exported_at: str | None = None,
) -> Export[bytes]:
    """An archive of sessions; ids that make no file names get others there, equal ids get different ones."""
    files: dict[str, bytes] = {}
    listed: list[Data] = []
    names = Names()
    for session in sessions:
        file = file_name("sessions", session.id, names)
        files[file] = session_json(session).data
        listed.append({"id": session.id, "name": session.name, "file": file})
    for agent in agents:
        files[file_name("agents", agent.id, names)] = _stored(agent, {"presetMessages": []})
    for user in users:
        files[file_name("users", user.id, names)] = _stored(user, {"id": user.id, "name": user.name, "content": ""})
    about: Data = {"format": KIND, "version": VERSION, "sessionCount": len(listed), "sessions": listed}
    if exported_at:
        about["exportedAt"] = exported_at
    return Export(packed_files({INDEX: as_json(about, indent=2), **files}))


def _stored(value: Stored, needed: Data) -> bytes:
    """A value's JSON with the fields by which it is recognised."""
    return as_json({**needed, **value.to_data()}, indent=2)


def file_name(folder: str, wanted: str, names: Names) -> str:
    """A path inside the archive that no system reads as another; names that differ in letters' case alone are equal."""
    plain = UNSAFE.sub("_", wanted).strip("._")[:80] or "nameless"
    taken = names.take(f"{folder}/{plain}".casefold())
    return f"{folder}/{plain}{taken[len(folder) + 1 + len(plain.casefold()) :]}.json"


def packed_files(files: Mapping[str, bytes]) -> bytes:
    """An archive of files by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()


# --- reading


def read_zip(raw: bytes, source: str, read: Callable[[Source], Import]) -> Import:
    """Everything that `read` finds in the JSON files of an archive; the rest of its files are passed over.

    Raises BrokenFile for what is no archive or is too large, UnknownFormat when nothing in it can be read.
    """
    losses: list[Loss] = []
    found: list[Import] = []
    for name, data in members(raw, source, losses, wanted=_is_json):
        try:
            part = read(source_of(data, name))
        except ReadError as error:
            losses.append(Loss(name, f"left out: {error}"))
            continue
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
        losses=tuple(losses),
    )


def _reasons(losses: Sequence[Loss]) -> str:
    return f": {losses[0]}" if losses else ": it holds no JSON"


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


def members(
    raw: bytes, source: str, losses: list[Loss], *, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """The files of an archive whose names are wanted, unpacked; raises BrokenFile for what is too large."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except BROKEN as error:
        raise BrokenFile(f"{source} is a broken zip archive ({error})") from error
    with archive:
        entries = archive.infolist()
        if len(entries) > ENTRIES:
            raise BrokenFile(f"{source} is a zip archive of {len(entries):,} files; {ENTRIES:,} are allowed")
        chosen = list(_newest([entry for entry in entries if wanted(entry.filename)], losses))
        together = sum(entry.file_size for entry in chosen)
        if together > TOGETHER_BYTES:
            raise BrokenFile(
                f"{source} would unpack to {_megabytes(together)}; {_megabytes(TOGETHER_BYTES)} are allowed"
            )
        for entry in chosen:
            data = _unpacked(archive, entry, source, losses)
            if data is not None:
                yield entry.filename, data


def _newest(entries: Sequence[zipfile.ZipInfo], losses: list[Loss]) -> Iterator[zipfile.ZipInfo]:
    """The entries, the last of those with one name."""
    last = {entry.filename: entry for entry in entries}
    for entry in entries:
        if last[entry.filename] is entry:
            yield entry
        else:
            losses.append(Loss(entry.filename, "the archive has several files of this name; the last counts"))


def _is_json(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in (".json", ".jsonl") and path.name != INDEX and not hidden


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: str, losses: list[Loss]) -> bytes | None:
    """A file's content; a zip's own reader gives no more bytes than the archive's list says."""
    if entry.flag_bits & 1:
        losses.append(Loss(entry.filename, "it is locked with a password; left out"))
        return None
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack without a limit
        losses.append(Loss(entry.filename, "it is packed in another way than deflate; left out"))
        return None
    if entry.file_size > LARGEST_BYTES:
        size, most = _megabytes(entry.file_size), _megabytes(LARGEST_BYTES)
        raise BrokenFile(f"{source}: {entry.filename!r} would unpack to {size}; {most} are allowed")
    try:
        return archive.read(entry)
    except BROKEN as error:
        losses.append(Loss(entry.filename, f"it can't be unpacked ({error}); left out"))
        return None


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.0f} MB"


# --- the format


def sniff(data: Any) -> bool:
    return isinstance(data, Archive)


def read(source: Source) -> Import:
    from ctxlab.formats import read_source  # it reads what is in the archive, with every format

    return read_zip(
        source.data.raw, source.name, lambda inner: read_source(replace(inner, keep_prompts=source.keep_prompts))
    )


def write(found: Import, pick: Pick) -> Export[bytes]:
    """All sessions, agents and users, or the picked session with the agents that its messages name."""
    chosen = with_one_session(found, pick)
    export = sessions_zip(chosen.sessions, agents=chosen.agents, users=chosen.users)
    return export.after(all_but_sessions_left_out(found))


ZIP = Format("zip", "session", (".zip",), sniff=sniff, read=read, write=write, holds=("sessions", "agents", "users"))
