"""Candidates: what searches found, with the score that minimums are compared with, older answers faded and joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ctxlab.context import KnowledgeAnswer, KnowledgeHit
from ctxlab.lazy_dataclass import dataclass

Join = Literal["best", "sum"]
MEASURES = {"vector": "cosine", "hybrid": "1 / rank"}
"""Words for the measure that a minimum is compared with, by engine; for any other it is the share of the best score."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A piece that a search found. `measure`, from 0 to 1, is what a minimum is compared with; `fresh` is it unfaded.

    By vectors it is the cosine, by keywords and tags the share of the best score, for fused ranks 1 divided by the
    rank. `back` counts the turns since the query that found it.
    """

    hit: KnowledgeHit
    engine: str
    rank: int
    score: float
    measure: float
    fresh: float
    back: int = 0
    query: str = ""

    @property
    def measured_by(self) -> str:
        return measured_by(self.engine)


def measured_by(engine: str) -> str:
    """The meaning of a minimum for an engine, in words."""
    return MEASURES.get(engine, "share of the best score")


def candidates_of(answer: KnowledgeAnswer, *, query: str = "", back: int = 0, decay: float = 1.0) -> list[Candidate]:
    """The hits of an answer as candidates, in its order; those of an older query fade."""
    engine = answer.engine
    best = max((_score(hit.scores, engine) for hit in answer.hits), default=0.0)
    found: list[Candidate] = []
    for place, hit in enumerate(answer.hits, start=1):
        rank, score = hit.ranks.get(engine, place), _score(hit.scores, engine)
        fresh = _measure(engine, rank, score, best)
        found.append(Candidate(hit, engine, rank, score, fresh * decay**back, fresh, back, query))
    return found


def joined(answers: Sequence[Sequence[Candidate]], join: Join) -> tuple[Candidate, ...]:
    """The candidates of several answers, each piece once, best first; those of one answer in its order.

    A piece that several found has the best of its measures, or their sum, at most 1.
    """
    if len(answers) == 1:
        return tuple(answers[0])
    by_piece: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in (each for answer in answers for each in answer):
        by_piece.setdefault((candidate.hit.base, candidate.hit.chunk), []).append(candidate)
    pieces = [_one_of(same, join) for same in by_piece.values()]
    return tuple(sorted(pieces, key=lambda each: (-each.measure, each.back, each.rank)))


def _one_of(same: Sequence[Candidate], join: Join) -> Candidate:
    best = max(same, key=lambda each: each.measure)
    if join == "best" or len(same) == 1:
        return best
    whole = min(sum(each.measure for each in same), 1.0)
    return Candidate(best.hit, best.engine, best.rank, best.score, whole, max(whole, best.fresh), best.back, best.query)


def _score(scores: Mapping[str, float], engine: str) -> float:
    score = scores.get(engine, 0.0)
    return score if score == score else 0.0


def _measure(engine: str, rank: int, score: float, best: float) -> float:
    if engine == "vector":
        return min(max(score, -1.0), 1.0)
    if engine == "hybrid":
        return 1 / max(rank, 1)
    return min(max(score / best, 0.0), 1.0) if best > 0 else 0.0
