"""The drawing of a tree as the page gets it: positions and flags as numbers, labels as text."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxlab.display.one_line import plain
from ctxlab.documents.tree.collapse import TreeGlyph, depths_of, grouped_chains, straight_children
from ctxlab.documents.tree.graph_and_frame import TreeShape, active_keys, shape_of
from ctxlab.documents.tree.layout import TidyTree

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode, Session

UNFOLDED = 30
"""Up to so many messages each has a sign of its own."""
CHAIN = 3
"""Shorter ones aren't folded."""
CELLS = 24

ROLES = {"system": 0, "user": 1, "assistant": 2, "tool": 3}
OFF, SUMMARY, HIDDEN, ACTIVE, LEAF, OPENED, ROOT = (1 << bit for bit in range(3, 10))


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """Signs, parents before children, each subtree in one piece; a sign is a message or a folded chain of them.

    `keys` are those of all messages, in the order of the signs. `places` holds x and y of all signs as float32, then
    parents and numbers of messages as int32. `flags` are uint16: the role, and above it what `OFF` to `ROOT` say.
    `opened` are the chains that are unfolded.
    """

    keys: tuple[str, ...]
    labels: tuple[str, ...]
    places: bytes
    flags: bytes
    messages: int
    leaves: int
    chains: int
    opened: tuple[frozenset[str], ...]


def drawing_of(session: Session, unfolded: Collection[str], labels: dict[tuple[str, str], str]) -> Drawing:
    """The tree as it is drawn when the chains with these messages in them are unfolded.

    Every parent stands level with the branch that leads deepest, whichever one is active: what is drawn stays where it
    is when the branch is switched. `labels` are kept from one drawing to the next.
    """
    shape = shape_of(session)
    nodes = [session.nodes[key] for key in shape.keys]
    hidden = {key for node in nodes if node.is_summary and node.enabled for key in node.hides}
    folded, opened = _kinds(session, shape, nodes, hidden, unfolded)
    groups, above = grouped_chains(shape.parents, folded)
    signs = [
        TreeGlyph([nodes[i] for i in group], [shape.keys[i] for i in group], parent, "", is_active=False)
        for group, parent in zip(groups, above, strict=True)
    ]
    across = TidyTree(above, straight_children(signs)).places()
    active = active_keys(session)
    alone = frozenset[str]().union(*opened)
    flags = array("H", (_flags(sign, session, active, hidden, alone) for sign in signs))
    return Drawing(
        keys=tuple(key for sign in signs for key in sign.keys),
        labels=tuple(_label(sign, session, labels) for sign in signs),
        places=_places(depths_of(above), across, above, [len(sign.keys) for sign in signs]),
        flags=flags.tobytes(),
        messages=sum(not node.is_empty_root for node in nodes),
        leaves=len(shape.keys) - len({parent for parent in shape.parents if parent >= 0}),
        chains=sum(len(sign.keys) > 1 for sign in signs),
        opened=opened,
    )


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
        ROLES.get(node.role, 0)
        | (0 if sign.is_enabled else OFF)
        | (SUMMARY if node.is_summary else 0)
        | (HIDDEN if key in hidden else 0)
        | (ACTIVE if key in active else 0)
        | (LEAF if session.active_leaf_id in sign.keys else 0)
        | (OPENED if key in opened else 0)
        | (ROOT if sign.parent < 0 else 0)
    )


def _label(sign: TreeGlyph, session: Session, known: dict[tuple[str, str], str]) -> str:
    """The first words; of a chain those of its first message."""
    node, key = sign.nodes[0], sign.keys[0]
    label = known.get((key, node.content))
    if label is None:
        label = known[key, node.content] = plain(node.content, CELLS)
    return label or _placeholder_label(node, session)


def _placeholder_label(node: MessageNode, session: Session) -> str:
    """The label of a message without text."""
    if node.parent_id is None:
        return plain(session.name, CELLS) or "root"
    if node.tool_calls:
        return plain(", ".join(call.name for call in node.tool_calls), CELLS)
    if node.attachments:
        return plain(", ".join(file.name or file.type for file in node.attachments), CELLS)
    return "no words"


def _places(depths: Sequence[int], across: Sequence[float], parents: Sequence[int], counts: Sequence[int]) -> bytes:
    numbers = (array("f", map(float, depths)), array("f", across), array("i", parents), array("i", counts))
    return b"".join(each.tobytes() for each in numbers)
