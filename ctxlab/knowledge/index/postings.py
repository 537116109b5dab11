"""Which texts have which words, and how often: an inverted index that grows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.ranking.words import term_counts
from ctxlab.knowledge.index.turns import turns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Occurrences(NamedTuple):
    """The numbers of the texts that have a word, rising, and how often it stands in each."""

    texts: NDArray[np.int32]
    times: NDArray[np.int32]


class Postings:
    """The words of texts, numbered in the order in which they came. Whoever shares it holds a lock around each call."""

    def __init__(self) -> None:
        self._texts: dict[str, array[int]] = {}
        self._times: dict[str, array[int]] = {}
        self.lengths = array("i")

    def __len__(self) -> int:
        return len(self.lengths)

    def add(self, counts: dict[str, int], length: int) -> None:
        """One more text, with its words."""
        number = len(self.lengths)
        self.lengths.append(length)
        for word, times in counts.items():
            found = self._texts.get(word)
            if found is None:
                found = self._texts[word] = array("i")
                self._times[word] = array("i")
            found.append(number)
            self._times[word].append(times)

    def having(self, word: str) -> Occurrences | None:
        """A copy of where the word is, so that adding goes on; None where it is nowhere."""
        import numpy as np

        found = self._texts.get(word)
        if found is None:
            return None
        return Occurrences(np.array(found, np.int32), np.array(self._times[word], np.int32))


def counts_of(texts: Sequence[str]) -> list[tuple[dict[str, int], int]]:
    """The counts of words of each text, and their number; searches go first."""
    found: list[tuple[dict[str, int], int]] = []
    for text in texts:
        turns.give_way()
        terms = term_counts(text)
        found.append((terms.counts, terms.length))
    return found
