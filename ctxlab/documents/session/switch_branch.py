"""Verbs that look at another branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ctxlab.documents.session.builder import SessionBuilder
from ctxlab.documents.session.tree_queries import leaf_below

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session


def switched(session: Session, node_id: str) -> Session:
    """The session looking at a message, be it a leaf or not; the way to it is remembered."""
    session.node(node_id)
    revision = SessionBuilder(session)
    revision.move_leaf(node_id)
    return revision.session()


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
