"""Ranks of several engines fused into one score."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

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
