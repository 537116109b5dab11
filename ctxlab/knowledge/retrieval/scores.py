"""The scores of a search by engine and by chunk, over all bases that were searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import NamedTuple

from ctxlab.context.knowledge_hit import KnowledgeHit, WordShare
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.knowledge.index import Scored
from ctxlab.lazy_dataclass import dataclass


class ChunkKey(NamedTuple):
    """A chunk of a base, by their ids."""

    base: str
    chunk: str


@dataclass(slots=True)
class Scores:
    """Scores and ranks by engine, and what words brought."""

    scores: dict[str, dict[ChunkKey, float]] = field(default_factory=dict[str, dict[ChunkKey, float]])
    ranks: dict[str, dict[ChunkKey, int]] = field(default_factory=dict[str, dict[ChunkKey, int]])
    words: dict[ChunkKey, tuple[WordShare, ...]] = field(default_factory=dict[ChunkKey, tuple[WordShare, ...]])

    def take(self, engine: str, found: Mapping[str, Iterable[Scored]], depth: int) -> None:
        """Put in the hits of an engine in each base, ranked over all of them.

        Of several bases a rank is known for the first `depth` alone: what is behind these isn't there from each.
        """
        rows = sorted(
            [(-each.score, order, each.rank, ChunkKey(base, each.id)) for order, (base, each) in _each(found)],
            key=lambda row: row[:3],
        )
        one = len(found) == 1
        self.scores[engine] = {key: -score for score, _, _, key in rows}
        self.ranks[engine] = {
            key: known
            for place, (_, _, rank, key) in enumerate(rows, 1)
            if (known := rank if one else place if place <= depth else 0)
        }

    def put(self, engine: str, scores: Mapping[ChunkKey, float], order: Mapping[ChunkKey, int] | None = None) -> None:
        """An engine's scores of chunks; of equal ones that is better which `order` ranks better."""
        places = order or {}
        last = len(places) + 1
        keys = sorted(scores, key=lambda key: (-scores[key], places.get(key, last)))
        self.scores[engine] = {key: scores[key] for key in keys}
        self.ranks[engine] = {key: rank for rank, key in enumerate(keys, 1)}

    def best(self, engine: str, limit: int) -> list[ChunkKey]:
        """The chunks with the best ranks by an engine."""
        ranks = self.ranks.get(engine, {})
        return sorted(ranks, key=lambda key: ranks[key])[:limit]

    def scored(self, hit: KnowledgeHit, key: ChunkKey) -> KnowledgeHit:
        """The hit with its scores, ranks and words."""
        scores = {engine: by_key[key] for engine, by_key in self.scores.items() if key in by_key}
        ranks = {engine: by_key[key] for engine, by_key in self.ranks.items() if key in by_key}
        return replace(hit, scores=FrozenDict(scores), ranks=FrozenDict(ranks), words=self.words.get(key, ()))


def _each(found: Mapping[str, Iterable[Scored]]) -> list[tuple[int, tuple[str, Scored]]]:
    return [(order, (base, each)) for order, (base, those) in enumerate(found.items()) for each in those]
