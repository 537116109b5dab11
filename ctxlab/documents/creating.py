"""Verbs that add messages. Each gives a new session whose active leaf is the (last) new message: `session.leaf`.

Ids that aren't given are the next free `node-<n>`; times that aren't given are not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ctxlab.documents.message import Asset, MessageNode, NodeId, Role
from ctxlab.documents.revision import Revision
from ctxlab.documents.run_state import without_run_state
from ctxlab.errors import Refused, UnknownNode

if TYPE_CHECKING:
    from ctxlab.documents.session import Session

STRUCTURE = {
    "id": "give id= to a verb that makes a message",
    "parent_id": "graft() and move() hang a message elsewhere",
    "children_ids": "graft() and move() hang a message elsewhere",
    "last_selected_child_id": "switched() chooses a branch",
}


def append(
    session: Session,
    content: str,
    *,
    role: Role = "user",
    parent: str | None = None,
    id: str | None = None,
    timestamp: str | None = None,
    **fields: Any,
) -> Session:
    """One more message under `parent` (default: the active leaf); in an empty session it is the root."""
    above = _place_for(session, parent)
    new = _new(session, above, id, timestamp, {"status": "complete", **fields, "role": role, "content": content})
    return _grown(session, new)


def append_pair(
    session: Session,
    content: str,
    *,
    parent: str | None = None,
    ids: tuple[str, str] | None = None,
    timestamp: str | None = None,
    answer: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Session:
    """What the user says, and below it an empty assistant message that is being generated.

    `fields` go to the user's message, `answer` to the assistant's; `ids` are those of both.
    """
    user_id, answer_id = ids or (None, None)
    above = _place_for(session, parent)
    said = _new(session, above, user_id, timestamp, {"status": "complete", **fields, "role": "user", "content": content})
    below = _new(session, said.id, answer_id, timestamp, {**_GENERATING, **(answer or {})}, taken=said.id)
    return _grown(session, said, below)


def regenerate(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """An empty assistant message that is being generated: under a user message, or beside the answer to one."""
    node = session.node(node_id)
    if node.role == "user":
        asked = NodeId(node_id)
    elif node.role == "assistant":
        asked = parent_of(session, node_id, "have an answer beside it")
    else:
        raise Refused(f"node {node_id!r} is a {node.role} message: only user and assistant messages are regenerated")
    if session.nodes[asked].role != "user":
        raise Refused(
            f"node {node_id!r} doesn't answer a user message but {session.nodes[asked].role} {asked!r}: "
            "append(parent=...) puts a message beside it, branch() a copy"
        )
    return _grown(session, _new(session, asked, id, timestamp, {**_GENERATING, **fields}))


def continue_from(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """A message that is being generated and goes on from this one.

    Beside an assistant message it is a copy, which remembers in its metadata where the new text begins; under a user
    message it is empty.
    """
    node = session.node(node_id)
    if node.role == "user":
        made = _new(session, NodeId(node_id), id, timestamp, {**_GENERATING, **fields})
        marks: dict[str, Any] = {"isContinuation": True}
    elif node.role == "assistant":
        made = _copy(session, node_id, id, timestamp, {"status": "generating", **fields})
        marks = {"isContinuation": True, "continuationPrefix": node.content}
    else:
        raise Refused(f"node {node_id!r} is a {node.role} message: only user and assistant messages are continued")
    return _grown(session, made.model_copy(update={"metadata": {**(made.metadata or {}), **marks}}))


def branch(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """A copy of a user or assistant message beside it, without what the run that wrote it left on it."""
    role = session.node(node_id).role
    if role not in ("user", "assistant"):
        raise Refused(
            f"node {node_id!r} is a {role} message: branch() copies user and assistant messages, "
            "branch_from_edit() takes any"
        )
    return _grown(session, _copy(session, node_id, id, timestamp, fields))


def branch_from_edit(
    session: Session,
    node_id: str,
    content: str,
    *,
    attachments: Sequence[Asset | Mapping[str, Any]] | None = None,
    id: str | None = None,
    timestamp: str | None = None,
    **fields: Any,
) -> Session:
    """A message with other words beside any message but the root; attachments that aren't given are those of the old."""
    fields["content"] = content
    if attachments is not None:
        fields["attachments"] = tuple(attachments) or None
    made = _copy(session, node_id, id, timestamp, fields)
    return _grown(session, made if made.attachments else made.without("attachments"))


_GENERATING: dict[str, Any] = {"role": "assistant", "content": "", "status": "generating"}


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a message by their Python names, as a message would hold them; refuses what is wrong or structure."""
    try:
        made = MessageNode.model_validate(fields)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise Refused(f"{place} can't be {wrong['input']!r}: {wrong['msg']}") from error
    for name, remedy in STRUCTURE.items():
        if name in made.model_fields_set:
            raise Refused(f"{name} is structure and can't be given as a field: {remedy}")
    return {name: getattr(made, name) for name in made.model_fields_set}


def parent_of(session: Session, node_id: str, what: str) -> NodeId:
    """The parent of a node; refuses where there is none, `what` saying what it would be needed for."""
    parent = session.node(node_id).parent_id
    if parent is None:
        raise Refused(f"node {node_id!r} is a root: it can't {what}; name a message below it")
    if parent not in session.nodes:
        raise Refused(f"node {node_id!r} hangs on {parent!r}, which does not exist, and can't {what}: run repaired() first")
    return parent


def _place_for(session: Session, parent: str | None) -> NodeId | None:
    above = parent if parent is not None else session.active_leaf_id or session.root_node_id
    if above is not None and above not in session.nodes:
        raise UnknownNode(f"session {session.id!r} has no node {above!r} to append to")
    if above is None and session.nodes:
        raise Refused(f"session {session.id!r} has nodes but no leaf and no root to append to; run repaired() first")
    return None if above is None else NodeId(above)


def _new(
    session: Session, parent: NodeId | None, id: str | None, timestamp: str | None, fields: dict[str, Any], taken: str = ""
) -> MessageNode:
    links: dict[str, Any] = {"id": _id_for(session, id, taken), "parent_id": parent}
    if timestamp is not None:
        links["timestamp"] = timestamp
    return MessageNode.model_construct(**links)
