"""A conversation: a tree of messages and the leaf that is being looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import Field, PrivateAttr

from ctxlab.documents.message import MessageNode, NodeId, Role
from ctxlab.documents.stored import Note, Stored
from ctxlab.errors import Refused, UnknownNode, did_you_mean


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes from the root (or where the chain breaks) to a leaf; `broken` says why it broke."""

    nodes: tuple[MessageNode, ...]
    broken: str | None = None


class Session(Stored):
    """A tree of messages. Values never change: every verb returns a new session."""

    id: str = ""
    name: str = ""
    root_node_id: NodeId | None = None
    active_leaf_id: NodeId | None = None
    nodes: Mapping[str, MessageNode] = Field(default_factory=dict)
    created_at: str | None = None
    updated_at: str | None = None

    _children: dict[str, tuple[NodeId, ...]] | None = PrivateAttr(None)

    def __repr__(self) -> str:
        return f"Session({self.id!r}, {len(self.nodes)} nodes, leaf {self.active_leaf_id!r})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal; what either has looked up so far doesn't count."""
        if not isinstance(other, Session):
            return NotImplemented
        return self.__dict__ == other.__dict__ and self.model_extra == other.model_extra

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, node_id: str) -> MessageNode:
        return self.node(node_id)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<code>{escape(repr(self))}</code> {escape(self.name)}"

    # --- reading the tree

    def node(self, node_id: str) -> MessageNode:
        """The node of this id; raises UnknownNode."""
        try:
            return self.nodes[node_id]
        except KeyError:
            near = did_you_mean(node_id, list(self.nodes)) if len(self.nodes) <= 200 else ""
            raise UnknownNode(f"session {self.id!r} has no node {node_id!r}{near}") from None

    @property
    def root(self) -> MessageNode | None:
        return self.nodes.get(self.root_node_id) if self.root_node_id else None

    @property
    def leaf(self) -> MessageNode | None:
        """The active leaf, where the session stands."""
        return self.nodes.get(self.active_leaf_id) if self.active_leaf_id else None

    def children(self, node_id: str) -> tuple[NodeId, ...]:
        """Ids of the children: in stored order where there is one, those only known by their parent link after them."""
        return self._index().get(node_id, ())

    def _index(self) -> dict[str, tuple[NodeId, ...]]:
        if self._children is None:
            self._children = _children_of_all(self.nodes)
        return self._children

    def walk(self, leaf: str | None = None) -> Path:
        """The way from the root to `leaf` (default: the active leaf), with the reason where it breaks off."""
        node_id: str | None = leaf if leaf is not None else self.active_leaf_id
        if not node_id:
            return Path((), "there is no active leaf")
        seen: dict[str, MessageNode] = {}
        broken: str | None = None
        while node_id is not None:
            if node_id in seen:
                broken = f"the parents of {next(iter(seen))!r} run in a circle at {node_id!r}"
                break
            node = self.nodes.get(node_id)
            if node is None:
                broken = f"node {node_id!r} does not exist"
                break
            seen[node_id] = node
            node_id = node.parent_id
        return Path(tuple(reversed(seen.values())), broken)

    def path(self, leaf: str | None = None) -> tuple[MessageNode, ...]:
        """Nodes from the root to `leaf` (default: the active leaf), root included."""
        return self.walk(leaf).nodes

    def depth(self, node_id: str) -> int:
        """Steps from the root; the root has 0."""
        self.node(node_id)
        return len(self.path(node_id)) - 1

    def leaves(self) -> tuple[NodeId, ...]:
        """Ids of the nodes without children, in tree order; unreachable ones last."""
        return tuple(NodeId(key) for key in self._keys_in_order() if not self.children(key))

    def in_order(self) -> Iterator[MessageNode]:
        """Every node once, parents before children, siblings in order; unreachable ones last."""
        return (self.nodes[key] for key in self._keys_in_order())

    def _keys_in_order(self) -> Iterator[str]:
        seen: set[str] = set()
        stack: list[str] = [self.root_node_id] if self.root_node_id and self.root_node_id in self.nodes else []
        while stack:
            node_id = stack.pop()
            if node_id in seen:
                continue
            seen.add(node_id)
            yield node_id
            stack.extend(child for child in reversed(self.children(node_id)) if child in self.nodes)
        yield from (key for key in self.nodes if key not in seen)

    # --- health

    def check(self) -> tuple[Note, ...]:
        """Everything that is wrong with the tree; empty when it is sound."""
        from ctxlab.documents.integrity import problems

        return tuple(problem.note for problem in problems(self))

    def repaired(self) -> tuple[Session, tuple[Note, ...]]:
        """A sound session with every message kept, and what was done to get it."""
        from ctxlab.documents.integrity import repaired

        return repaired(self)

    # --- verbs

    def append(
        self,
        content: str,
        *,
        role: Role = "user",
        parent: str | None = None,
        id: str | None = None,
        timestamp: str | None = None,
        **fields: Any,
    ) -> Session:
        """A session with one more message under `parent` (default: the active leaf), which becomes the active leaf.

        Without an `id` the message gets the next free `node-<n>`; without a `timestamp` it has none.
        """
        above = parent if parent is not None else self.active_leaf_id or self.root_node_id
        if above is not None and above not in self.nodes:
            raise UnknownNode(f"session {self.id!r} has no node {above!r} to append to")
        if above is None and self.nodes:
            raise Refused(f"session {self.id!r} has nodes but no leaf and no root to append to; run repaired() first")
        if id is not None and id in self.nodes:
            raise Refused(f"session {self.id!r} already has a node {id!r}")
        new_id = NodeId(id if id is not None else self._free_id())
        given = {"id": new_id, "parent_id": above, "role": role, "content": content, "status": "complete", **fields}
        if timestamp is not None:
            given["timestamp"] = timestamp
        node = MessageNode.model_validate(given)
        nodes = {**self.nodes, new_id: node}
        index = {**self._index()}
        if above is not None:
            siblings = (*index.get(above, ()), new_id)
            index[above] = siblings
            nodes[above] = nodes[above].model_copy(update={"children_ids": siblings, "last_selected_child_id": new_id})
        changed: dict[str, Any] = {"nodes": nodes, "active_leaf_id": new_id}
        if above is None:
            changed["root_node_id"] = new_id
        return self._changed(changed, index)

    def switched(self, node_id: str) -> Session:
        """A session that looks at `node_id`; every parent on the way remembers the branch."""
        self.node(node_id)
        nodes = dict(self.nodes)
        below = node_id
        for above in reversed(self.path(node_id)[:-1]):
            key = self.nodes[below].parent_id or ""
            if above.last_selected_child_id != below:
                nodes[key] = above.model_copy(update={"last_selected_child_id": below})
            below = key
        return self._changed({"nodes": nodes, "active_leaf_id": NodeId(node_id)}, self._index())

    def _free_id(self) -> str:
        n = len(self.nodes)
        while f"node-{n}" in self.nodes:
            n += 1
        return f"node-{n}"

    def _changed(self, fields: dict[str, Any], index: dict[str, tuple[NodeId, ...]]) -> Session:
        session = self.model_copy(update=fields)
        session._children = index
        return session


def _children_of_all(nodes: Mapping[str, MessageNode]) -> dict[str, tuple[NodeId, ...]]:
    found: dict[str, list[NodeId]] = {}
    for key, node in nodes.items():
        if node.parent_id is not None:
            found.setdefault(node.parent_id, []).append(cast("NodeId", key))
    index: dict[str, tuple[NodeId, ...]] = {}
    for key, children in found.items():
        parent = nodes.get(key)
        stored = parent.children_ids if parent is not None else ()
        if stored and list(stored) != children:
            known = set(children)
            listed = [child for child in dict.fromkeys(stored) if child in known]
            placed = set(listed)
            children = listed + [child for child in children if child not in placed]
        index[key] = tuple(children)
    return index
