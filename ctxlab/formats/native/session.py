"""One session from ctxlab's own JSON, and back."""

from __future__ import annotations

from typing import Any, cast

from pydantic import ValidationError

from ctxlab.documents import MessageNode, Session, read_stored
from ctxlab.errors import WriteError
from ctxlab.formats.results import Export, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names

Data = dict[str, Any]

LINKS = ("id", "parentId", "lastSelectedChildId")


def session_json(session: Session) -> Export[bytes]:
    """A session's own JSON in UTF-8, indented; `nodes` is there even when it is empty."""
    try:
        return Export((session if session.nodes else session.model_copy(update={"nodes": {}})).to_json())
    except WriteError as error:
        raise WriteError(f"session {session.id!r} holds data nested too deeply to be written") from error


# --- reading


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
