"""The messages of a path that stand for themselves: those switched off and those that a summary hides left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from ctxlab.context import Draft, Origin
from ctxlab.context.tool_pairs import ToolUnit, units_newest_first
from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass

OF_STAND_INS: Final = ("reasoning", "tool-result")
"""`compressionKind` of the nodes that are shorter copies of one message."""


@dataclass(frozen=True, eq=False)
class VisiblePath:
    """The path to a leaf: `whole` are all of its nodes, `nodes` those that are sent, as far as the tree says."""

    session: Session
    leaf: str | None
    whole: tuple[MessageNode, ...]
    nodes: tuple[MessageNode, ...]

    @classmethod
    def of(cls, session: Session, leaf: str | None = None) -> VisiblePath:
        leaf = leaf if leaf is not None else session.active_leaf_id
        whole = _under_their_keys(session.path(leaf), leaf) if leaf is not None else ()
        hidden = {key for node in whole if node.is_summary and node.enabled for key in node.hides}
        nodes = tuple(n for n in whole if n.id not in hidden and n.enabled and not n.is_empty_root)
        return cls(session, leaf, whole, nodes)

    def __repr__(self) -> str:
        return f"VisiblePath({self.session.id!r}, {len(self.nodes)} of {len(self.whole)} nodes)"

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Positions in `nodes` by id."""
        return {node.id: i for i, node in enumerate(self.nodes)}

    @cached_property
    def units(self) -> tuple[ToolUnit, ...]:
        """Messages that can only go together, by their positions, oldest first."""
        found = units_newest_first([_draft(node) for node in self.nodes])
        return tuple(sorted(found, key=lambda unit: unit.at[0]))


def is_candidate(node: MessageNode) -> bool:
    """Whether a message can go into a summary: no system message and no summary, but for a stand-in of one message."""
    return is_stand_in(node) or (node.role != "system" and not node.is_summary)


def is_stand_in(node: MessageNode) -> bool:
    """Whether a node stands for one message, of which it is a shorter copy."""
    if not node.is_summary:
        return False
    return node.meta("compressionKind") in OF_STAND_INS or node.result_of is not None or bool(node.tool_calls)


def is_full_summary(node: MessageNode) -> bool:
    """Whether a node is a summary in words, of any number of messages."""
    return node.is_summary and not is_stand_in(node)


def _under_their_keys(nodes: Sequence[MessageNode], leaf: str) -> tuple[MessageNode, ...]:
    """The nodes of a path, each called as the tree calls it, whatever it says of itself."""
    keys = [*(node.parent_id for node in nodes[1:]), leaf]
    return tuple(n if n.id == key else n.model_copy(update={"id": key}) for n, key in zip(nodes, keys, strict=False))


def _draft(node: MessageNode) -> Draft:
    calls, result_of, _, _ = node.sent_fields
    return Draft(node.id, node.role, (), Origin("node", node.id), calls=calls, result_of=result_of)
