"""Collects the changes that a verb makes to a session, and builds the new session from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ctxlab.documents.session.message import MessageNode, NodeId

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session


class SessionBuilder:
    """Collects changed nodes; `session()` gives the new session. No parent keeps a memory of a child that left it."""

    def __init__(self, before: Session) -> None:
        self.before = before
        self.leaf = before.active_leaf_id
        self.leaf_moved = False
        self.changes: dict[str, MessageNode | None] = {}
        self.links: dict[str, tuple[NodeId, ...]] = {}

    def node(self, key: str) -> MessageNode:
        return self.changes.get(key) or self.before.nodes[key]

    def children(self, key: str) -> tuple[NodeId, ...]:
        return self.links[key] if key in self.links else self.before.children(key)

    def put(self, key: str, **fields: Any) -> None:
        """Change fields of a node; the values are taken as they are."""
        self.changes[key] = self.node(key).model_copy(update=fields)

    def link(self, key: str, children: Sequence[str]) -> None:
        """List all children of a node."""
        listed = tuple(cast("Sequence[NodeId]", children))
        node = self.node(key)
        if node.last_selected_child_id is not None and node.last_selected_child_id not in listed:
            node = node.without("last_selected_child_id")
        self.links[key] = listed
        self.changes[key] = node.model_copy(update={"children_ids": listed})

    def attach(self, keys: Sequence[str], parent: str) -> None:
        """Move nodes to another parent, after the children that it has."""
        for key in keys:
            self.put(key, parent_id=parent)
        self.link(parent, (*self.children(parent), *keys))

    def move_leaf(self, leaf: str) -> None:
        """Move the active leaf; every parent with several children on the path to it remembers the branch.

        A parent of one child stays as it is: there the way down is the same with a memory and without.
        """
        self.leaf, self.leaf_moved = NodeId(leaf), True
        nodes, changes, links, children = self.before.nodes, self.changes, self.links, self.before.children_by_parent
        key, node = leaf, self.node(leaf)
        for _ in range(len(nodes) + len(changes)):  # no way up is longer, so a circle ends too
            above = node.parent_id
            parent = None if above is None else changes.get(above) or nodes.get(above)
            if above is None or parent is None:
                break
            memory = parent.last_selected_child_id
            if memory is None:
                siblings = links[above] if above in links else children[above]
                remembers = len(siblings) == 1
            else:
                remembers = memory == key
            if not remembers:
                self.put(above, last_selected_child_id=key)
            key, node = above, parent

    def session(self, **fields: Any) -> Session:
        """The new session; the old one itself where nothing has changed."""
        if self.leaf != self.before.active_leaf_id:
            fields["active_leaf_id"] = self.leaf
        if not self.changes and not fields:
            return self.before
        # Verbs that don't look elsewhere leave the way to the leaf as it is, so what is known of it stays true.
        known = self.leaf_moved or self.before._leaf_is_remembered  # pyright: ignore[reportPrivateUsage]
        return self.before.with_nodes(self.changes, leaf_is_remembered=known, **fields)
