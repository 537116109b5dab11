"""Verbs that add messages. Each gives a session whose active leaf is the new message, the last one if there are two.

An id that isn't given is the next free `node-<n>`; without a `timestamp` a message has none. Further fields are those
of MessageNode, in Python's or the file's names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.session.greetings import settle
from ctxlab.documents.session.message import Asset, MessageNode, NodeId, Role, checked_fields, node_of
from ctxlab.documents.session.metadata_not_copied import without_run_state
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.documents.session.tree_queries import parent_of
from ctxlab.errors import Refused, UnknownNode

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session

GENERATING: dict[str, Any] = {"role": "assistant", "content": "", "status": "generating"}


@checked_arguments
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
    """One more message under `parent` (default: the active leaf).

    In an empty session an empty root is made first, so that no message is the root. Only a system message that says
    nothing is that root itself: `Session(id="s").append("", role="system", id="root")` has a root and no message.

    >>> session = Session(id="s").append("My very first question", id="q")
    >>> [(node.id, node.role, node.content) for node in session.path()]
    [('node-0', 'system', ''), ('q', 'user', 'My very first question')]
    """
    given = {"status": "complete", **fields, "role": role, "content": content}
    above = _parent_for(session, parent)
    if above is None:
        new = _new(session, None, given, id, timestamp)
        if new.role == "system" and new.is_empty_root:
            return _with_messages(session, new)
        session, above = _rooted(session, id)
    return _with_messages(session, _new(session, above, given, id, timestamp))


@checked_arguments
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
    """The user's message and, below it, an empty assistant message that is being generated.

    `fields` are the user message's, `answer` the assistant message's; `ids` are both ids. In an empty session an empty
    root is made first.
    """
    first, second = ids or (None, None)
    above = _parent_for(session, parent)
    if above is None:
        session, above = _rooted(session, first, second)
    user_message = _new(
        session, above, {"status": "complete", **fields, "role": "user", "content": content}, first, timestamp
    )
    reply = _new(session, user_message.id, {**GENERATING, **(answer or {})}, second, timestamp)
    return _with_messages(session, user_message, reply)


@checked_arguments
def regenerate(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """An empty assistant message that is being generated: below a user message, or beside the answer to one."""
    node = session.node(node_id)
    if node.role not in ("user", "assistant"):
        raise Refused(f"node {node_id!r} is a {node.role} message: only user and assistant messages can be regenerated")
    question = NodeId(node_id) if node.role == "user" else parent_of(session, node_id, "regenerated")
    if session.nodes[question].role != "user":
        raise Refused(
            f"node {node_id!r} answers no user message but {question!r}, a {session.nodes[question].role} message: "
            "branch() puts a copy beside it, append(parent=...) a message of its own"
        )
    return _with_messages(session, _new(session, question, {**GENERATING, **fields}, id, timestamp))


@checked_arguments
def continue_from(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """A message that is being generated and goes on from this one.

    Beside an assistant message it is a copy that keeps the text so far as `continuationPrefix`; below a user message
    it is empty.
    """
    node = session.node(node_id)
    if node.role == "user":
        made = _new(session, NodeId(node_id), {**GENERATING, **fields}, id, timestamp)
        marks = {}
    elif node.role == "assistant":
        made = _copy(session, node_id, {"status": "generating", **fields}, id, timestamp)
        marks = {"continuationPrefix": node.content}
    else:
        raise Refused(f"node {node_id!r} is a {node.role} message: only user and assistant messages can be continued")
    marked = {**(made.metadata or {}), **marks, "isContinuation": True}
    return _with_messages(session, made.model_copy(update={"metadata": marked}))


@checked_arguments
def branch(
    session: Session, node_id: str, *, id: str | None = None, timestamp: str | None = None, **fields: Any
) -> Session:
    """A copy of a user or assistant message beside it, without what a run has left on it."""
    role = session.node(node_id).role
    if role not in ("user", "assistant"):
        raise Refused(f"node {node_id!r} is a {role} message: branch_from_edit() puts one of its kind beside it")
    return _with_messages(session, _copy(session, node_id, fields, id, timestamp))


@checked_arguments
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
    """A copy with other words beside a message of any role; attachments that aren't given are those it has."""
    files = {} if attachments is None else {"attachments": tuple(attachments)}
    made = _copy(session, node_id, {**fields, **files, "content": content}, id, timestamp)
    return _with_messages(session, made if made.attachments else made.without("attachments"))


def _parent_for(session: Session, parent: str | None) -> NodeId | None:
    above = parent if parent is not None else session.active_leaf_id or session.root_node_id
    if above is not None and above not in session.nodes:
        raise UnknownNode(f"session {session.id!r} has no node {above!r} to append to")
    if above is None and session.nodes:
        raise Refused(f"session {session.id!r} has nodes but no leaf and no root to append to; run repaired() first")
    return None if above is None else NodeId(above)


def _rooted(session: Session, *taken: str | None) -> tuple[Session, NodeId]:
    """An empty session with an empty root, which gets none of the ids that are `taken`; and its id."""
    links = {"id": _id(session, None, taken=taken), "parent_id": None}
    root = node_of({"role": "system", "content": "", "status": "complete"}, **links)
    return _with_messages(session, root), root.id


def _new(
    session: Session, parent: str | None, fields: Mapping[str, Any], id: str | None, timestamp: str | None
) -> MessageNode:
    times = {} if timestamp is None else {"timestamp": timestamp}
    return node_of({**fields, **times}, id=_id(session, id, taken=(parent,)), parent_id=parent)


def _copy(
    session: Session, node_id: str, fields: Mapping[str, Any], id: str | None, timestamp: str | None
) -> MessageNode:
    times = {} if timestamp is None else {"timestamp": timestamp}
    links = {"id": _id(session, id), "parent_id": parent_of(session, node_id, "given a sibling")}
    blank = without_run_state(session.nodes[node_id]).without(
        "children_ids", "last_selected_child_id", "timestamp", "updated_at", "is_enabled"
    )
    return blank.model_copy(update={**checked_fields({**fields, **times}), **links})


def _id(session: Session, wanted: str | None, *, taken: Sequence[str | None] = ()) -> NodeId:
    """The id that is wanted, or else the next free one, the one place where ids are made."""
    if wanted is not None:
        if wanted in session.nodes or wanted in taken:
            raise Refused(f"session {session.id!r} already has a node {wanted!r}: give another id, or none")
        return NodeId(wanted)
    n = len(session.nodes)
    while (free := f"node-{n}") in session.nodes or free in taken or session.children(free):
        n += 1
    return NodeId(free)


def _with_messages(session: Session, *new: MessageNode) -> Session:
    """The session with new messages, each below the one before it."""
    revision = SessionBuilder(session)
    for node in new:
        revision.changes[node.id] = node
        if node.parent_id is not None:
            revision.link(node.parent_id, (*revision.children(node.parent_id), node.id))
            revision.put(node.parent_id, last_selected_child_id=node.id)
    settle(revision)
    above, leaf = new[0].parent_id, new[-1].id
    if above is not None and _is_close_above_leaf(session, above) and session.leaf_is_remembered:
        revision.leaf = leaf  # the way up to here is remembered: growing stays cheap in the longest conversations
    else:
        revision.move_leaf(leaf)
    return revision.session(**({"root_node_id": new[0].id} if above is None else {}))


def _is_close_above_leaf(session: Session, node_id: str, *, steps: int = 64) -> bool:
    """Whether the node is the active leaf or one of the next above it."""
    key = session.active_leaf_id
    for _ in range(steps):
        if key is None or key == node_id:
            break
        node = session.nodes.get(key)
        key = node.parent_id if node is not None else None
    return key == node_id
