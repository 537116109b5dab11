"""The small languages along a conversation: lore message by message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.api.standalone import lore_scan
from ctxlab.documents import Agent, Session, Worldbook

if TYPE_CHECKING:
    from ctxlab.formats import Import
    from ctxlab.studies import LoreTimeline


def lore_timeline(
    session: Session | Import,
    agent: Agent | None = None,
    *,
    books: Worldbook | Sequence[Worldbook],
    leaf: str | None = None,
    activations: Mapping[str, str] | None = None,
    **options: Any,
) -> LoreTimeline:
    """What fires at each message of the path to a leaf (default: the active one), as the conversation grows.

    Each message is scanned once, as if it were the newest, and hands on to the next which lore fired when; so does
    `build` when it is given an earlier trace's `activations`. `options` are those of `build`.
    """
    from ctxlab.studies import LoreTimeline

    chosen = session if isinstance(session, Session) else session.pick()
    known = activations or {}
    scans: dict[str, Any] = {}
    for message in _messages(chosen, leaf):
        scans[message] = lore_scan(books, session, agent, leaf=message, activations=known, **options)
        known = scans[message].activations
    return LoreTimeline(scans)


def _messages(session: Session, leaf: str | None) -> list[str]:
    """What the messages of a path are stored under; an empty root is none."""
    at = leaf if leaf is not None else session.active_leaf_id
    if at is None:
        return []
    session.node(at)
    nodes = session.path(at)
    keys = [*(node.parent_id or "" for node in nodes[1:]), at]
    return [key for key, node in zip(keys, nodes, strict=True) if not node.is_empty_root]
