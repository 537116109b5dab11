"""The contract of an index: chunks go in with words and vectors, the best of them come out with scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctxlab.context.knowledge_hit import WordShare
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexedText:
    """A text under an id that is unique in its index.

    `read_as` is what its vector is made of: the text, with what stands around it where that helps to understand it.
    """

    id: str
    text: str
    read_as: str = ""

    @property
    def embedded(self) -> str:
        return self.read_as or self.text


class Scored(NamedTuple):
    """The id of a text, its score, and its rank among all that have one; the best is 1, 0 stands for unknown."""

    id: str
    score: float
    rank: int
    words: tuple[WordShare, ...] = ()


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """The numbers that BM25 goes by: of the texts, of all their words, and of the texts that have each word."""

    texts: int = 0
    words: int = 0
    found_in: Mapping[str, int] | None = None

    def __add__(self, other: WordStatistics) -> WordStatistics:
        both = dict(self.found_in or {})
        for word, count in (other.found_in or {}).items():
            both[word] = both.get(word, 0) + count
        return WordStatistics(self.texts + other.texts, self.words + other.words, both)


class KnowledgeIndex(Protocol):
    """Finds texts by likeness of vectors and by words.

    Threads may add, remove and search at once; a search sees the texts that were there when it began.
    """

    def __len__(self) -> int: ...

    def add(self, texts: Sequence[IndexedText]) -> None:
        """More texts; one with an id that is there takes that one's place."""
        ...

    def remove(self, ids: Iterable[str]) -> None:
        """Forget texts; ids that aren't there are left."""
        ...

    def ids(self) -> Sequence[str]:
        """The ids of all texts."""
        ...

    def use_vectors_of(self, embedder: str) -> None:
        """From now on vectors are those of this embedder, named with its version; others are never mixed with them."""
        ...

    def without_vectors(self, limit: int) -> Sequence[IndexedText]:
        """Texts that have no vector yet, the first ones first."""
        ...

    def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """The vectors of texts that are there, float32 of shape (ids, dimensions), of unit length."""
        ...

    def statistics(self, words: Sequence[str]) -> WordStatistics:
        """The texts and these words in them; of several indexes they are added up, so that scores can be compared."""
        ...

    def search_vector(self, vector: Vector, *, limit: int, also: Sequence[str] = ()) -> Sequence[Scored]:
        """The texts whose vectors are likest, best first, by cosine; and those with these ids behind them."""
        ...

    def search_words(
        self,
        words: Mapping[str, float],
        *,
        limit: int,
        statistics: WordStatistics | None = None,
        also: Sequence[str] = (),
    ) -> Sequence[Scored]:
        """The texts with the best BM25 score, best first, each word counted by its weight; and those with these ids.

        Texts without any of the words are left out. The shares of the words in a score add up to it. `statistics` are
        this index's own where none are given.
        """
        ...
