"""The drawing of a tree as the page gets it: positions and flags as numbers, ids as text."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.documents.tree.collapse import TreeGlyph, grouped_chains, straight_children
from ctxlab.documents.tree.graph_and_frame import TreeShape, active_keys, shape_of
from ctxlab.documents.tree.layout import FORCE_MOST, LayoutName, Places, apart, layout_places
from ctxlab.lazy_dataclass import dataclass
from ctxlab_widgets.branch_tree.preview import counted

if TYPE_CHECKING:
    from ctxlab.documents import History, MessageNode, Session
    from ctxlab.pipeline.services import TokenCounter

UNFOLDED = 30
"""Up to so many messages each has a sign of its own."""
CHAIN = 3
"""Shorter ones aren't folded."""
BOX = (1.15, 0.9)
"""Room of a box among springs, in lengths of a spring."""

ROLES = {"system": 0, "user": 1, "assistant": 2, "tool": 3}
OFF, SUMMARY, HIDDEN, ACTIVE, LEAF, OPENED, ROOT, FILES = (1 << bit for bit in range(3, 11))


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """Signs, parents before children, each subtree in one piece; a sign is a message or a folded chain of them.

    `keys` are those of all messages, in the order of the signs. `places` holds x and y of all signs as float32, then
    parents and numbers of messages as int32. `flags` are uint16: the role, and above it what `OFF` to `FILES` say.
    `opened` are the chains that are unfolded. `layout` is "tidy" also for what is drawn from the top down: the page,
    which knows the room, turns it.
    """

    keys: tuple[str, ...]
    places: bytes
    flags: bytes
    messages: int
    leaves: int
    chains: int
    opened: tuple[frozenset[str], ...]
    layout: LayoutName
    may_force: bool


def drawing_of(session: Session, unfolded: Collection[str], *, force: bool = False) -> Drawing:
    """The tree as it is drawn when the chains with these messages in them are unfolded.

    Every parent stands level with the branch that leads deepest, whichever one is active: what is drawn stays where it
    is when the branch is switched.
    """
    shape = shape_of(session)
    nodes = [session.nodes[key] for key in shape.keys]
    hidden = hidden_keys(session)
    folded, opened = _kinds(session, shape, nodes, hidden, unfolded)
    groups, above = grouped_chains(shape.parents, folded)
    signs = [
        TreeGlyph([nodes[i] for i in group], [shape.keys[i] for i in group], parent, "", is_active=False)
        for group, parent in zip(groups, above, strict=True)
    ]
    may_force = len(signs) <= FORCE_MOST
    layout: LayoutName = "force" if force and may_force else "tidy"
    places = layout_places(layout, above, straight_children(signs))
    active = active_keys(session)
    alone = frozenset[str]().union(*opened)
    flags = array("H", (_flags(sign, session, active, hidden, alone) for sign in signs))
    return Drawing(
        keys=tuple(key for sign in signs for key in sign.keys),
        places=_places(apart(places, *BOX) if layout == "force" else places, above, [len(sign.keys) for sign in signs]),
        flags=flags.tobytes(),
        messages=sum(not node.is_empty_root for node in nodes),
        leaves=len(shape.keys) - len({parent for parent in shape.parents if parent >= 0}),
        chains=sum(len(sign.keys) > 1 for sign in signs),
        opened=opened,
        layout=layout,
        may_force=may_force,
    )


def tree_facts(history: History, drawing: Drawing, tokenizer: TokenCounter, *, is_given: bool) -> dict[str, Any]:
    """Figures of the tree as a whole, with the names of the changes that could be undone and redone."""
    session, labels, index = history.session, history.labels, history.index
    return {
        "given": is_given,
        "leaf": session.active_leaf_id,
        "depth": counted(session.path()),
        "messages": drawing.messages,
        "leaves": drawing.leaves,
        "chains": drawing.chains,
        "layout": drawing.layout,
        "force_most": 0 if drawing.may_force else FORCE_MOST,
        "estimated": tokenizer.estimated if session.nodes else False,
        "undo": labels[index] if history.can_undo else None,
        "redo": labels[index + 1] if history.can_redo else None,
    }


def hidden_keys(session: Session) -> set[str]:
    """Keys of the messages that a summary stands for."""
    return {key for node in session.nodes.values() if node.is_summary and node.enabled for key in node.hides}


def _kinds(
    session: Session, shape: TreeShape, nodes: Sequence[MessageNode], hidden: set[str], unfolded: Collection[str]
) -> tuple[list[object], tuple[frozenset[str], ...]]:
    """The messages that each may be folded with, and the chains that a person has unfolded.

    Where a branch begins or ends, the message stands alone: its first words tell branches apart.
    """
    if len(nodes) <= UNFOLDED:
        return [None] * len(nodes), ()
    counts = [0] * len(nodes)
    for parent in shape.parents:
        if parent >= 0:
            counts[parent] += 1
    kinds: list[object] = [
        (node.enabled, shape.keys[i] in hidden)
        if parent >= 0
        and counts[i] == counts[parent] == 1
        and shape.keys[i] != session.active_leaf_id
        and not node.is_summary
        else None
        for i, (parent, node) in enumerate(zip(shape.parents, nodes, strict=True))
    ]
    opened: list[frozenset[str]] = []
    for group in grouped_chains(shape.parents, kinds)[0]:
        keys = frozenset(shape.keys[i] for i in group)
        if len(group) >= CHAIN and keys.isdisjoint(unfolded):
            continue
        if len(group) >= CHAIN:
            opened.append(keys)
        for i in group:
            kinds[i] = None
    return kinds, tuple(opened)


def _flags(sign: TreeGlyph, session: Session, active: set[str], hidden: set[str], opened: frozenset[str]) -> int:
    node, key = sign.nodes[0], sign.keys[0]
    return (
        message_flags(node, is_active=key in active, is_hidden=key in hidden, is_root=sign.parent < 0) & ~OFF
        | (0 if sign.is_enabled else OFF)
        | (LEAF if session.active_leaf_id in sign.keys else 0)
        | (OPENED if key in opened else 0)
        | (FILES if any(each.attachments for each in sign.nodes) else 0)
    )


def message_flags(node: MessageNode, *, is_active: bool, is_hidden: bool, is_root: bool) -> int:
    """The role of a message, and what there is to say of it alone."""
    return (
        ROLES.get(node.role, 0)
        | (0 if node.enabled else OFF)
        | (SUMMARY if node.is_summary else 0)
        | (HIDDEN if is_hidden else 0)
        | (ACTIVE if is_active else 0)
        | (ROOT if is_root else 0)
        | (FILES if node.attachments else 0)
    )


def _places(places: Places, parents: Sequence[int], counts: Sequence[int]) -> bytes:
    x, y = (array("f", (place[axis] for place in places)) for axis in (0, 1))
    return b"".join(each.tobytes() for each in (x, y, array("i", parents), array("i", counts)))
