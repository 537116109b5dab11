"""A session in the making: the changes that a verb makes on top of a session that stays as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ctxlab.documents.message import MessageNode, NodeId
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session import Session

STRUCTURE = {"id": "id", "parent_id": "parentId", "children_ids": "childrenIds"}
STRUCTURE["last_selected_child_id"] = "lastSelectedChildId"


class Revision:
    """Collects changed nodes; `session()` is the result. No parent is left with a memory of a child that went away."""

    def __init__(self, before: Session) -> None:
        self.before = before
        self.changes: dict[str, MessageNode | None] = {}
        self.leaf = before.active_leaf_id

    def node(self, key: str) -> MessageNode:
        changed = self.changes.get(key)
        return changed if changed is not None else self.before.nodes[key]

    def children(self, key: str) -> tuple[NodeId, ...]:
        """Children of a node of the old session, or, once they were given by `link`, the new ones."""
        return self.links[key]
