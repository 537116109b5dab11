"""Ranking by words and by meaning together: our best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading
from ctxlab.display.short_texts import first_of, short
from ctxlab.engines.ranking import Candidate, Ranking
from ctxlab.engines.ranking.conversation_scores import ConversationScores
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.embedders import Embedder
from ctxlab.knowledge.ranking.likeness import check_embedder, chosen_embedder, likeness
from ctxlab.knowledge.ranking.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class HybridRanker:
    """Scores messages by words of the question in them, around them and in their talk, by meaning, and by speaker.

    Each score counts by a weight. Without an embedder it is the best that is installed and reads the texts; with none
    there it raises MissingExtra.
    """

    embedder: Embedder | str | None = None
    weights: Weights = WEIGHTS

    def __post_init__(self) -> None:
        check_embedder(self.embedder)
        if not isinstance(self.weights, Weights):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument(f"weights is a {type(self.weights).__name__}; it takes Weights")

    def _repr_html_(self) -> str:
        return heading(self)

    @property
    def name(self) -> str:
        return "hybrid"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        embedder = chosen_embedder(self.embedder, [query, *[each.text for each in candidates]])
        words = ConversationScores(query, candidates)
        alike = likeness(query, candidates, embedder)
        by, weigh = self.weights, standard_scores(alike)
        total = by.own * words.own + by.around * words.around + by.of_talk * words.of_talk
        scores: list[float] = (total + by.by_speaker * words.by_speaker + by.meaning * weigh).tolist()
        return Ranking(scores, _Reasons(scores, words, alike.tolist()))


def standard_scores(numbers: Numbers) -> Numbers:
    """Numbers less their mean, in standard deviations; all 0 where they don't differ."""
    import numpy as np

    if not len(numbers):
        return numbers
    spread = numbers.std()
    return (numbers - numbers.mean()) / spread if spread > 1e-9 else np.zeros(len(numbers))


@dataclass(frozen=True, eq=False)
class _Reasons:
    """Why a message has its score, in words made when they are asked for."""

    scores: Sequence[float]
    words: ConversationScores
    alike: Sequence[float]

    def __call__(self, i: int) -> str:
        place = f"is {ordinal(self.places[i])} of {len(self.scores):,} by words and meaning"
        shared = [repr(short(word)) for word in self.words.shared(i)]
        found = f"shares {first_of(shared, MOST_NAMED)}" if shared else "shares no word"
        alike = f"is {self.alike[i]:.2f} alike, read with its neighbours"
        return f"{place}, with a score of {self.scores[i]:.3g}: it {found} with the question and {alike}"

    @cached_property
    def places(self) -> list[int]:
        """The rank of each message, from 1 on."""
        return ranks(self.scores)
