"""Which texts of a conversation have which words: looked up in an index where the same texts are asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.ranking.words import Terms, postings, term_frequencies

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Occurrences(NamedTuple):
    """The places of the texts that have a word, rising, and how often it stands in each."""

    at: NDArray[np.int64]
    times: NDArray[np.float64]


class WordIndex:
    """The words of texts, with the texts that have each.

    The first question looks through all texts; from the second on an index answers.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.terms: list[Terms] = term_frequencies(texts)
        self._is_asked = False
        self._found: dict[str, Occurrences] = {}

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def _postings(self) -> dict[str, list[tuple[int, int]]]:
        return postings(self.terms)

    def having(self, words: Iterable[str]) -> dict[str, Occurrences]:
        """For each word that any text has, the texts that have it, in the order of the words."""
        asked = list(dict.fromkeys(words))
        unknown = [word for word in asked if word not in self._found]
        if unknown:
            found = self._postings if self._is_asked else self._looked_through(unknown)
            self._is_asked = True
            self._found |= {word: _occurrences(found[word]) for word in unknown if word in found}
        return {word: self._found[word] for word in asked if word in self._found}

    def _looked_through(self, asked: list[str]) -> dict[str, list[tuple[int, int]]]:
        wanted = frozenset(asked)
        found: dict[str, list[tuple[int, int]]] = {}
        for i, each in enumerate(self.terms):
            for word in each.counts.keys() & wanted:
                found.setdefault(word, []).append((i, each.counts[word]))
        return found


def _occurrences(found: list[tuple[int, int]]) -> Occurrences:
    import numpy as np

    pairs = np.array(found, np.int64)
    return Occurrences(pairs[:, 0], pairs[:, 1].astype(np.float64))
