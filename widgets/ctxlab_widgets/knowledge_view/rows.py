"""A candidate for the page: its place on one scale from 0 to 1, what became of it and why."""

from __future__ import annotations

from typing import Any

from ctxlab.context import KnowledgeHit
from ctxlab.knowledge.policy.cuts import Decision, change_in_words
from ctxlab.knowledge.policy.report import PlaceholderResult
from ctxlab.pipeline.services import TokenCounter
from ctxlab_widgets.knowledge_view.marked_words import excerpt_of

KINDS = {
    "": "sent",
    "minimum": "below",
    "decay": "faded",
    "base limit": "over limit",
    "limit": "over limit",
    "characters": "no room",
    "tags": "tags",
}
"""The fate of a candidate in a word or two, by what cut it."""
SCALED = ("vector", "keyword", "hybrid")
FEW = 64
"""Candidates up to which each row says its nearest change at once; of more only those that are looked at."""
Row = dict[str, Any]


def rows_of(result: PlaceholderResult, counter: TokenCounter) -> list[Row]:
    """A row a candidate, in the order in which they are sent or cut."""
    best = _best_keyword(result)
    say = len(result.decisions) <= FEW
    return [_row(result, decision, counter, best, say_change=say) for decision in result.decisions]


def key_of(decision: Decision) -> str:
    """The key of a row, such as `kb:harbour/rules#7`; within a placeholder no two have the same."""
    hit = decision.candidate.hit
    return f"kb:{hit.base}/{hit.chunk}"


def shown_title(hit: KnowledgeHit) -> str:
    return hit.title or hit.entry or "untitled"


def remedy_of(result: PlaceholderResult, decision: Decision) -> str:
    """The nearest change in words, such as `minimum 0.71 → 0.69`; empty where there is none."""
    return change_in_words(result.nearest(decision), result.rules, decision.candidate.hit.base)


def kind_of(decision: Decision) -> str:
    return KINDS.get(decision.cut, decision.cut)


def _row(result: PlaceholderResult, decision: Decision, counter: TokenCounter, best: float, *, say_change: bool) -> Row:
    found, hit = decision.candidate, decision.candidate.hit
    row: Row = {
        "key": key_of(decision),
        "title": shown_title(hit),
        "place": hit.place,
        "base": hit.base,
        "base_name": hit.base_name,
        "kind": kind_of(decision),
        "why": decision.reason,
        "tokens": counter.count(hit.text),
        "words": [share.word for share in hit.words],
        "pieces": excerpt_of(hit.text, [share.word for share in hit.words]),
        "marks": _marks(result, decision, best),
        "minimum": _inside(result.rules.minimum_of(hit.base)),
    }
    if found.fresh > found.measure:
        row["fresh"] = _inside(found.fresh)
    if say_change and (words := remedy_of(result, decision)):
        row["change"] = words
    return row


def _marks(result: PlaceholderResult, decision: Decision, best: float) -> dict[str, float]:
    """Places on the scale by engine: a cosine, a share of the best score by keywords, 1 / rank."""
    found, hit = decision.candidate, decision.candidate.hit
    marks: dict[str, float] = {}
    if "vector" in hit.scores:
        marks["vector"] = _inside(hit.scores["vector"])
    if best > 0 and "keyword" in hit.scores:
        marks["keyword"] = _inside(hit.scores["keyword"] / best)
    if rank := hit.ranks.get("hybrid"):
        marks["hybrid"] = _inside(1 / rank)
    if not result.is_static:
        marks[found.engine if found.engine in SCALED else "other"] = _inside(found.measure)
    return marks


def _best_keyword(result: PlaceholderResult) -> float:
    return max((each.candidate.hit.scores.get("keyword", 0.0) for each in result.decisions), default=0.0)


def _inside(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 4) if value == value else 0.0
