"""Scores that are kept somewhere, so that a question about the same messages is not ranked again."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Protocol

from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.ranker import Ranker, Ranking
from ctxlab.lazy_dataclass import dataclass


class RankingStore(Protocol):
    """Keeps the scores of a ranker for a question and messages."""

    def scores(self, ranker: Ranker, query: str, messages: Candidates) -> Sequence[float] | None: ...
    def keep_scores(self, ranker: Ranker, query: str, messages: Candidates, scores: Sequence[float]) -> None: ...


_store: ContextVar[RankingStore | None] = ContextVar("rankings", default=None)


@contextmanager
def rankings_kept(store: RankingStore) -> Generator[None]:
    """Rank with a store: scores that it has are taken from there, others are kept in it."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


def ranking_of(ranker: Ranker, query: str, messages: Candidates) -> Ranking:
    """The ranking of messages; of one whose scores are kept, reasons are worked out when they are asked for."""
    store = _store.get()
    if store is None:
        return ranker.rank(query, messages)
    scores = store.scores(ranker, query, messages)
    if scores is not None:
        late = _Late(ranker, query, messages)
        return Ranking(scores, late.reason, late.words)
    found = ranker.rank(query, messages)
    store.keep_scores(ranker, query, messages, found.scores)
    return found


@dataclass(frozen=True, eq=False)
class _Late:
    """A ranking that is made when a reason is asked for."""

    ranker: Ranker
    query: str
    messages: Candidates

    @cached_property
    def _ranking(self) -> Ranking:
        return self.ranker.rank(self.query, self.messages)

    def reason(self, i: int) -> str:
        return self._ranking.reason(i)

    def words(self, i: int) -> Sequence[str]:
        return self._ranking.words(i)
