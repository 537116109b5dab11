"""Ancestors, descendants, siblings and other relations of nodes in a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.session.message import NodeId
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session

Relation = Literal["same", "ancestor", "descendant", "sibling", "other"]


@checked_arguments
def ancestors(session: Session, node_id: str) -> tuple[NodeId, ...]:
    """Ids of the nodes above, from the parent up to the root."""
    nodes, above = session.nodes, list[NodeId]()
    key = session.node(node_id).parent_id
    seen = {node_id}
    while key is not None and key not in seen and (node := nodes.get(key)) is not None:
        above.append(key)
        seen.add(key)
        key = node.parent_id
    return tuple(above)


@checked_arguments
def descendants(session: Session, node_id: str) -> tuple[NodeId, ...]:
    """Ids of all nodes below, in tree order: parents before children, siblings in order."""
    session.node(node_id)
    children, below = session.children_by_parent, list[NodeId]()
    stack = list(reversed(children.get(node_id, ())))
    while stack:
        key = stack.pop()
        if key != node_id:  # a node has one parent, so only a circle through the first one could come round
            below.append(key)
            if key in children:
                stack.extend(reversed(children[key]))
    return tuple(below)


@checked_arguments
def relation(session: Session, node_id: str, other_id: str) -> Relation:
    """The relation of `other_id` to `node_id`: ancestor, descendant, sibling, same or other.

    >>> Session(id="s").append("Hi", id="a").append("Hello", id="b").relation("a", "b")
    'descendant'
    """
    node, other = session.node(node_id), session.node(other_id)
    if node_id == other_id:
        return "same"
    if other_id in ancestors(session, node_id):
        return "ancestor"
    if node_id in ancestors(session, other_id):
        return "descendant"
    return "sibling" if node.parent_id is not None and node.parent_id == other.parent_id else "other"


@checked_arguments
def siblings(session: Session, node_id: str) -> tuple[NodeId, ...]:
    """Ids of the nodes that share a parent with this one, itself included, in their order; a root is alone.

    >>> session = Session(id="s").append("Hi", id="a").append("Hello", id="b").append("Hey", id="c", parent="a")
    >>> session.siblings("c")
    ('b', 'c')
    """
    parent = session.node(node_id).parent_id
    return session.children(parent) if parent is not None else (NodeId(node_id),)


def remembered_child(session: Session, node_id: str) -> NodeId | None:
    """The child that was looked at last, else the first one; None where there is no child."""
    children = session.children(node_id)
    memory = session.node(node_id).last_selected_child_id
    if memory is not None and memory in children:
        return memory
    return children[0] if children else None


@checked_arguments
def leaf_below(session: Session, node_id: str) -> NodeId:
    """The leaf to which the remembered branches lead from here; a node without children is its own."""
    session.node(node_id)
    nodes, children = session.nodes, session.children_by_parent
    key = NodeId(node_id)
    for _ in range(len(nodes)):  # no way down is longer, so a circle ends too
        below = children.get(key)
        if below is None:
            break
        memory = nodes[key].last_selected_child_id
        key = memory if memory is not None and memory in below else below[0]
    return key


def leads_to_leaf(session: Session) -> bool:
    """Whether every parent on the way to the active leaf leads to it, by its memory or as its first child."""
    nodes, children = session.nodes, session.children_by_parent
    key = session.active_leaf_id
    for _ in range(len(nodes)):  # no way up is longer, so a circle ends too
        node = nodes.get(key) if key is not None else None
        if node is None or key is None:
            return False
        above = node.parent_id
        if above is None:
            return True
        parent, siblings = nodes.get(above), children[above]
        memory = parent.last_selected_child_id if parent is not None else None
        if memory != key and (siblings[0] != key or memory in siblings):
            return False
        key = above
    return False


def parent_of(session: Session, node_id: str, what: str) -> NodeId:
    """The parent of a node. Refuses a root, which can't be `what`, and a node whose parent doesn't exist."""
    parent = session.node(node_id).parent_id
    if parent is None:
        raise Refused(f"node {node_id!r} is a root and can't be {what}: name a message below it")
    if parent not in session.nodes:
        raise Refused(
            f"node {node_id!r} can't be {what}: it hangs on {parent!r}, which does not exist; run repaired() first"
        )
    return parent
