"""Facts that the page has of each message, in a chain or not: its first words, its tokens and when it was written."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from datetime import UTC, datetime
from math import nan
from typing import TYPE_CHECKING

from ctxlab.display.one_line import plain
from ctxlab.documents.moments import on_one_clock
from ctxlab.documents.tree.graph_and_frame import active_keys
from ctxlab_widgets.branch_tree.payload import LEAF, hidden_keys, message_flags

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode, Session
    from ctxlab.pipeline.services import TokenCounter

CELLS, FEWER_CELLS, MANY = 160, 48, 25_000
"""A line of a wide screen, and one for trees of more messages than `MANY`: the page has the words of all of them.

Of 10,000 messages these are 1.8 MB, of 100,000 7 MB; they are sent again only when words change.
"""
COUNTED = 10_000_000
"""Tokens are counted up to so many characters, once: half a second. UNKNOWN stands for what is not counted."""
UNKNOWN = -1


class MessageFacts:
    """Facts of all messages of a session, kept from one drawing to the next as far as they are the same."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], str] = {}
        self._cells = CELLS

    def words(self, session: Session) -> list[str]:
        """The first words of all messages in the order in which the session holds them, or what stands for them."""
        cells = CELLS if len(session.nodes) <= MANY else FEWER_CELLS
        if cells != self._cells:
            self._words, self._cells = {}, cells
        return [self._first_words(key, node) or _placeholder(node, session) for key, node in session.nodes.items()]

    def _first_words(self, key: str, node: MessageNode) -> str:
        known = self._words.get((key, node.content))
        if known is None:
            known = self._words[key, node.content] = plain(node.content, self._cells)
        return known


def packed_messages(session: Session, keys: Sequence[str], tokenizer: TokenCounter) -> bytes:
    """Of each key seconds as float64; then its place in the session and its tokens as int32; then flags as uint16.

    The seconds are those since 1970 of one clock, that of the zone which the session's first time is written in; NaN
    where nobody wrote one down.
    """
    nodes = [session.nodes[key] for key in keys]
    numbers = {key: i for i, key in enumerate(session.nodes)}
    times = dict(zip(numbers, on_one_clock(node.timestamp for node in session.nodes.values()), strict=True))
    active, hidden = active_keys(session), hidden_keys(session)

    def flags(key: str, node: MessageNode) -> int:
        is_root = node.parent_id not in session.nodes
        own = message_flags(node, is_active=key in active, is_hidden=key in hidden, is_root=is_root)
        return own | (LEAF if key == session.active_leaf_id else 0)

    is_counted = sum(len(node.content) for node in nodes) <= COUNTED
    columns = (
        array("d", (_seconds(times[key]) for key in keys)),
        array("i", (numbers[key] for key in keys)),
        array("i", (tokenizer.count(node.content) if is_counted else UNKNOWN for node in nodes)),
        array("H", map(flags, keys, nodes)),
    )
    return b"".join(column.tobytes() for column in columns)


def _seconds(moment: datetime | None) -> float:
    return nan if moment is None else moment.replace(tzinfo=UTC).timestamp()


def _placeholder(node: MessageNode, session: Session) -> str:
    """The words for a message without text."""
    if node.parent_id is None:
        return plain(session.name, CELLS) or "root"
    if node.tool_calls:
        return plain(", ".join(call.name for call in node.tool_calls), CELLS)
    if node.attachments:
        return plain(", ".join(file.name or file.type for file in node.attachments), CELLS)
    return "no words"
