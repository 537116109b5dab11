"""Messages that bear on the question first."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.engines.truncation.by_rank import best_first, keep_what_fits, rooms_by_rank, verdict_of
from ctxlab.engines.truncation.least_room import Kept, KeptRooms
from ctxlab.engines.truncation.strategy import Traits, Verdict, Window
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass

RankerName = Annotated[
    str,
    Field(
        min_length=1,
        title="Ranker",
        description="What scores messages by the question: bm25, embeddings, hybrid, or a ranker of your own.",
    ),
]


class ByRanking:
    """Keep units by the score of their best message, best first, newest first among equals.

    A unit that doesn't fit is passed over and the walk goes on, so that one large message doesn't end it.
    """

    __slots__ = ()
    name: ClassVar[str]
    traits: ClassVar[Traits] = Traits()

    @property
    def ranker_name(self) -> str:
        return self.name

    def cut(self, window: Window) -> Verdict:
        return verdict_of(window, keep_what_fits(best_first(window, self.ranker_name), window.left))

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, window.shared(self._rooms)[unit])

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        return rooms_by_rank(window, self.ranker_name)

    def describe(self) -> str:
        return "counts everything; keeps what bears most on the newest user message; loses what surrounds it"


@dataclass(frozen=True, slots=True)
class ByWords(ByRanking):
    """Keep units by the words that they share with the newest user message, best first, each that fits."""

    name: ClassVar[str] = "bm25"


@dataclass(frozen=True, slots=True)
class ByMeaning(ByRanking):
    """Keep units by how near they are to the newest user message in meaning, best first, each that fits.

    An embedder compares them: the extra `embeddings` has some.
    """

    name: ClassVar[str] = "embeddings"


@dataclass(frozen=True, slots=True)
class ByWordsAndMeaning(ByRanking):
    """Keep units by words shared with the newest user message and by meaning together, best first, each that fits.

    An embedder compares meanings: the extra `embeddings` has some.
    """

    name: ClassVar[str] = "hybrid"


@dataclass(frozen=True, slots=True)
class Relevant(ByRanking):
    """Keep units by the score of a ranker that is named, such as one of your own, best first, each that fits."""

    name: ClassVar[str] = "relevant"
    ranker: RankerName = "bm25"

    @property
    def ranker_name(self) -> str:
        return self.ranker
