"""The engines of a search: by likeness, by words, by both, by tags."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ctxlab.context.knowledge_hit import WordShare
from ctxlab.knowledge.index import Scored, WordStatistics
from ctxlab.knowledge.retrieval.indexed_base import IndexedBase
from ctxlab.knowledge.retrieval.query import Query
from ctxlab.knowledge.retrieval.scores import ChunkKey, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


K = TypeVar("K", bound=Hashable)

RANK_OFFSET = 2.0
"""The number that is added to each rank; at 60, which is common, the first places count nearly alike."""


def fused(
    ranks: Mapping[str, Mapping[K, int]],
    weights: Mapping[str, float],
    offset: float = RANK_OFFSET,
    *,
    first: int | None = None,
) -> dict[K, float]:
    """The fused score of each id, from its ranks by engine: the sum of weight / (offset + rank).

    With `first`, ranks behind it count only where an id has none up to it, and of these the one that brings most: then
    ranks that a deeper search adds change nothing of what was found.

    >>> fused({"keyword": {"a": 1, "b": 2}, "vector": {"b": 1}}, {"keyword": 1, "vector": 1}, 0)
    {'a': 1.0, 'b': 1.5}
    >>> fused({"keyword": {"a": 1, "b": 4}, "vector": {"a": 4, "b": 5}}, {}, 0, first=2)
    {'a': 1.0, 'b': 0.25}
    """
    near: dict[K, float] = {}
    far: dict[K, float] = {}
    for engine, by_id in ranks.items():
        for id, rank in by_id.items():
            score = weights.get(engine, 1.0) / (offset + rank)
            if first is None or rank <= first:
                near[id] = near.get(id, 0.0) + score
            else:
                far[id] = max(far.get(id, 0.0), score)
    return {**far, **near}


VECTOR, KEYWORD, HYBRID, TAGS = "vector", "keyword", "hybrid", "tags"
ENGINES = (VECTOR, KEYWORD, HYBRID, TAGS)
ALIASES: Mapping[str, str] = {"blender": HYBRID, "lens": TAGS}
"""Other programs' names."""
WEIGHTS: Mapping[str, float] = {KEYWORD: 1.0, VECTOR: 0.5}
# With the offset of 2, chosen on the questions about every other conversation of MemoryBank's Chinese half and LoCoMo:
# of offsets from 2 to 60 and weights from 0.2 to 0.7 those that leave both recall and reciprocal rank above the words'.
DEPTH = 200
"""Places by each engine that are fused, at least."""

Bases = Mapping[str, IndexedBase]


def by_words(scores: Scores, query: Query, bases: Bases, depth: int) -> None:
    """Take the chunks that have words of the query; words are as rare as they are in all these bases together."""
    words, known = query.words, _statistics(query, bases)
    found = {id: base.index.search_words(words, limit=depth, statistics=known) for id, base in bases.items()}
    _take_words(scores, query, found, depth)


def by_likeness(scores: Scores, query: Query, vector: Vector, bases: Bases, depth: int) -> None:
    """Take the likest chunks, and those that have words; whatever one engine finds gets its score by the other."""
    words, known = query.words, _statistics(query, bases)
    alike: dict[str, Sequence[Scored]] = {}
    shared: dict[str, Sequence[Scored]] = {}
    for id, base in bases.items():
        having = base.index.search_words(words, limit=depth, statistics=known)
        alike[id] = base.index.search_vector(vector, limit=depth, also=[each.id for each in having])
        there = {each.id for each in having}
        others = [each.id for each in alike[id] if each.id not in there]
        more = base.index.search_words(words, limit=0, statistics=known, also=others) if others else ()
        shared[id] = [*having, *more]
    _take_words(scores, query, shared, depth)
    scores.take(VECTOR, alike, depth)
    ranks = {engine: scores.ranks[engine] for engine in (KEYWORD, VECTOR)}
    first = DEPTH if len(bases) > 1 else None  # of one base each rank is known
    scores.put(HYBRID, fused(ranks, WEIGHTS, first=first), scores.ranks[KEYWORD])


def _statistics(query: Query, bases: Bases) -> WordStatistics:
    known = WordStatistics()
    for base in bases.values():
        known += base.index.statistics(list(query.words))
    return known


def by_tags(scores: Scores, tags: Sequence[str], bases: Bases) -> None:
    """Take the chunks of entries that have any of the tags: the score is the share of the tags that they have."""
    asked = {tag.casefold() for tag in tags}
    shares = {
        ChunkKey(id, chunk): len(asked & {name.casefold() for name in names}) / len(asked)
        for id, base in bases.items()
        for chunk, names in (base.tagged() if asked else ())
    }
    found = {key: share for key, share in shares.items() if share}
    by_words = {key: rank for key, rank in scores.ranks.get(KEYWORD, {}).items() if rank <= DEPTH}
    scores.put(TAGS, found, by_words)


def tags_in(text: str, bases: Bases) -> list[str]:
    """The tags of the bases that a text says; one in Latin letters as a whole word."""
    folded = text.casefold()
    pool = dict.fromkeys(tag for base in bases.values() for _, names in base.tagged() for tag in names)
    return [tag for tag in pool if _says(folded, tag.casefold())]


def _says(text: str, tag: str) -> bool:
    if not tag.isascii():
        return tag in text
    return tag in text and re.search(rf"(?<![0-9a-z_]){re.escape(tag)}(?![0-9a-z_])", text) is not None


def _take_words(scores: Scores, query: Query, found: Mapping[str, Sequence[Scored]], depth: int) -> None:
    scores.take(KEYWORD, found, depth)
    for base, those in found.items():
        for each in those:
            shares = [WordShare(query.written.get(share.word, share.word), share.score) for share in each.words]
            scores.words[ChunkKey(base, each.id)] = tuple(shares)
