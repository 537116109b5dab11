"""Answers of earlier searches, found again by the same query or by one that is alike."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from ctxlab.argument_checks import checked_arguments
from ctxlab.context.knowledge_hit import KnowledgeAnswer
from ctxlab.display.html_table import heading
from ctxlab.display.short_texts import counted
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

MOST = 200


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    asked: Hashable
    answer: KnowledgeAnswer
    vector: Vector | None


class SearchCache:
    """The last answers, at most `most` of them.

    With `similar`, a cosine in (0, 1], a query whose vector is at least so near to an earlier one gets its answer.
    """

    @checked_arguments
    def __init__(self, *, most: int = MOST, similar: float | None = None) -> None:
        if similar is not None and not 0 < similar <= 1:
            raise WrongArgument("similar takes a cosine above 0 and up to 1, or None")
        self.most, self.similar = most, similar
        self._kept: dict[Hashable, _Kept] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"SearchCache({counted(len(self), 'answer')})"

    def _repr_html_(self) -> str:
        return heading(self)

    def __len__(self) -> int:
        return len(self._kept)

    def __reduce__(self) -> tuple[object, ...]:
        return _cache_of, (self.most, self.similar)

    def same(self, query: Hashable, asked: Hashable) -> KnowledgeAnswer | None:
        """The answer to the same query, asked in the same way."""
        with self._lock:
            found = self._kept.pop((query, asked), None)
            if found is None:
                return None
            self._kept[query, asked] = found
            return replace(found.answer, reused="same query")

    def near(self, vector: Vector | None, asked: Hashable) -> KnowledgeAnswer | None:
        """The answer to the likest query that is near enough, asked in the same way."""
        if self.similar is None or vector is None:
            return None
        with self._lock:
            kept = [each for each in self._kept.values() if each.asked == asked and each.vector is not None]
        likest = max(kept, key=lambda each: _cosine(vector, each.vector), default=None)
        if likest is None or _cosine(vector, likest.vector) < self.similar:
            return None
        return replace(likest.answer, reused="similar query")

    def keep(self, query: Hashable, asked: Hashable, answer: KnowledgeAnswer, vector: Vector | None) -> None:
        """Remember an answer; the one that was asked for longest ago goes."""
        with self._lock:
            self._kept[query, asked] = _Kept(asked, answer, vector)
            while len(self._kept) > self.most:
                del self._kept[next(iter(self._kept))]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


def _cache_of(most: int, similar: float | None) -> SearchCache:
    return SearchCache(most=most, similar=similar)


def _cosine(one: Vector, other: Vector | None) -> float:
    if other is None or one.shape != other.shape:
        return -1.0
    return float((one * other).sum())


@cache
def cache_of_process() -> SearchCache:
    """The answers that agents with a cache share in this process; it asks for the same query only."""
    return SearchCache()
