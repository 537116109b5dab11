"""Files of agents: one export holds any number of them, and the worldbooks that they name.

Ids, times and counts are not exported; an agent that is read gets an id made of its content, so that the same file
gives the same ids.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, cast

from ctxlab.documents import Agent, Worldbook, read_stored
from ctxlab.documents.session.metadata_not_copied import CACHES
from ctxlab.documents.stored import as_json
from ctxlab.errors import BrokenFile, ReadError, WriteError
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.agent_migrations import migrated
from ctxlab.formats.native.sessions_zip import distinct_ids
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.sanitize_json import sanitized
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source
from ctxlab.formats.values_to_export import agents_named, books_of
from ctxlab.formats.yaml import as_yaml

Data = dict[str, Any]

FORMAT = "agents"
KIND, BUNDLE, VERSION = "AIO_Agent_Export", "AIO_Agent_Bundle", 1
STAYS = ("id", "profileId", "createdAt", "lastUsedAt")
"""Fields that belong to the library that an agent was in, not to the agent."""
ZIP = b"PK\x03\x04"
DEEPEST_BUNDLE = 3


# --- writing


def agents_data(agents: Sequence[Agent], *, books: Sequence[Worldbook] = ()) -> Export[Data]:
    """Agents as the data of one export, with those of the books that they name.

    Files of their own are named in it, not contained; `agents_zip` takes them along.
    """
    losses = [
        Loss(f"agent {agent.shown_name!r}", f"its file {path!r} is named, not contained")
        for agent in agents
        for path in agent.private_files()
    ]
    held = books_of(agents, books)
    return Export(export_data(agents, held), (*losses, *books_not_contained(agents, held)))


def books_not_contained(agents: Sequence[Agent], held: Sequence[Worldbook]) -> list[Loss]:
    """A loss for each book that an agent names and that isn't written with it."""
    there = {book.book_id for book in held}
    return [
        Loss(f"agent {agent.shown_name!r}", f"its book {id!r} is named, not contained; write the library that has it")
        for agent in agents
        for id in dict.fromkeys(agent.worldbook_ids)
        if id not in there
    ]


def agents_json(agents: Sequence[Agent], *, books: Sequence[Worldbook] = ()) -> Export[bytes]:
    """`agents_data` as JSON, indented."""
    return agents_data(agents, books=books).as_bytes()


def agents_yaml(agents: Sequence[Agent], *, books: Sequence[Worldbook] = ()) -> Export[bytes]:
    """`agents_data` as YAML that a person can read and edit."""
    export = agents_data(agents, books=books)
    try:
        halves = [loss for loss in sanitized(export.data)[1] if "surrogate" in loss.text]
        return Export(as_yaml(export.data), (*export.losses, *halves))
    except RecursionError:
        raise WriteError("the agents hold data nested too deeply to be written as YAML") from None


def export_data(agents: Sequence[Agent], books: Sequence[Worldbook] = ()) -> Data:
    """One export of agents and books, as JSON data."""
    data: Data = {"version": VERSION, "type": KIND, "agents": [_exported(agent) for agent in agents]}
    return {**data, "worldbooks": [_book(book) for book in books]} if books else data


def _exported(agent: Agent) -> Data:
    data = {"presetMessages": [], **agent.to_data()}
    data["presetMessages"] = [_uncounted(preset) for preset in data["presetMessages"]]
    return {name: value for name, value in data.items() if name not in STAYS}


def _uncounted(preset: Data) -> Data:
    """A preset without what was computed from its text."""
    metadata = preset.get("metadata")
    if not isinstance(metadata, dict):
        return preset
    kept = {name: value for name, value in cast("Data", metadata).items() if name not in CACHES}
    return {
        **{key: value for key, value in preset.items() if key != "metadata"},
        **({"metadata": kept} if kept else {}),
    }


def _book(book: Worldbook) -> Data:
    """A book with the id that agents name it by."""
    return {"id": book.book_id, **book.to_data()}


# --- reading


def sniff(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    fields = cast("Data", data)
    kind = fields.get("type")
    return (kind == KIND and isinstance(fields.get("agents"), list)) or kind == BUNDLE


def read(source: Source) -> Import:
    """The agents of an export with their books; a bundle holds an archive or an export."""
    return _read(source, depth=0)


def _read(source: Source, *, depth: int) -> Import:
    data = cast("Data", source.data)
    if data.get("type") == BUNDLE:
        return _from_bundle(source, data, depth + 1)
    return read_export(data, source.name, losses=list(source.losses))


def read_export(
    data: Data,
    source: str,
    *,
    losses: list[Loss],
    books: Sequence[Worldbook] = (),
    files: Mapping[str, bytes] | None = None,
) -> Import:
    """The agents of an export; `books` and `files` are those beside it."""
    if data.get("version") not in (None, VERSION):
        losses.append(Loss("version", f"is {data['version']!r}; it is read like {VERSION}, the one that is known"))
    own = _list(data, "worldbooks", losses)
    inside = [read_book(book, f"worldbooks[{n}]", losses) for n, book in own]
    found = list(distinct_ids([*inside, *books], "book", losses))
    names = Names()
    agents = [read_agent(agent, f"agents[{n}]", losses, names) for n, agent in _list(data, "agents", losses)]
    losses += _unlinked(agents, found)
    left = [key for key in data if key not in ("version", "type", "agents", "worldbooks")]
    if left:
        losses.append(Loss("around the agents", f"{', '.join(left)}: not part of an export; left out"))
    return Import(
        agents=tuple(agents),
        books=tuple(found),
        losses=tuple(losses),
        format=FORMAT,
        source=source,
        files=files or {},
    )


def read_agent(data: Data, place: str, losses: list[Loss], names: Names) -> Agent:
    """An agent, brought up to date, with an id of its own."""
    update = up_to_date(data, place, losses)
    agent, notes = read_stored(Agent, update, place=f"agent {data.get('id') or data.get('name')!r}")
    losses += losses_of(notes, place)
    wanted = agent.id or f"agent-{_fingerprint(data)}"
    taken = names.take(wanted)
    if agent.id and taken != agent.id:
        losses.append(Loss(place, f"agent id {agent.id!r} is there twice; this one is {taken!r} now"))
    return agent if agent.id == taken else agent.with_(id=taken)


def up_to_date(data: Data, place: str, losses: list[Loss]) -> Data:
    """An agent's data in today's form: the same object if it has that form, else a loss names the migrations."""
    found = migrated(data, fill=False)
    if found.applied:
        name = data.get("id") or data.get("name")
        losses.append(Loss(place, f"agent {name!r} is in an older form and was brought up to date: {found}"))
    return cast("Data", found.data)


def read_book(data: Data, place: str, losses: list[Loss], *, id: str = "") -> Worldbook:
    """A book; one that has no id and no name gets this id."""
    book, notes = read_stored(Worldbook, data, place=f"book {data.get('id') or data.get('name')!r}")
    losses += losses_of(notes, place)
    return book if book.book_id or not id else book.with_(id=id)


def _fingerprint(data: Data) -> str:
    return blake2b(as_json(data), digest_size=5).hexdigest()


def _list(data: Data, key: str, losses: list[Loss]) -> Iterator[tuple[int, Data]]:
    held = data.get(key)
    if held is not None and not isinstance(held, list):
        losses.append(Loss(key, f"is {type(held).__name__}, not a list; left out"))
        return
    for n, item in enumerate(cast("list[Any]", held or [])):
        if isinstance(item, dict):
            yield n, cast("Data", item)
        else:
            losses.append(Loss(f"{key}[{n}]", f"is {type(item).__name__}, not an object; left out"))


def _unlinked(agents: Iterable[Agent], books: Iterable[Worldbook]) -> Iterator[Loss]:
    """A loss for every book that an agent names and that didn't come along."""
    there = {book.book_id for book in books}
    for agent in agents:
        for book_id in dict.fromkeys(agent.worldbook_ids):
            if book_id not in there:
                yield Loss(f"agent {agent.shown_name!r}", f"its worldbook {book_id!r} did not come along")


def _from_bundle(source: Source, data: Data, depth: int) -> Import:
    """A bundle carries its archive as Base64 in one of its fields, or the agents themselves."""
    if depth <= DEEPEST_BUNDLE:
        for value in data.values():
            if isinstance(value, str) and (raw := _decoded(value)).startswith(ZIP):
                from ctxlab.formats.native.agent_zip import read_agent_zip

                return read_agent_zip(raw, source.name)
        held = data.get("data") if isinstance(data.get("data"), dict) else data
        if isinstance(held, dict) and isinstance(cast("Data", held).get("agents"), list):
            inner = {key: value for key, value in cast("Data", held).items() if key != "type"}
            return read_export(inner, source.name, losses=list(source.losses))
    raise BrokenFile(f"{source.name} is a bundle of agents in which there is no archive and no agent")


def _decoded(text: str) -> bytes:
    if not text.lstrip().startswith("UEsD"):  # how the first bytes of an archive look in Base64
        return b""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""


# --- the formats


def write_json(found: Import, pick: Pick) -> Export[bytes]:
    """The agents and the books that they name, as JSON; `pick` is a session whose agents are written."""
    return agents_json(agents_to_write(found, pick), books=found.books).after(all_but_agents_left_out(found))


def write_yaml(found: Import, pick: Pick) -> Export[bytes]:
    """The agents and the books that they name, as YAML; `pick` is a session whose agents are written."""
    return agents_yaml(agents_to_write(found, pick), books=found.books).after(all_but_agents_left_out(found))


def agents_to_write(found: Import, pick: Pick) -> tuple[Agent, ...]:
    """The agents, or those that the messages of one session name."""
    agents = found.agents if pick is None else agents_named(found.pick(pick), found)
    if not agents:
        raise ReadError(f"{found.source} holds no agent{'' if pick is None else f' that session {pick!r} names'}")
    return agents


def all_but_agents_left_out(found: Import) -> list[Loss]:
    """A loss for everything that has no place in a file of agents."""
    others = {
        "sessions": found.sessions,
        "users": found.users,
        "rules": found.rules,
        "quick actions": found.quick_actions,
        "knowledge bases": found.knowledge_bases,
    }
    losses = [Loss(what, f"{len(values)} have no place here; left out") for what, values in others.items() if values]
    unnamed = len(found.books) - len(books_of(found.agents, found.books))
    return [*losses, *([Loss("books", f"{unnamed} are named by no agent; left out")] if unnamed else [])]


AGENTS = Format("agents", "agent", (".agent.json",), sniff=sniff, read=read, write=write_json, holds=("agents",))
AGENTS_YAML = Format("agents-yaml", "agent", (".agent.yaml", ".agent.yml"), write=write_yaml, holds=("agents",))
"""YAML is parsed to the data that JSON gives, so `AGENTS` reads it."""
