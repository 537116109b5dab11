"""Checks of a session's tree, and its repair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.documents.session.message import MessageNode, NodeId
from ctxlab.documents.stored import Note
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken invariant: `kind` is a word to filter by, `node` the node it is about."""

    kind: str
    node: str
    text: str

    @property
    def note(self) -> Note:
        return Note("warning", self.text, details={"kind": self.kind, "node": self.node})


def problems(session: Session) -> Iterator[Problem]:
    """Every broken invariant of the tree, root and leaf first, then node by node."""
    yield from _root_and_leaf(session)
    reachable = _reachable(session)
    cyclic = _in_circles(session)
    for key, node in session.nodes.items():
        yield from _of_node(session, key, node)
        if key in cyclic:
            yield Problem("cycle", key, f"node {key!r} is its own ancestor")
        elif key not in reachable and node.parent_id is not None and node.parent_id in session.nodes:
            yield Problem("unreachable", key, f"node {key!r} can't be reached from the root")


def _root_and_leaf(session: Session) -> Iterator[Problem]:
    root, leaf = session.root_node_id, session.active_leaf_id
    if not session.nodes:
        yield Problem("empty", "", f"session {session.id!r} has no nodes")
        return
    if not root:
        yield Problem("no-root", "", f"session {session.id!r} names no root")
    elif root not in session.nodes:
        yield Problem("missing-root", root, f"root {root!r} does not exist")
    elif session.nodes[root].parent_id is not None:
        yield Problem("root-has-parent", root, f"root {root!r} has a parent, {session.nodes[root].parent_id!r}")
    if not leaf:
        yield Problem("no-leaf", "", f"session {session.id!r} has no active leaf")
    elif leaf not in session.nodes:
        yield Problem("missing-leaf", leaf, f"active leaf {leaf!r} does not exist")
    elif session.walk(leaf).nodes[0].id != root:
        yield Problem("leaf-off-tree", leaf, f"active leaf {leaf!r} does not hang on the root")


def _of_node(session: Session, key: str, node: MessageNode) -> Iterator[Problem]:
    if node.id != key:
        yield Problem("id-mismatch", key, f"node under key {key!r} calls itself {node.id!r}")
    if node.parent_id is None and key != session.root_node_id:
        yield Problem("second-root", key, f"node {key!r} has no parent and is not the root")
    if node.parent_id is not None and node.parent_id not in session.nodes:
        yield Problem("missing-parent", key, f"node {key!r} has a parent that does not exist, {node.parent_id!r}")
    for child, times in Counter(node.children_ids).items():
        if times > 1:
            yield Problem("duplicate-child", key, f"node {key!r} lists child {child!r} {times} times")
        if child not in session.nodes:
            yield Problem("missing-child", key, f"node {key!r} lists a child that does not exist, {child!r}")
        elif session.nodes[child].parent_id != key:
            yield Problem(
                "foreign-child",
                key,
                f"node {key!r} lists {child!r}, whose parent is {session.nodes[child].parent_id!r}",
            )
    if node.children_ids:
        listed = set(node.children_ids)
        for child in session.children(key):
            if child not in listed:
                yield Problem("unlisted-child", key, f"node {key!r} does not list its child {child!r}")
    memory = node.last_selected_child_id
    if memory is not None and memory not in session.children(key):
        yield Problem("stale-memory", key, f"node {key!r} remembers branch {memory!r}, which is not its child")


def _reachable(session: Session) -> set[str]:
    root = session.root_node_id
    stack: list[str] = [root] if root and root in session.nodes else []
    seen: set[str] = set()
    while stack:
        key = stack.pop()
        if key not in seen:
            seen.add(key)
            stack.extend(session.children(key))
    return seen


def _in_circles(session: Session) -> set[str]:
    """Nodes that lie on a circle of parents; each node is walked over once."""
    done: set[str] = set()
    circles: set[str] = set()
    for start in session.nodes:
        trail: dict[str, None] = {}
        key: str | None = start
        while key is not None and key in session.nodes and key not in done and key not in trail:
            trail[key] = None
            key = session.nodes[key].parent_id
        if key is not None and key in trail:
            steps = list(trail)
            circles.update(steps[steps.index(key) :])
        done.update(trail)
    return circles


def repaired(session: Session) -> tuple[Session, tuple[Note, ...]]:
    """A sound session with every message kept; nodes without a parent are attached to the root."""
    notes: list[Note] = []

    def say(kind: str, node: str, text: str) -> None:
        notes.append(Note("info", text, details={"kind": kind, "node": node}))

    nodes: dict[str, MessageNode] = {}
    for key, node in session.nodes.items():
        if node.id != key:
            say("id-mismatch", key, f"node {node.id!r} is called {key!r} now, as its key says")
        nodes[key] = node if node.id == key else node.model_copy(update={"id": NodeId(key)})
    root = _root_for(session, nodes, say)
    parents = _parents_for(nodes, root, say)
    mended = _linked(session, nodes, parents, say)
    leaf = session.active_leaf_id
    if leaf not in mended:
        leaf = _deepest_last(mended, root)
        if session.active_leaf_id != leaf:
            say("missing-leaf", leaf, f"the active leaf is {leaf!r} now, was {session.active_leaf_id!r}")
    return session.model_copy(update={"nodes": mended, "root_node_id": root, "active_leaf_id": leaf}), tuple(notes)


def _root_for(session: Session, nodes: dict[str, MessageNode], say: Any) -> NodeId:
    root = session.root_node_id
    if root in nodes and nodes[root].parent_id is None:
        return root
    if root in nodes:
        say("root-has-parent", root, f"root {root!r} lost its parent {nodes[root].parent_id!r}")
        nodes[root] = nodes[root].model_copy(update={"parent_id": None})
        return root
    tops = [key for key, node in nodes.items() if node.parent_id is None]
    if len(tops) == 1 and not root:
        say("no-root", tops[0], f"the root is {tops[0]!r}, the only node without a parent")
        return NodeId(tops[0])
    new = root or "root"
    while new in nodes:
        new += "_"
    say("missing-root", new, f"an empty root {new!r} was made")
    nodes[new] = MessageNode.model_validate({"id": new, "parentId": None, "role": "system", "content": ""})
    return NodeId(new)


def _parents_for(nodes: dict[str, MessageNode], root: str, say: Any) -> dict[str, str]:
    parents: dict[str, str] = {}
    for key, node in nodes.items():
        if key == root:
            continue
        parent = node.parent_id
        if parent is None or parent not in nodes:
            kind, was = ("second-root", "nothing") if parent is None else ("missing-parent", repr(parent))
            say(kind, key, f"node {key!r} hangs on the root now, was {was}")
            parent = NodeId(root)
        parents[key] = parent
    sound: set[str] = {root}
    for start in list(parents):
        trail: dict[str, None] = {}
        key = start
        while key not in sound and key not in trail:
            trail[key] = None
            key = parents[key]
        if key in trail:
            say("cycle", key, f"node {key!r} was its own ancestor and hangs on the root now")
            parents[key] = root
        sound.update(trail)
    return parents


def _linked(
    session: Session, nodes: dict[str, MessageNode], parents: dict[str, str], say: Any
) -> dict[str, MessageNode]:
    children: dict[str, list[NodeId]] = {key: [] for key in nodes}
    for key in nodes:
        for child in session.children(key):
            if parents.get(child) == key:
                children[key].append(child)
    listed = {child for found in children.values() for child in found}
    for key, parent in parents.items():
        if key not in listed:
            children[parent].append(NodeId(key))
    mended: dict[str, MessageNode] = {}
    for key, node in nodes.items():
        new: dict[str, Any] = {}
        parent = parents.get(key)
        if node.parent_id != parent:
            new["parent_id"] = parent
        if node.children_ids != tuple(children[key]):
            if node.children_ids:
                say("children", key, f"node {key!r} lists the children that name it as parent")
            new["children_ids"] = tuple(children[key])
        if node.last_selected_child_id is not None and node.last_selected_child_id not in children[key]:
            say("stale-memory", key, f"node {key!r} forgot branch {node.last_selected_child_id!r}")
            new["last_selected_child_id"] = None
        mended[key] = node.model_copy(update=new) if new else node
    return mended


def _deepest_last(nodes: dict[str, MessageNode], root: NodeId) -> NodeId:
    key = root
    while nodes[key].children_ids:
        memory = nodes[key].last_selected_child_id
        key = memory if memory is not None else nodes[key].children_ids[-1]
    return key
