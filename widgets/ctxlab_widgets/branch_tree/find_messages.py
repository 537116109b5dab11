"""Messages that have some words in them, and where in each the words stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

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
    """Those of the keys whose words, name or id have this text in them, whatever the case."""
    wanted = text.strip().casefold()
    if not wanted:
        return []
    return [
        key
        for key in keys
        if wanted in nodes[key].content.casefold()
        or wanted in key.casefold()
        or wanted in (nodes[key].name or "").casefold()
    ]


def snippets(session: Session, keys: Sequence[str], text: str) -> list[Snippet]:
    """The first hits, each with its words around the text; of a hit in a name or an id that name or id."""
    pattern = re.compile(re.escape(text.strip()), re.IGNORECASE)
    depths: dict[str, int] = {}
    return [_snippet(session, key, pattern, depths) for key in keys[:MOST_SNIPPETS]]


def _snippet(session: Session, key: str, pattern: re.Pattern[str], depths: dict[str, int]) -> Snippet:
    node = session.nodes[key]
    fields = (node.content, node.name or "", key)
    said, found = next(((said, hit) for said in fields if (hit := pattern.search(said))), (node.content, None))
    start, end = found.span() if found else (0, 0)
    before = _end_of(said[:start])
    return {
        "key": key,
        "role": "summary" if node.is_summary else node.role,
        "depth": _depth(session.nodes, key, depths),
        "before": _one_line(before),
        "match": _one_line(said[start:end]),
        "after": _one_line(said[end : end + AFTER]),
    }


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
