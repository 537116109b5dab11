"""Nodes of a tree figure: one glyph per message, or one per straight chain of messages where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.documents.tree.graph_and_frame import active_keys
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.documents.session.message import MessageNode
    from ctxlab.documents.session.session import Session
    from ctxlab.documents.tree.graph_and_frame import TreeShape

UNFOLDED = 2000
"""Up to so many messages each has a sign of its own."""
FOLDED = "several in a row"


@dataclass(frozen=True, slots=True, eq=False)
class TreeGlyph:
    """One glyph of the figure: a message, or a straight chain of them."""

    nodes: Sequence[MessageNode]
    keys: Sequence[str]
    parent: int
    look: str
    is_active: bool

    @property
    def is_enabled(self) -> bool:
        return any(node.enabled for node in self.nodes)

    @property
    def edge(self) -> str:
        """The kind of line that leads to it."""
        return "active" if self.is_active else "plain" if self.is_enabled else "off"


def glyphs_of(session: Session, shape: TreeShape) -> list[TreeGlyph]:
    """All glyphs, parents before children; straight chains are collapsed above 2,000 messages."""
    active = active_keys(session)
    foldable = _foldable(session, shape) if len(shape.keys) > UNFOLDED else [False] * len(shape.keys)
    groups, above = grouped_chains(shape.parents, [folds or None for folds in foldable])
    return [
        TreeGlyph(
            nodes=tuple(session.nodes[shape.keys[i]] for i in group),
            keys=tuple(shape.keys[i] for i in group),
            parent=parent,
            look=_look(session.nodes[shape.keys[group[0]]], group, shape.parents[group[0]]),
            is_active=shape.keys[group[0]] in active,
        )
        for group, parent in zip(groups, above, strict=True)
    ]


def grouped_chains(parents: Sequence[int], kinds: Sequence[object]) -> tuple[list[list[int]], list[int]]:
    """Messages in groups, parents before children, and the group above each group; -1 is none.

    A message stands with its parent where both are of one kind, and alone where its kind is None. Only what has one
    child may have a kind, else groups are no chains.
    """
    groups: list[list[int]] = []
    group_of: list[int] = []
    above: list[int] = []
    for i, parent in enumerate(parents):
        if parent >= 0 and kinds[i] is not None and kinds[i] == kinds[parent]:
            group_of.append(group_of[parent])
            groups[group_of[i]].append(i)
        else:
            group_of.append(len(groups))
            groups.append([i])
            above.append(group_of[parent] if parent >= 0 else -1)
    return groups, above


def _foldable(session: Session, shape: TreeShape) -> list[bool]:
    """Whether each message is inside a straight chain: it has one child and is not the active leaf."""
    counts = [0] * len(shape.keys)
    for parent in shape.parents:
        if parent >= 0:
            counts[parent] += 1
    return [
        parent >= 0 and counts[i] == 1 and shape.keys[i] != session.active_leaf_id
        for i, parent in enumerate(shape.parents)
    ]


def _look(node: MessageNode, group: Sequence[int], parent: int) -> str:
    if len(group) > 1:
        return FOLDED
    if node.is_summary:
        return "summary"
    return "root" if parent < 0 and node.role == "system" else node.role


def straight_children(signs: Sequence[TreeGlyph]) -> list[int]:
    """The child drawn in line with each glyph: the next of the active path, else the one with the deepest subtree."""
    heirs = [-1] * len(signs)
    heights = [0] * len(signs)
    for i in range(len(signs) - 1, -1, -1):
        parent = signs[i].parent
        if parent < 0:
            continue
        heir = heirs[parent]
        if heir < 0 or signs[i].is_active or (heights[i] >= heights[heir] and not signs[heir].is_active):
            heirs[parent] = i
        heights[parent] = max(heights[parent], heights[i] + 1)
    return heirs
