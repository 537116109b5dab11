"""Messages of a path that an export shows, without those that a summary hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from ctxlab.documents import MessageNode, Session
from ctxlab.errors import WriteError
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass

Span = tuple[int, int]
"""First and last message, counted from 1, both included."""


@dataclass(frozen=True, slots=True)
class VisiblePath:
    """The messages of a path that an export shows; `total` is their number before a span was taken."""

    nodes: tuple[MessageNode, ...]
    total: int
    span: Span | None = None
    hidden_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    losses: tuple[Loss, ...] = ()

    def hidden_by(self, node: MessageNode) -> int:
        """Number of messages of the path that a summary hides; 0 for other messages."""
        return self.hidden_counts.get(node.id, 0)


def visible_path(
    session: Session, leaf: str | None = None, *, span: Span | None = None, whole: bool = False
) -> VisiblePath:
    """The messages from the root to `leaf`, without those that an enabled summary on the path hides, unless `whole`.

    Raises UnknownNode for a leaf that isn't there, WriteError for a span without a message.
    """
    if leaf is not None:
        session.node(leaf)
    path = session.walk(leaf)
    losses = [Loss("the path", f"it breaks off: {path.broken}")] if path.broken else []
    nodes = [node for node in path.nodes if not node.is_empty_root]
    hidden = {} if whole else _hidden(nodes)
    left = [node for node in nodes if node.id not in hidden]
    hidden_counts = Counter(hidden.values())
    losses += [
        Loss(f"node {summary!r}", f"it stands for others, which are left out: {count}")
        for summary, count in hidden_counts.items()
    ]
    taken = _clamped(span, len(left)) if span is not None else None
    shown = left if taken is None else left[taken[0] - 1 : taken[1]]
    return VisiblePath(tuple(shown), len(left), taken, hidden_counts, tuple(losses))


def _hidden(nodes: list[MessageNode]) -> dict[str, str]:
    """Ids of the messages on the path that a summary hides, with the summary's."""
    ids = {node.id for node in nodes}
    return {key: node.id for node in nodes if node.enabled and node.is_summary for key in node.hides if key in ids}


def _clamped(span: Span, count: int) -> Span:
    first, last = span
    if not 1 <= first <= min(last, count):
        raise WriteError(f"span {span!r} holds no message: (first, last) counts from 1, and there are {count}")
    return first, min(last, count)
