"""Verbs that move messages in the tree, delete them, or switch to another branch.

A parent forgets a branch that left it. Where the branch that is looked at moves, the way to it stays remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.session.message import NodeId
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.documents.session.tree_queries import ancestors, descendants, leaf_below, parent_of, remembered_child
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session


@checked_arguments
def graft(session: Session, node_id: str, parent_id: str) -> Session:
    """A message and all its descendants, moved to another parent after the children that it has."""
    old = parent_of(session, node_id, "grafted")
    _refuse_below(session, node_id, parent_id)
    if old == parent_id:
        return session
    revision = SessionBuilder(session)
    revision.link(old, [key for key in session.children(old) if key != node_id])
    revision.attach([node_id], parent_id)
    _follow(revision, old, [node_id])
    return revision.session()


@checked_arguments
def move(session: Session, node_id: str, parent_id: str) -> Session:
    """One message moved to another parent after the children that it has; its own children take its place."""
    old = parent_of(session, node_id, "moved")
    _refuse_below(session, node_id, parent_id)
    if old == parent_id:
        return session
    revision = SessionBuilder(session)
    _give_place_to_children(revision, old, node_id)
    revision.link(node_id, ())
    revision.attach([node_id], parent_id)
    if session.active_leaf_id == node_id:
        _follow(revision, old, [node_id])
    return revision.session()


@checked_arguments
def transfer_children(session: Session, node_id: str, parent_id: str) -> Session:
    """All children of a message with their descendants, moved to another parent after its children."""
    children = session.children(node_id) if session.node(node_id) else ()
    _refuse_below(session, node_id, parent_id)
    if not children:
        return session
    revision = SessionBuilder(session)
    revision.link(node_id, ())
    revision.attach(children, parent_id)
    _follow(revision, node_id, children)
    return revision.session()


@checked_arguments
def delete(session: Session, node_id: str) -> Session:
    """The session without a message and all below it; of a summary only itself goes, and its children take its place.

    If the active leaf goes too, it is afterwards where the remembered branches lead from the next sibling, else from
    the one before, else the parent. It is also the parent where the children of a summary live on.
    """
    parent = parent_of(session, node_id, "deleted")
    revision = SessionBuilder(session)
    if session.nodes[node_id].is_summary and session.children(node_id):
        _give_place_to_children(revision, parent, node_id)
        gone, heir = {node_id}, parent
    else:
        siblings = session.children(parent)
        place = siblings.index(NodeId(node_id))
        beside = siblings[place + 1 : place + 2] or siblings[:place][-1:]
        revision.link(parent, (*siblings[:place], *siblings[place + 1 :]))
        gone, heir = {node_id, *descendants(session, node_id)}, leaf_below(session, beside[0]) if beside else parent
    revision.changes.update(dict.fromkeys(gone))
    if session.active_leaf_id in gone:
        revision.move_leaf(heir)
    return revision.session()


def _refuse_below(session: Session, node_id: str, parent_id: str) -> None:
    if session.node(parent_id) and (parent_id == node_id or node_id in ancestors(session, parent_id)):
        where = "itself" if parent_id == node_id else f"{parent_id!r}, which is below it"
        raise Refused(f"what is at or below node {node_id!r} can't hang on {where}: name a parent outside of it")


def _give_place_to_children(revision: SessionBuilder, parent: str, node_id: str) -> None:
    """Put the children of a node in its place; a remembered branch through it leads on to one of them."""
    session = revision.before
    siblings, children = session.children(parent), session.children(node_id)
    place = siblings.index(NodeId(node_id))
    explicit = {session.nodes[parent].last_selected_child_id, session.nodes[node_id].last_selected_child_id} - {None}
    was_remembered = remembered_child(session, parent) == node_id
    for child in children:
        revision.put(child, parent_id=parent)
    revision.link(parent, (*siblings[:place], *children, *siblings[place + 1 :]))
    if children and was_remembered and explicit:
        revision.put(parent, last_selected_child_id=remembered_child(session, node_id))


def _follow(revision: SessionBuilder, old_parent: str, moved: Sequence[str]) -> None:
    """Remember the new path to the active leaf if it moved and the old path was remembered."""
    session = revision.before
    leaf = session.active_leaf_id
    if leaf is None or leaf not in session.nodes:
        return
    way = {leaf, *ancestors(session, leaf)}
    looked_at = next((key for key in moved if key in way), None)
    if looked_at is not None and (
        session.leaf_is_remembered or session.nodes[old_parent].last_selected_child_id == looked_at
    ):
        revision.move_leaf(leaf)


@checked_arguments
def switched(session: Session, node_id: str) -> Session:
    """The session looking at a message, be it a leaf or not; the way to it is remembered."""
    session.node(node_id)
    revision = SessionBuilder(session)
    revision.move_leaf(node_id)
    return revision.session()


@checked_arguments
def switched_to_sibling(session: Session, node_id: str, to: Literal["next", "previous"] = "next") -> Session:
    """The session looking at the branch beside a message, down to where its remembered way leads.

    The last one's next is the first. An only child has no branch beside it: nothing changes.
    """
    parent = session.node(node_id).parent_id
    siblings = session.children(parent) if parent is not None else ()
    if len(siblings) < 2:
        return session
    place = siblings.index(node_id) + (1 if to == "next" else -1)
    return switched(session, leaf_below(session, siblings[place % len(siblings)]))
