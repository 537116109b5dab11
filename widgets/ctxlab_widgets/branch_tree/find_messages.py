"""Messages that have some words in them, and where in each the words stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from ctxlab.secrets import masked_in_place
from ctxlab.storage.search.folding import aligned, folded

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode, Session

MOST_SNIPPETS = 300
"""Of more hits the page shows the first words, as in the tree."""
BEFORE, AFTER = 28, 120
"""Characters around the found words."""


class Snippet(TypedDict):
    """The words of a message around a hit, on one line; `depth` counts messages from the root."""

    key: str
    role: str
    depth: int
    before: str
    match: str
    after: str


def found_messages(nodes: Mapping[str, MessageNode], keys: Sequence[str], text: str) -> list[str]:
    """Those of the keys whose words, name or id have this text in them, whatever the case, width and composition."""
    wanted = _compared(text)
    if not wanted:
        return []
    return [key for key in keys if any(wanted in _compared(each) for each in _fields(nodes[key]))]


def snippets(session: Session, keys: Sequence[str], text: str) -> list[Snippet]:
    """The first hits, each with its words around the text; of a hit in a name or an id that name or id."""
    wanted = text.strip()
    depths: dict[str, int] = {}
    return [_snippet(session, key, wanted, depths) for key in keys[:MOST_SNIPPETS]]


def _snippet(session: Session, key: str, wanted: str, depths: dict[str, int]) -> Snippet:
    node = session.nodes[key]
    said = next((said for said in _fields(node) if _compared(wanted) in _compared(said)), "")
    start, end = _place(said, folded(wanted))
    said = masked_in_place(said)
    before = _end_of(said[:start])
    return {
        "key": key,
        "role": "summary" if node.is_summary else node.role,
        "depth": _depth(session.nodes, key, depths),
        "before": _one_line(before),
        "match": _one_line(said[start:end]),
        "after": _one_line(said[end : end + AFTER]),
    }


def _fields(node: MessageNode) -> tuple[str, str, str]:
    return node.content, node.name or "", node.id


def _compared(text: str) -> str:
    """The text as it is looked for, with `ss` for a sharp s."""
    return folded(text.strip()).casefold()


def _place(text: str, wanted: str) -> tuple[int, int]:
    """The first character of folded words in a text and the one behind them; 0 where letters differ by more."""
    found = aligned(text)
    at = found.folded.find(wanted)
    return found.original(at, at + len(wanted)) if wanted and at >= 0 else (0, 0)


def _end_of(text: str) -> str:
    """The last words of what stands before a hit; a word that would be cut is left out."""
    if len(text) <= BEFORE:
        return text
    end = text[-BEFORE:]
    _, blank, words = end.partition(" ")
    return f"…{words if blank and words else end}"


def _depth(nodes: Mapping[str, MessageNode], key: str, known: dict[str, int]) -> int:
    """Messages from the root to this one; a chain of parents that leads in a circle or to nobody ends there."""
    way: list[str] = []
    at: str | None = key
    while at is not None and at in nodes and at not in known:
        known[at] = 0
        way.append(at)
        at = nodes[at].parent_id
    depth = known.get(at, 0) if at is not None else 0
    for each in reversed(way):
        depth += not nodes[each].is_empty_root
        known[each] = depth
    return depth


def _one_line(text: str) -> str:
    """Without line breaks; a blank at an end stays one, since the words go on there."""
    return re.sub(r"\s+", " ", text)
