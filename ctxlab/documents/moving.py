"""Verbs that hang messages elsewhere, or take them away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.documents.relations import ancestors, descendants, leaf_below, parent_of, remembered_child
from ctxlab.documents.revision import Revision
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session import Session


def graft(session: Session, node_id: str, parent_id: str) -> Session:
    """A message with all below it, hung on another parent after the children that it has."""
    old = _old_parent(session, node_id, parent_id, "grafted")
    if old == parent_id:
        return session
    leaf = session.active_leaf_id
    carried = leaf in session.nodes and (leaf == node_id or node_id in ancestors(session, leaf))
    revision = Revision(session)
    stays_remembered = carried and (revision.remembered or session.nodes[old].last_selected_child_id == node_id)
    revision.link(old, [key for key in session.children(old) if key != node_id])
    revision.hang([node_id], parent_id)
    if stays_remembered:
        revision.look_at(leaf)
    return revision.session()
