"""Hits of a search of a workspace, by value, with their snippets, and counts by kind, agent and field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.kinds import KINDS

MOST_HITS = 1000
"""Hits that are listed; the sentence says that there are more."""
LEAD = 16
"""Characters before what was found, in a row of the list."""
SNIPPETS = 3
"""Snippets that a row shows."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "messages": ("content", "result", "translation"),
    "reasoning": ("reasoning",),
    "tool arguments": ("call",),
    "files": ("files",),
}
"""Places in a message where words are found, by the names that people read; other fields are of names."""
PARTS = {
    "preset": "presets",
    "entry": "lore",
    "greeting": "greetings",
    "rule": "rules",
    "action": "quick actions",
    "knowledge": "knowledge",
}
NAMES = "names"


@dataclass(frozen=True, slots=True)
class Found:
    """Hits by kind and id of their value, in the order in which they were found."""

    query: str
    hits: Mapping[tuple[str, str], tuple[Any, ...]]
    count: int = 0
    is_more: bool = False
    order: str = "newest"

    def of_kind(self, kind: str, part: str = "") -> dict[str, list[Any]]:
        """Hits by id of this kind; with a part those that are in it."""
        chosen = {
            id: [hit for hit in hits if part in ("", part_of(hit))] for (k, id), hits in self.hits.items() if k == kind
        }
        return {id: hits for id, hits in chosen.items() if hits}

    def counts(self) -> Counter[str]:
        """Numbers of hits by kind."""
        return Counter({kind: sum(len(hits) for (k, _), hits in self.hits.items() if k == kind) for kind in KINDS})


def found_in(workspace: Any, query: str, mode: str, order: str) -> Found:
    """The first hits of a query in all that a workspace keeps."""
    result = workspace.search(query, mode=mode, order=order, limit=MOST_HITS + 1)
    found = list(islice(iter(result), MOST_HITS + 1))
    by_value: dict[tuple[str, str], list[Any]] = {}
    for hit in found[:MOST_HITS]:
        by_value.setdefault((hit.kind, hit.id), []).append(hit)
    hits = {key: tuple(each) for key, each in by_value.items()}
    return Found(query, hits, min(len(found), MOST_HITS), len(found) > MOST_HITS, order)


def part_of(hit: Any) -> str:
    """Which part of a value a hit is in, such as `messages` or `lore`."""
    kind = hit.key.partition(":")[0]
    if kind in PARTS:
        return PARTS[kind]
    if kind != "node":
        return NAMES
    return next((name for name, fields in FIELDS.items() if hit.field in fields), NAMES)


def snippet_json(hit: Any) -> dict[str, Any]:
    """`{"at", "node", "pieces"}`: where it is in few words, the message or entry, and text and lit text in turn."""
    part = hit.key.partition(":")[0]
    node = hit.node or (hit.key if part == "knowledge" else "")
    return {"at": hit.node or part, "node": node, "pieces": pieces_of(hit.snippet)}


def row_snippet_json(hit: Any) -> dict[str, Any]:
    """A snippet for one line that may be narrow: few characters come before what was found."""
    found = snippet_json(hit)
    lead, *others = found["pieces"]
    if others and len(lead) > LEAD:
        lead = f"…{lead[-LEAD:].lstrip()}"
    return {**found, "pieces": [lead, *others]}


def pieces_of(snippet: Any) -> list[str]:
    """The text of a snippet cut at its spans: every second piece is one that was found."""
    pieces: list[str] = []
    at = 0
    for start, end in snippet.spans:
        pieces += [snippet.text[at:start], snippet.text[start:end]]
        at = end
    return [*pieces, snippet.text[at:]]
