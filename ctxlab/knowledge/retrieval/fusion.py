"""Ranks of several engines fused into one score."""

from __future__ import annotations

from collections.abc import Mapping

RANK_OFFSET = 2.0
"""The number that is added to each rank; at 60, which is common, the first places count nearly alike."""


def fused(
    ranks: Mapping[str, Mapping[str, int]], weights: Mapping[str, float], offset: float = RANK_OFFSET
) -> dict[str, float]:
    """The fused score of each id, from its ranks by engine: the sum of weight / (offset + rank).

    >>> fused({"keyword": {"a": 1, "b": 2}, "vector": {"b": 1}}, {"keyword": 1, "vector": 1}, 0)
    {'a': 1.0, 'b': 1.5}
    """
    scores: dict[str, float] = {}
    for engine, by_id in ranks.items():
        for id, rank in by_id.items():
            scores[id] = scores.get(id, 0.0) + weights.get(engine, 1.0) / (offset + rank)
    return scores
