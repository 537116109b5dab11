"""Ranking by words and by meaning together: our best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading
from ctxlab.engines.ranking import Candidate, Ranking
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.conversation_scores import ConversationScores
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.engines.ranking.weights import BY_WORDS_AND_MEANING, Weights
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.embedders import Embedder
from ctxlab.knowledge.ranking.likeness import check_embedder, chosen_embedder, likeness
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HybridRanker:
    """Scores messages by words of the question in them, around them and in their talk, by meaning, and by speaker.

    Each score counts by a weight. Without an embedder it is the best that is installed and reads the texts; with none
    there it raises MissingExtra.
    """

    embedder: Embedder | str | None = None
    weights: Weights = BY_WORDS_AND_MEANING

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
        messages = Candidates.of(candidates)
        embedder = chosen_embedder(self.embedder, [query, *messages.texts])
        words = ConversationScores(query, messages)
        alike = likeness(query, messages, embedder)
        total = words.total(self.weights) + self.weights.meaning * standard_scores(alike)
        scores: list[float] = total.tolist()
        return Ranking(scores, _Reasons(scores, words, alike.tolist()), words.shared)


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
        alike = f"read with its neighbours it is {self.alike[i]:.2f} alike"
        return f"{place}, with a score of {self.scores[i]:.3g}: {self.words.reason(i)}; {alike}"

    @cached_property
    def places(self) -> list[int]:
        """The rank of each message, from 1 on."""
        return ranks(self.scores)
