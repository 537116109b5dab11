"""The query of a placeholder, and what each of its words brought to the pieces that were found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.context import QueryPart
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.knowledge.policy.report import PlaceholderResult

MOST_SILENT = 12
"""Words that brought nothing, the first of which are told."""
SPEAKERS = {"user": "the user", "assistant": "the reply", "tool": "a tool"}


def parts_in_words(query: Sequence[QueryPart]) -> list[dict[str, Any]]:
    """Each text of a query, who said it and its weight."""
    return [{"who": _who(part), "weight": f"{part.weight:.2g}", "text": part.text} for part in query]


def brought(result: PlaceholderResult, query: Sequence[str]) -> list[dict[str, Any]]:
    """A row a word: the pieces that have it, and its share of the score by keywords of what is sent.

    Where nothing is sent it is the share of all pieces. Words of the query that brought nothing come last.
    """
    pieces, scores = dict[str, int](), dict[str, float]()
    counted = result.sent or result.decisions
    for decision in result.decisions:
        for share in decision.candidate.hit.words:
            pieces[share.word] = pieces.get(share.word, 0) + 1
    for decision in counted:
        for share in decision.candidate.hit.words:
            scores[share.word] = scores.get(share.word, 0.0) + share.score
    whole = sum(scores.values())
    shares = {word: round(scores.get(word, 0.0) / whole, 4) if whole > 0 else 0.0 for word in pieces}
    order = sorted(pieces, key=lambda word: (-shares[word], -pieces[word], word))
    rows: list[dict[str, Any]] = [{"word": word, "pieces": pieces[word], "share": shares[word]} for word in order]
    known = {term for word in pieces for _, term in words_as_written(word)}
    silent: dict[str, str] = {}
    for text in query:
        for written, term in words_as_written(text):
            if term not in known and written not in pieces:
                silent.setdefault(term, written)
    return rows + [{"word": word, "pieces": 0, "share": 0.0} for word in list(silent.values())[:MOST_SILENT]]


def _who(part: QueryPart) -> str:
    who = SPEAKERS.get(part.role, part.role)
    return f"{who}, {part.back} {'turn' if part.back == 1 else 'turns'} before" if part.back else who
