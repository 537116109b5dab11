"""Ranking by words shared with the question: Okapi BM25 of messages, of what is around them and of talks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ctxlab.engines.ranking.conversation_scores import ConversationScores
from ctxlab.engines.ranking.ranker import Candidate, Ranking
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.engines.ranking.weights import BY_WORDS, Weights
from ctxlab.lazy_dataclass import dataclass

NO_WORD = "the question has no word to look for"


@dataclass(frozen=True, slots=True)
class Bm25:
    """Scores messages by words of the question in them, around them and in their talk, and by the speaker it names.

    Rare words count more, long messages less. Each score counts by a weight; `weights.meaning` has no part in it.
    """

    weights: Weights = BY_WORDS

    @property
    def name(self) -> str:
        return "bm25"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        words = ConversationScores(query, candidates)
        scores: list[float] = words.total(self.weights).tolist()
        return Ranking(scores, _Reasons(scores, words), words.shared)


@dataclass(frozen=True, eq=False)
class _Reasons:
    """Why a message has its score, in words made when they are asked for."""

    scores: Sequence[float]
    words: ConversationScores

    def __call__(self, i: int) -> str:
        place = f"is {ordinal(self.places[i])} of {len(self.scores):,}"
        if self.scores[i]:
            return f"{place} by words of the question, with a score of {self.scores[i]:.3g}: {self.words.reason(i)}"
        if not any(self.scores):
            asked = self.words.asked
            return f"{place} by age, as {'no message has a word of the question' if asked else NO_WORD}"
        return f"has none of the words looked for, and {place}, by age behind all that have a score"

    @cached_property
    def places(self) -> list[int]:
        """The rank of each message, from 1 on."""
        return ranks(self.scores)
