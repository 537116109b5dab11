"""The seeds' own JSON: sessions, agents and user profiles, alone, in lists or in wrappers.

A session is one object with `nodes` (a map by id, or a list), or the pair `{"index": ..., "detail": ...}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from ctxlab.documents import Agent, Session, UserProfile, read_stored
from ctxlab.formats.decode import Pairs, parsed
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss, losses_of
from ctxlab.formats.native.agents import up_to_date
from ctxlab.formats.native.detect import WRAPPERS, is_node, kind_of
from ctxlab.formats.native.session import read_session
from ctxlab.formats.session_from_messages import Names
from ctxlab.formats.source import Material, Reader, mostly
from ctxlab.formats.unsupported import name_of

Data = dict[str, Any]


def sniff(data: Any) -> bool:
    if isinstance(data, list):
        return kind_of(cast("list[Any]", data)) == "nodes" or mostly(data, lambda item: kind_of(item) is not None)
    return kind_of(data) is not None


@dataclass(slots=True)
class _Haul:
    """What was found in a file, not yet read."""

    sessions: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    agents: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    users: list[tuple[str, Data]] = field(default_factory=list[tuple[str, Data]])
    losses: list[Loss] = field(default_factory=list[Loss])


def read(material: Material) -> Import:
    losses = list(material.losses)
    haul = _Haul()
    _gather(material, haul)
    if _has_doubled_nodes(material, haul):
        twice: list[Loss] = []
        material = parsed(material.raw, material.source, hook=lambda pairs: _undoubled(pairs, twice))
        losses += twice
        haul = _Haul()
        _gather(material, haul)
    losses += haul.losses
    names = Names()
    sessions: list[Session] = []
    for place, data in haul.sessions:
        session, found = read_session(data)
        losses += [loss.inside(place) for loss in found]
        taken = names.take(session.id)
        if taken != session.id:
            losses.append(Loss(place, f"session id {session.id!r} is there twice; this one is {taken!r} now"))
            session = session.model_copy(update={"id": taken})
        sessions.append(session)
    agents = [_stored(Agent, "agent", place, up_to_date(data, place, losses), losses) for place, data in haul.agents]
    users = [_stored(UserProfile, "user profile", place, data, losses) for place, data in haul.users]
    return Import(
        tuple(sessions), tuple(agents), tuple(users), losses=tuple(losses), format="seed", source=material.source
    )


def _stored(
    kind: type[Agent | UserProfile], called: str, place: str, data: Data, losses: list[Loss]
) -> Any:  # the caller knows which of the two
    value, notes = read_stored(kind, data, place=f"{called} {data.get('id') or data.get('name')!r}")
    losses += losses_of(notes, place)
    return value


def _gather(material: Material, haul: _Haul) -> None:
    if isinstance(material.data, list) and kind_of(material.data) == "nodes":
        haul.sessions.append(("", {"nodes": material.data}))
        return
    for place, value in material.items():
        _gather_one(value, place, haul)


def _gather_one(value: Any, place: str, haul: _Haul, *, depth: int = 0) -> None:
    match kind_of(value, depth=depth):
        case "session":
            haul.sessions.append((place, value))
        case "split":
            _gather_split(value, place, haul)
        case "nodes":
            haul.sessions.append((place, {"nodes": value}))
        case "agent":
            haul.agents.append((place, value))
        case "user":
            haul.users.append((place, value))
        case "wrapper":
            _gather_wrapped(value, place, haul, depth + 1)
        case None:
            what = name_of(value) or "neither session nor agent nor user profile"
            haul.losses.append(Loss(place, f"{what}; it is left out"))


def _gather_split(value: Data, place: str, haul: _Haul) -> None:
    index = value.get("index")
    haul.sessions.append((place, {**(cast("Data", index) if isinstance(index, dict) else {}), **value["detail"]}))
    _say_left_out(value, ("index", "detail"), place, haul)


def _gather_wrapped(value: Data, place: str, haul: _Haul, depth: int) -> None:
    for key in WRAPPERS:
        inner = value.get(key)
        if inner is None:
            continue
        where = f"{place}.{key}".removeprefix(".")
        if isinstance(inner, list) and kind_of(cast("list[Any]", inner)) is None:
            for index, item in enumerate(cast("list[Any]", inner)):
                _gather_one(item, f"{where}[{index}]", haul, depth=depth)
        else:
            _gather_one(inner, where, haul, depth=depth)
    _say_left_out(value, WRAPPERS, place, haul)


def _say_left_out(value: Data, known: tuple[str, ...], place: str, haul: _Haul) -> None:
    left = [key for key in value if key not in known]
    if left:
        haul.losses.append(Loss(place or "around it", f"{', '.join(left)}: not part of what it wraps; left out"))


# --- ids that are there twice in one JSON object


def _has_doubled_nodes(material: Material, haul: _Haul) -> bool:
    """Whether the text has more parent links than were read: a parser keeps only the last of two equal keys."""
    if not material.raw:
        return False
    return material.raw.count(b'"parentId"') > sum(1 for data in _all_nodes(haul) if "parentId" in data)


def _all_nodes(haul: _Haul) -> Iterator[Data]:
    for _, session in haul.sessions:
        nodes: Any = session["nodes"]
        values = cast("Data", nodes).values() if isinstance(nodes, dict) else cast("list[Any]", nodes)
        yield from (cast("Data", node) for node in values if isinstance(node, dict))
    for _, agent in haul.agents:
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


READER = Reader("seed", sniff, read)
