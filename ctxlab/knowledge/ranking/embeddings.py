"""Ranking by meaning alone: how like the question a message is to an embedder."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.display.html_table import heading
from ctxlab.engines.ranking import Candidate, Ranking
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.knowledge.embedders import Embedder
from ctxlab.knowledge.ranking.likeness import check_embedder, chosen_embedder, likeness
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingsRanker:
    """Scores messages by the cosine of their vector, read with their neighbours, and that of the question.

    Without an embedder it is the best that is installed and reads the texts; with none there it raises MissingExtra.
    """

    embedder: Embedder | str | None = None

    def __post_init__(self) -> None:
        check_embedder(self.embedder)

    def _repr_html_(self) -> str:
        return heading(self)

    @property
    def name(self) -> str:
        return "embeddings"

    def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
        messages = Candidates.of(candidates)
        embedder = chosen_embedder(self.embedder, [query, *messages.texts])
        scores: list[float] = likeness(query, messages, embedder).tolist()
        places: list[int] = []

        def reason(i: int) -> str:
            places[:] = places or ranks(scores)
            place = f"{ordinal(places[i])} of {len(scores):,}"
            return (
                f"is {place} by likeness to the question, read with its neighbours: {scores[i]:.2f} by {embedder.name}"
            )

        return Ranking(scores, reason)
