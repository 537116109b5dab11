"""Which texts of a conversation have which words: looked up in an index where the same texts are asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxlab.engines.ranking.words import Terms, term_frequencies

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
WORTH_SORTING = 100
"""Words that are looked for before all are sorted: that takes the time of about so many."""


class Occurrences(NamedTuple):
    """The places of the texts that have a word, rising, and how often it stands in each."""

    at: NDArray[np.int64]
    times: NDArray[np.float64]


class WordIndex:
    """The words of texts, with the texts that have each.

    Words are compared by their hashes, put together in one array, and by themselves where those are equal.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.terms: list[Terms] = term_frequencies(texts)
        self._looked_for = 0
        self._found: dict[str, Occurrences | None] = {}

    @cached_property
    def _hashes_of_texts(self) -> list[bytes]:
        return [each.hashes for each in self.terms]

    def __len__(self) -> int:
        return len(self.terms)

    def having(self, words: Iterable[str]) -> dict[str, Occurrences]:
        """For each word that any text has, the texts that have it, in the order of the words."""
        asked = list(dict.fromkeys(words))
        unknown = [word for word in asked if word not in self._found]
        self._looked_for += len(unknown)
        self._found |= {word: self._occurrences(word) for word in unknown}
        return {word: found for word in asked if (found := self._found[word]) is not None}

    def _occurrences(self, word: str) -> Occurrences | None:
        import numpy as np

        at = [i for i in self._texts_of_words[self._places(word)].tolist() if word in self.terms[i].counts]
        times = [self.terms[i].counts[word] for i in at]
        return Occurrences(np.array(at, np.int64), np.array(times, np.float64)) if at else None

    def _places(self, word: str) -> NDArray[np.int64]:
        """Where the hash of a word stands among those of all words of all texts, rising."""
        import numpy as np

        if self._looked_for <= WORTH_SORTING:
            return np.flatnonzero(self._hashes == hash(word))
        start, end = (int(np.searchsorted(self._sorted, hash(word), side)) for side in SIDES)
        return self._order[start:end]

    @cached_property
    def _hashes(self) -> NDArray[np.int64]:
        import numpy as np

        return np.frombuffer(b"".join(self._hashes_of_texts), np.int64)

    @cached_property
    def _texts_of_words(self) -> NDArray[np.int64]:
        """By place of a hash, the text that has the word."""
        import numpy as np

        return np.repeat(np.arange(len(self.terms)), [len(each) // 8 for each in self._hashes_of_texts])

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Places of hashes by their size, rising among equals."""
        import numpy as np

        return np.argsort(self._hashes, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        return self._hashes[self._order]
