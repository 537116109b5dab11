"""The seeds' own JSON: sessions, agents and user profiles, alone, in lists or in wrappers.

A session is one object with `nodes` (a map by id, or a list), or the pair `{"index": ..., "detail": ...}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from pydantic import ValidationError

from ctxlab.documents import Agent, MessageNode, Session, UserProfile, read_stored
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss, losses_of
from ctxlab.formats.material import SAMPLE, Material, Reader, mostly
from ctxlab.formats.parsing import Pairs, parsed
from ctxlab.formats.tree import Names

Data = dict[str, Any]
Kind = Literal["session", "split", "nodes", "agent", "user", "wrapper"]

WRAPPERS = ("session", "sessions", "agent", "agents", "user", "users", "userProfile", "userProfiles")
NODE_KEYS = frozenset({"parentId", "role", "content", "childrenIds"})
LINKS = ("id", "parentId", "lastSelectedChildId")


def sniff(data: Any) -> bool:
    if isinstance(data, list):
        return kind_of(cast("list[Any]", data)) == "nodes" or mostly(data, lambda item: kind_of(item) is not None)
    return kind_of(data) is not None


def kind_of(data: Any, *, depth: int = 0) -> Kind | None:
    """What a value is, told by the keys that only this kind has."""
    if isinstance(data, list):
        return "nodes" if _is_tree(cast("list[Any]", data)) else None
    if not isinstance(data, dict):
        return None
    fields = cast("Data", data)
    if _has_nodes(fields):
        return "session"
    if isinstance(fields.get("detail"), dict) and _has_nodes(fields["detail"]):
        return "split"
    if _is_agent(fields):
        return "agent"
    if _is_user(fields):
        return "user"
    if (
        depth < 3
        and "messages" not in fields
        and any(_holds(fields[key], depth + 1) for key in WRAPPERS if key in fields)
    ):
        return "wrapper"
    return None


def _holds(value: Any, depth: int) -> bool:
    items = cast("list[Any]", value)[:SAMPLE] if isinstance(value, list) else [value]
    return any(kind_of(item, depth=depth) is not None for item in items)


def _has_nodes(data: Data) -> bool:
    nodes = data.get("nodes")
    if isinstance(nodes, list):
        return mostly(nodes, _is_linked_node) or (not nodes and "rootNodeId" in data)
    if not isinstance(nodes, dict):
        return False
    values = list(cast("Data", nodes).values())
    return not values or "rootNodeId" in data or mostly(values, _is_node)


def _is_node(value: Any) -> bool:
    return isinstance(value, dict) and not NODE_KEYS.isdisjoint(cast("Data", value))


def _is_tree(items: list[Any]) -> bool:
    """Whether a bare list is nodes, not presets, which have no parents."""
    return mostly(items, _is_linked_node) and any(item["parentId"] for item in items if _is_linked_node(item))


def _is_linked_node(value: Any) -> bool:
    return isinstance(value, dict) and "parentId" in value and not {"role", "content"}.isdisjoint(cast("Data", value))


def _is_agent(data: Data) -> bool:
    if isinstance(data.get("presetMessages"), list):
        return True
    named = isinstance(data.get("name"), str) and {"role", "content", "messages"}.isdisjoint(data)
    return named and ("modelId" in data or "profileId" in data)


def _is_user(data: Data) -> bool:
    told = all(isinstance(data.get(key), str) for key in ("id", "name", "content"))
    return told and "role" not in data and "presetMessages" not in data


# --- reading


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
    agents = [_stored(Agent, "agent", place, data, losses) for place, data in haul.agents]
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
            haul.losses.append(Loss(place, "neither session nor agent nor user profile; it is left out"))


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


# --- one session


def read_session(data: Data) -> tuple[Session, list[Loss]]:
    """A session from its JSON. Broken trees are read as they are: `check()` says what is wrong with them."""
    losses: list[Loss] = []
    fields = _without_history(data, losses)
    fields["nodes"] = _named(_as_map(fields.get("nodes"), losses))
    try:
        return Session.model_validate(fields), losses
    except ValidationError:
        session = _node_by_node(fields, losses)
        return session, [loss.inside(f"session {session.id!r}") for loss in losses]


def _without_history(data: Data, losses: list[Loss]) -> Data:
    history = data.get("history")
    if not history:
        return dict(data)
    steps = f"{len(cast('list[Any]', history))} steps" if isinstance(history, list) else "its steps"
    losses.append(Loss("history", f"undo history can't be carried over; {steps} are left out"))
    return {key: value for key, value in data.items() if key not in ("history", "historyIndex")}


def _as_map(nodes: Any, losses: list[Loss]) -> Data:
    if isinstance(nodes, dict):
        return cast("Data", nodes)
    names = Names()
    found: Data = {}
    for index, node in enumerate(cast("list[Any]", nodes or [])):
        if not isinstance(node, dict):
            losses.append(Loss(f"nodes[{index}]", f"is {type(node).__name__}, not an object; it is left out"))
            continue
        fields = cast("Data", node)
        stored = fields.get("id")
        wanted = str(stored) if stored not in (None, "") else f"node-{index}"
        key = names.take(wanted)
        if key != wanted:
            losses.append(Loss(f"node {wanted!r}", f"its id is there twice; the second is {key!r} now"))
            fields = {**fields, "id": key}
        found[key] = fields
    return found


def _named(nodes: Data) -> Data:
    """Nodes without an id get the one of their key."""
    return {
        key: {**cast("Data", node), "id": key} if isinstance(node, dict) and not cast("Data", node).get("id") else node
        for key, node in nodes.items()
    }


def _node_by_node(fields: Data, losses: list[Loss]) -> Session:
    """The slow way, for a session with wrong values: what fits is kept, and every loss names its node."""
    nodes: dict[str, MessageNode] = {}
    for key, value in fields["nodes"].items():
        if not isinstance(value, dict):
            losses.append(Loss(f"node {key!r}", f"is {type(value).__name__}, not an object; it is left out"))
            continue
        node, notes = read_stored(MessageNode, _with_text_links(cast("Data", value)), place=f"node {key!r}")
        losses += losses_of(notes)
        nodes[key] = node if node.id else node.with_(id=key)
    head = {key: value for key, value in fields.items() if key != "nodes"}
    for link in ("id", "rootNodeId", "activeLeafId"):
        if link in head:
            head[link] = _text_id(head[link])
    session, notes = read_stored(Session, head, place="the session")
    losses += losses_of(notes)
    return session.model_copy(update={"nodes": nodes})


def _with_text_links(fields: Data) -> Data:
    """Ids that are numbers as strings: the keys of a JSON object always are."""
    changed: Data = {link: _text_id(fields[link]) for link in LINKS if link in fields}
    children = fields.get("childrenIds")
    if isinstance(children, list):
        changed["childrenIds"] = [_text_id(child) for child in cast("list[Any]", children)]
    return {**fields, **changed}


def _text_id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


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
        elif _is_node(value):
            name = names.take(key)
            found[name] = {**value, "id": name}
            losses.append(Loss(f"node {key!r}", f"its id is there twice; the last keeps it, the other is {name!r} now"))
        else:
            losses.append(Loss(f"key {key!r}", "it is there twice in one object; the last value is kept"))
    return found


READER = Reader("seed", sniff, read)
