"""A conversation: a tree of messages and its active leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr

from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import FreezeTable, FrozenDict
from ctxlab.documents.session import add_messages, edit_messages, greetings, move_messages, tree_queries
from ctxlab.documents.session.children import Index, arranged, index_of, reindexed
from ctxlab.documents.session.message import MessageNode, NodeId
from ctxlab.documents.session.message_json import edit_json, message_json, message_problems
from ctxlab.documents.stored import Note, Stored
from ctxlab.documents.tree import graph_and_frame
from ctxlab.errors import UnknownNode, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes from the root (or where the chain breaks) to a leaf; `broken` says why it broke."""

    nodes: tuple[MessageNode, ...]
    broken: str | None = None


def _letters(node_id: str) -> str:
    return "".join(c for c in node_id if not c.isdigit())


class Session(Stored):
    """A tree of messages. Values never change: every verb returns a new session."""

    id: str = ""
    name: str = ""
    root_node_id: NodeId | None = None
    active_leaf_id: NodeId | None = None
    nodes: Annotated[Mapping[str, MessageNode], FreezeTable] = Field(default_factory=FrozenDict)
    created_at: str | None = None
    updated_at: str | None = None

    _children: Index | None = PrivateAttr(None)
    _leaf_is_remembered: bool | None = PrivateAttr(None)
    _walked: tuple[str | None, Path] | None = PrivateAttr(None)  # the way that was asked for last

    def _repr_parts(self) -> Iterator[str]:
        yield from (repr(self.id), f"{len(self.nodes)} nodes", f"leaf {self.active_leaf_id!r}")

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
        from ctxlab.documents.session.html import session_html

        return session_html(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("session", self)

    # --- reading the tree

    def node(self, node_id: str) -> MessageNode:
        """The node of this id; raises UnknownNode."""
        try:
            return self.nodes[node_id]
        except (KeyError, TypeError):
            self._refuse_other_than_id(node_id, "Session.node")
            raise UnknownNode(f"session {self.id!r} has no node {node_id!r}{self._instead_of(node_id)}") from None

    def _instead_of(self, node_id: str) -> str:
        """A clause for an id that isn't there: what may be meant, else how many messages there are and the last one."""
        if (bare := node_id.partition(":")[2]) in self.nodes:  # the key of its message, as in a trace
            return f"; did you mean {bare!r}?"
        near = did_you_mean(node_id, list(self.nodes)[:2000])
        meant = near.partition("'")[2].rpartition("'")[0] if "did you mean" in near else ""
        if meant and _letters(meant) != _letters(node_id):  # of numbered ids the nearest says nothing
            return near
        count = greetings.message_count(self)
        last = self.active_leaf_id if self.active_leaf_id in self.nodes else next(reversed(list(self.nodes)), None)
        return f"; it has {counted(count, 'message')}, the last is {last!r}" if count else "; it has no messages"

    @property
    def root(self) -> MessageNode | None:
        return self.nodes.get(self.root_node_id) if self.root_node_id else None

    @property
    def leaf(self) -> NodeId | None:
        """Id of the active leaf; a verb that creates a message moves it there."""
        return self.active_leaf_id

    @property
    def leaf_node(self) -> MessageNode | None:
        return self.nodes.get(self.active_leaf_id) if self.active_leaf_id else None

    def children(self, node_id: str) -> tuple[NodeId, ...]:
        """Ids of the children: in stored order where there is one, those only known by their parent link after them."""
        try:
            return self.children_by_parent.get(node_id, ())
        except TypeError:
            self._refuse_other_than_id(node_id, "Session.children")
            raise

    @property
    def children_by_parent(self) -> Mapping[str, tuple[NodeId, ...]]:
        """Ids of the children by parent id, for all nodes that have any, each in the order of `children`."""
        if self._children is None:
            self._children = index_of(self.nodes)
        return self._children

    @checked_arguments
    def walk(self, leaf: str | None = None) -> Path:
        """The path from the root to `leaf` (default: the active leaf), with the reason where it breaks off."""
        node_id: str | None = leaf if leaf is not None else self.active_leaf_id
        if self._walked is None or self._walked[0] != node_id:
            self._walked = (node_id, self._walk(node_id))
        return self._walked[1]

    def _walk(self, node_id: str | None) -> Path:
        nodes = self.nodes
        if not node_id:
            return Path((), "there is no active leaf")
        seen: dict[str, MessageNode] = {}
        broken: str | None = None
        while node_id is not None:
            if node_id in seen:
                broken = f"the parents of {next(iter(seen))!r} run in a circle at {node_id!r}"
                break
            node = nodes.get(node_id)
            if node is None:
                broken = f"node {node_id!r} does not exist"
                break
            seen[node_id] = node
            node_id = node.parent_id
        return Path(tuple(reversed(seen.values())), broken)

    @checked_arguments
    def path(self, leaf: str | None = None) -> tuple[MessageNode, ...]:
        """Nodes from the root to `leaf` (default: the active leaf), root included."""
        return self.walk(leaf).nodes

    @checked_arguments
    def depth(self, node_id: str) -> int:
        """Steps from the root; the root has 0."""
        self.node(node_id)
        return len(self.path(node_id)) - 1

    def leaves(self) -> tuple[NodeId, ...]:
        """Ids of the nodes without children, in tree order; unreachable ones last."""
        parents = self.children_by_parent
        return tuple(NodeId(key) for key in self._keys_in_order() if not parents.get(key))

    def in_order(self) -> Iterator[MessageNode]:
        """Every node once, parents before children, siblings in order; unreachable ones last."""
        return (self.nodes[key] for key in self._keys_in_order())

    ancestors = tree_queries.ancestors
    descendants = tree_queries.descendants
    leaf_below = tree_queries.leaf_below
    relation = tree_queries.relation
    siblings = tree_queries.siblings

    can_be_greeted = property(greetings.can_be_greeted)
    greetings_are_settled = property(greetings.greetings_are_settled)
    message_count = property(greetings.message_count)

    figure = graph_and_frame.figure
    frame = graph_and_frame.frame
    graph = graph_and_frame.graph

    def _keys_in_order(self) -> Iterator[str]:
        seen: set[str] = set()
        nodes, children = self.nodes, self.children_by_parent  # asked for once: looking up what a model keeps is slow
        stack: list[str] = [self.root_node_id] if self.root_node_id and self.root_node_id in self.nodes else []
        while stack:
            node_id = stack.pop()
            if node_id in seen:
                continue
            seen.add(node_id)
            yield node_id
            stack.extend(child for child in reversed(children.get(node_id, ())) if child in nodes)
        yield from (key for key in nodes if key not in seen)

    def _refuse_other_than_id(self, given: object, function: str) -> None:
        """Raise WrongArgument for what is no id; asked when a lookup failed, because nodes are looked up often."""
        if not isinstance(given, str):
            raise WrongArgument(f"node_id takes a str, got {shown(given)}", function=function) from None

    # --- health

    def check(self) -> tuple[Note, ...]:
        """Everything that is wrong with the tree; empty when it is sound."""
        from ctxlab.documents.session.check_tree import problems

        return tuple(problem.note for problem in problems(self))

    def repaired(self) -> tuple[Session, tuple[Note, ...]]:
        """A sound session with every message kept, and what was done to get it."""
        from ctxlab.documents.session.check_tree import repaired

        return repaired(self)

    # --- data: a message as JSON text, and what keeps it from taking other data

    message_json = message_json
    message_problems = message_problems

    # --- verbs: each gives a new session, see the modules they come from

    append = add_messages.append
    append_pair = add_messages.append_pair
    branch = add_messages.branch
    branch_from_edit = add_messages.branch_from_edit
    continue_from = add_messages.continue_from
    regenerate = add_messages.regenerate

    disable = edit_messages.disable
    edit = edit_messages.edit
    edit_json = edit_json
    enable = edit_messages.enable
    update = edit_messages.update
    update_translation = edit_messages.update_translation

    delete = move_messages.delete
    graft = move_messages.graft
    move = move_messages.move
    transfer_children = move_messages.transfer_children

    choose_greeting = greetings.choose_greeting
    greet = greetings.greet
    settle_greetings = greetings.settle_greetings

    switched = move_messages.switched
    switched_to_sibling = move_messages.switched_to_sibling

    def with_nodes(
        self,
        changes: Mapping[str, MessageNode | None],
        *,
        places: Mapping[str, int] | None = None,
        leaf_is_remembered: bool | None = None,
        **fields: Any,
    ) -> Session:
        """A session with some nodes replaced, unchecked; the verbs use it.

        None takes a node out. A new one comes last, or where `places` says in the order of all nodes. `fields` are
        fields of the session; who knows what the property `leaf_is_remembered` will say can say it here.
        """
        if changes:
            fields["nodes"] = arranged(self.nodes, changes, places or {})
        session = self.model_copy(update=fields)
        in_order = not places or self.nodes.keys().isdisjoint(places)
        if self._children is not None and in_order and 2 * len(changes) < len(session.nodes):
            session._children = reindexed(self._children, self.nodes, session.nodes, changes)
        session._leaf_is_remembered = leaf_is_remembered
        return session

    @property
    def leaf_is_remembered(self) -> bool:
        """Whether the remembered branches lead from the root to the active leaf."""
        if self._leaf_is_remembered is None:
            self._leaf_is_remembered = tree_queries.leads_to_leaf(self)
        return self._leaf_is_remembered

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what was looked up in the nodes is forgotten if they are others."""
        copy = super().model_copy(update=update, deep=deep)
        if update and not update.keys().isdisjoint(("nodes", "active_leaf_id")):
            copy._leaf_is_remembered = None
        if update and "nodes" in update:
            copy._children = copy._walked = None
        return copy
