"""ctxlab's own JSON: sessions, agents and user profiles, alone, in lists or in wrappers.

A session is one object with `nodes` (a map by id, or a list), or the pair `{"index": ..., "detail": ...}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import Any, cast

from ctxlab.documents import Agent, Session, UserProfile, read_stored
from ctxlab.documents.stored import as_json
from ctxlab.formats.decode import Pairs, parsed
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.known_but_unread import name_of
from ctxlab.formats.native.agents import up_to_date
from ctxlab.formats.native.detect import WRAPPERS, is_node, kind_of
from ctxlab.formats.native.session import read_session, session_json
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.values_to_export import all_but_sessions_left_out, with_one_session
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]


def sniff(data: Any) -> bool:
    if isinstance(data, list):
        return kind_of(cast("list[Any]", data)) == "nodes" or mostly(data, lambda item: kind_of(item) is not None)
    return kind_of(data) is not None


def only_sessions(data: Any) -> bool:
    """Whether there are sessions in the data and nothing that is for others."""
    items = cast("list[Any]", data) if isinstance(data, list) and kind_of(data) is None else [data]
    return all(kind_of(item) in ("session", "split", "nodes") for item in items)


@dataclass(slots=True)
class _Found:
    """JSON of sessions, agents and users in a file, each with its place, before it is read."""

    sessions: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    agents: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    users: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    losses: list[Loss] = field(default_factory=list[Loss])


def read(source: Source) -> Import:
    losses = list(source.losses)
    stored = _Found()
    _gather(source, stored)
    if _has_doubled_nodes(source, stored):
        twice: list[Loss] = []
        source = parsed(source.raw, source.name, hook=lambda pairs: _undoubled(pairs, twice))
        losses += twice
        stored = _Found()
        _gather(source, stored)
    losses += stored.losses
    names = Names()
    sessions: list[Session] = []
    for place, data in stored.sessions:
        session, found = read_session(data)
        losses += [loss.inside(place) for loss in found]
        taken = names.take(session.id)
        if taken != session.id:
            losses.append(Loss(place, f"session id {session.id!r} is there twice; this one is {taken!r} now"))
            session = session.model_copy(update={"id": taken})
        sessions.append(session)
    agents = [_stored(Agent, "agent", place, up_to_date(data, place, losses), losses) for place, data in stored.agents]
    users = [_stored(UserProfile, "user profile", place, data, losses) for place, data in stored.users]
    return Import(tuple(sessions), tuple(agents), tuple(users), losses=tuple(losses))


def _stored(
    kind: type[Agent | UserProfile], called: str, place: str, data: Data, losses: list[Loss]
) -> Any:  # the caller knows which of the two
    value, notes = read_stored(kind, data, place=f"{called} {data.get('id') or data.get('name')!r}")
    losses += losses_of(notes, place)
    return value


def _gather(source: Source, stored: _Found) -> None:
    if isinstance(source.data, list) and kind_of(source.data) == "nodes":
        stored.sessions.append(("", {"nodes": source.data}))
        return
    for place, value in source.items():
        _gather_one(value, place, stored)


def _gather_one(value: Any, place: str, stored: _Found, *, depth: int = 0) -> None:
    match kind_of(value, depth=depth):
        case "session":
            stored.sessions.append((place, value))
        case "split":
            _gather_split(value, place, stored)
        case "nodes":
            stored.sessions.append((place, {"nodes": value}))
        case "agent":
            stored.agents.append((place, value))
        case "user":
            stored.users.append((place, value))
        case "wrapper":
            _gather_wrapped(value, place, stored, depth + 1)
        case None:
            what = name_of(value) or "neither session nor agent nor user profile"
            stored.losses.append(Loss(place, f"{what}; it is left out"))


def _gather_split(value: Data, place: str, stored: _Found) -> None:
    index = value.get("index")
    stored.sessions.append((place, {**(cast("Data", index) if isinstance(index, dict) else {}), **value["detail"]}))
    _say_left_out(value, ("index", "detail"), place, stored)


def _gather_wrapped(value: Data, place: str, stored: _Found, depth: int) -> None:
    for key in WRAPPERS:
        inner = value.get(key)
        if inner is None:
            continue
        where = f"{place}.{key}".removeprefix(".")
        if isinstance(inner, list) and kind_of(cast("list[Any]", inner)) is None:
            for index, item in enumerate(cast("list[Any]", inner)):
                _gather_one(item, f"{where}[{index}]", stored, depth=depth)
        else:
            _gather_one(inner, where, stored, depth=depth)
    _say_left_out(value, WRAPPERS, place, stored)


def _say_left_out(value: Data, known: tuple[str, ...], place: str, stored: _Found) -> None:
    left = [key for key in value if key not in known]
    if left:
        stored.losses.append(Loss(place or "around it", f"{', '.join(left)}: not part of what it wraps; left out"))


# --- ids that are there twice in one JSON object


def _has_doubled_nodes(source: Source, stored: _Found) -> bool:
    """Whether the text has more parent links than were read: a parser keeps only the last of two equal keys."""
    if not source.raw:
        return False
    return source.raw.count(b'"parentId"') > sum(1 for data in _all_nodes(stored) if "parentId" in data)


def _all_nodes(stored: _Found) -> Iterator[Data]:
    for _, session in stored.sessions:
        nodes: Any = session["nodes"]
        values = cast("Data", nodes).values() if isinstance(nodes, dict) else cast("list[Any]", nodes)
        yield from (cast("Data", node) for node in values if isinstance(node, dict))
    for _, agent in stored.agents:
        presets: Any = agent.get("presetMessages")
        if isinstance(presets, list):
            yield from (cast("Data", preset) for preset in cast("list[Any]", presets) if isinstance(preset, dict))


def _undoubled(pairs: Pairs, losses: list[Loss]) -> Data:
    """An object in which a node whose id comes again has a name of its own; the last keeps the id, as in any parser."""
    left = Counter(key for key, _ in pairs)
    if len(left) == len(pairs):
        return dict(pairs)
    names = Names()
    for key in left:
        names.take(key)
    found: Data = {}
    for key, value in pairs:
        left[key] -= 1
        if not left[key]:
            found[key] = value
        elif is_node(value):
            name = names.take(key)
            found[name] = {**value, "id": name}
            losses.append(Loss(f"node {key!r}", f"its id is there twice; the last keeps it, the other is {name!r} now"))
        else:
            losses.append(Loss(f"key {key!r}", "it is there twice in one object; the last value is kept"))
    return found


# --- writing


def write(found: Import, pick: Pick) -> Export[bytes]:
    """One session alone, else an object of sessions, agents and users."""
    chosen = with_one_session(found, pick)
    losses = all_but_sessions_left_out(found)
    if len(chosen.sessions) == 1 and not chosen.agents and not chosen.users:
        return session_json(chosen.sessions[0]).after(losses)
    data = {
        "sessions": [{"nodes": {}, **session.to_data()} for session in chosen.sessions],
        "agents": [{"presetMessages": [], **agent.to_data()} for agent in chosen.agents],
        "users": [{"id": user.id, "name": user.name, "content": "", **user.to_data()} for user in chosen.users],
    }
    return Export(as_json({key: values for key, values in data.items() if values}, indent=2), tuple(losses))


NATIVE = Format(
    "native",
    "session",
    (".json",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("sessions", "agents", "users"),
    only_conversations=only_sessions,
)
