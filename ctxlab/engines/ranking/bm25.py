"""Ranking by words shared with the question: Okapi BM25, with neighbours, talks and speakers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from ctxlab.display.short_texts import first_of, short
from ctxlab.engines.ranking.ranker import Candidate, Ranking
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.engines.ranking.word_index import WordIndex, word_index
from ctxlab.engines.ranking.words import Terms, words, words_as_written

MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Bm25:
    """Scores messages by words that they share with the question: rare words count more, long messages less.

    `saturation` is BM25's k1 and `by_length` its b. A message also has `answers` of the score of the message before
    it, since the answer to a question follows it, `asks` of that of the message after it, and `talk` of the best score
    in its talk. Where the question names a speaker, a message of theirs that has a score counts `speaker` more.
    """

    saturation: float = 1.2
    by_length: float = 0.6
    answers: float = 0.4
    asks: float = 0.25
    talk: float = 0.2
    speaker: float = 0.5

    @property
    def name(self) -> str:
        return "bm25"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        asked = dict.fromkeys(words(query))
        index = word_index([each.text for each in candidates])
        own = self.own_scores(asked, index)
        scores = self._with_surroundings(own, candidates)
        named = {each for each in {c.speaker for c in candidates} if is_named(each, asked)}
        if named:
            more = 1 + self.speaker
            scores = [s * more if c.speaker in named else s for s, c in zip(scores, candidates, strict=True)]
        return Ranking(scores, _Reasons(query, index.terms, scores, own))

    def own_scores(self, asked: Iterable[str], index: WordIndex) -> list[float]:
        """BM25 alone, one score a text."""
        scores, size = [0.0] * len(index), len(index)
        k1, b = self.saturation, self.by_length
        per_word = k1 * b / (index.mean_length or 1.0)
        for _, found in index.having(asked):
            weight = log(1 + (size - len(found) + 0.5) / (len(found) + 0.5)) * (k1 + 1)
            for i, n in found:
                scores[i] += weight * n / (n + k1 * (1 - b) + per_word * index.terms[i].length)
        return scores

    def _with_surroundings(self, own: list[float], candidates: Sequence[Candidate]) -> list[float]:
        best: dict[int, float] = dict.fromkeys([each.talk for each in candidates], 0.0)
        for score, each in zip(own, candidates, strict=True):
            if score > best[each.talk]:
                best[each.talk] = score
        scores: list[float] = []
        for i, each in enumerate(candidates):
            score = own[i]
            if i and candidates[i - 1].talk == each.talk:
                score += self.answers * own[i - 1]
            if i + 1 < len(own) and candidates[i + 1].talk == each.talk:
                score += self.asks * own[i + 1]
            scores.append(score + self.talk * best[each.talk] if len(best) > 1 else score)
        return scores


def is_named(speaker: str, asked: Collection[str]) -> bool:
    """Whether the words of a question have a word of a speaker's name."""
    return any(word in asked for word in words(speaker))


@dataclass(frozen=True, eq=False)
class _Reasons:
    """Why a message has its score, in words made when they are asked for."""

    query: str
    texts: Sequence[Terms]
    scores: Sequence[float]
    own: Sequence[float]

    def __call__(self, i: int) -> str:
        place = f"{ordinal(self.places[i])} of {len(self.scores):,}"
        if not self.asked:
            return f"is {place} by age, as the question has no word to look for"
        if not self.scores[i]:
            return f"shares no word with the question, and is {place}, by age behind all that have a score"
        score = f"is {place} by words shared with the question, with a score of {self.scores[i]:.3g}"
        if not self.own[i]:
            return f"{score}: none of its own, but of messages around it"
        shared = [self.asked[term] for term in self.asked if term in self.texts[i].counts]
        named = [
            word for word in shared if len(word) > 1 or not any(word in other for other in shared if other != word)
        ]
        return f"{score}: {first_of([repr(short(word)) for word in named], MOST_NAMED)}"

    @cached_property
    def asked(self) -> dict[str, str]:
        """The words of the question by their form for comparing, as they are first written there."""
        found: dict[str, str] = {}
        for written, term in words_as_written(self.query):
            found.setdefault(term, written)
        return found

    @cached_property
    def places(self) -> list[int]:
        """The rank of each message, from 1 on."""
        return ranks(self.scores)
