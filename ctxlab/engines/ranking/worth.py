"""Rankings for long answers: words of the question against a length, and what a question about all of it asks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ctxlab.engines.ranking.ranker import Candidate, Ranking
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.engines.ranking.weights import BY_WORTH, Weights
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ctxlab.engines.ranking.conversation_scores import ConversationScores

PLAIN = 200
"""Characters that cost a message nothing: among short messages length says little."""
# Of the 40 questions of BEAM about an order or a whole this finds 40, of its 139 others 6, all of which count something
# over the conversation; of LoCoMo's 757 none.
OVERVIEW = lazy_pattern(
    r"(?i)\b(?:in (?:what |which )?order|order in which|chronolog\w*|timeline|summar(?:y|i[sz]e)|overview|recap"
    r"|throughout our|over time|across (?:all )?(?:our|my|the)|progress(?:ed|ion)|evolved?)\b"
    r"|总结|概括|概述|回顾一下|梳理|先后顺序|按(?:时间)?顺序|时间线|来龙去脉|一步步(?:发展|变化)"
)


def asks_for_overview(query: str) -> str:
    """The words by which a question asks for an order, a summary or a development; "" where it asks for none.

    >>> asks_for_overview("In which order did we plan it?"), asks_for_overview("Where is the key?")
    ('In which order', '')
    """
    found = OVERVIEW.search(query)
    return found[0] if found is not None else ""


@dataclass(frozen=True, slots=True)
class Worth:
    """Scores messages by words of the question as `bm25` does, less the logarithm of their length.

    A score by words goes up by one where a message is about e times as likely to be asked for, so this is the order of
    what is likely to be asked for by a character. Lengths up to `PLAIN` characters are one.
    """

    weights: Weights = BY_WORTH

    @property
    def name(self) -> str:
        return "worth"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        return _ranking(query, candidates, self.weights)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Scores what the user said above all answers, and both by words of the question against their length.

    A question about an order or a whole needs a little of every stage, and what the user said is the shortest of it.
    """

    weights: Weights = BY_WORTH

    @property
    def name(self) -> str:
        return "coverage"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        return _ranking(query, candidates, self.weights, user_first=True)


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Scores messages by `coverage` where the question asks for an order or a whole, else by `worth`."""

    weights: Weights = BY_WORTH

    @property
    def name(self) -> str:
        return "adaptive"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        way = Coverage if asks_for_overview(query) else Worth
        return way(self.weights).rank(query, candidates)


def _ranking(query: str, candidates: Sequence[Candidate], weights: Weights, *, user_first: bool = False) -> Ranking:
    import numpy as np

    from ctxlab.engines.ranking.conversation_scores import ConversationScores

    words = ConversationScores(query, candidates)
    found = words.total(weights) - np.log(np.maximum(words.candidates.characters / PLAIN, 1.0))
    how = "by words of the question against its length"
    if user_first:
        asked = asks_for_overview(query)
        because = f", as the question asks {asked!r}" if asked else ""
        how = f"by who wrote it, the user first, then words of the question against its length{because}"
        if len(found):
            found[[role == "user" for role in words.candidates.roles]] += found.max() - found.min() + 1.0
    scores: list[float] = found.tolist()
    return Ranking(scores, _Reasons(scores, words, how), words.shared)


@dataclass(frozen=True, eq=False)
class _Reasons:
    """Why a message has its score; `how` names what it is scored by."""

    scores: Sequence[float]
    words: ConversationScores
    how: str

    def __call__(self, i: int) -> str:
        place = f"is {ordinal(self.places[i])} of {len(self.scores):,} {self.how}"
        length = len(self.words.candidates.texts[i])
        return f"{place}, with a score of {self.scores[i]:.3g}: {self.words.reason(i)}, and has {length:,} characters"

    @cached_property
    def places(self) -> list[int]:
        """The rank of each message, from 1 on."""
        return ranks(self.scores)
