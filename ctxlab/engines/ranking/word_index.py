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


class _Words(NamedTuple):
    """The words of texts, one text after another: hash, position of the text, and times in it."""

    hashes: NDArray[np.int64]
    text: NDArray[np.int64]
    times: NDArray[np.float64]

    @classmethod
    def of(cls, terms: Sequence[Terms]) -> _Words:
        import numpy as np

        times = [each.times for each in terms]
        return cls(
            np.frombuffer(b"".join([each.hashes for each in terms]), np.int64),
            np.repeat(np.arange(len(terms)), [len(each) // 4 for each in times]),
            np.frombuffer(b"".join(times), np.int32).astype(np.float64),
        )

    def with_more(self, terms: Sequence[Terms], at: int) -> _Words:
        """The words of the texts before a position, and those of the texts that follow from there."""
        import numpy as np

        more, end = _Words.of(terms), int(np.searchsorted(self.text, at))
        pairs = zip(self, (more.hashes, more.text + at, more.times), strict=True)
        return _Words(*[np.concatenate((one[:end], other)) for one, other in pairs])


class WordIndex:
    """The words of texts, with the texts that have each.

    Words are compared by their hashes, of 64 bits, put together in one array.
    """

    def __init__(self, texts: tuple[str, ...], start: WordIndex | None = None) -> None:
        """Of texts that may begin as those of another index do; what that has of these is taken over."""
        self.texts = texts
        same = 0 if start is None else same_at_start(start.texts, texts)
        more = term_frequencies(texts[same:])
        self.terms: list[Terms] = more if start is None else [*start.terms[:same], *more]
        self._words = _Words.of(more) if start is None else start._words.with_more(more, same)
        self._looked_for = 0
        self._found: dict[str, Occurrences | None] = {}

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
        places = self._places(word)
        return Occurrences(self._words.text[places], self._words.times[places]) if len(places) else None

    def _places(self, word: str) -> NDArray[np.int64]:
        """Where the hash of a word stands among those of all words of all texts, rising."""
        import numpy as np

        if self._looked_for <= WORTH_SORTING:
            return np.flatnonzero(self._words.hashes == hash(word))
        start, end = (int(np.searchsorted(self._sorted, hash(word), side)) for side in SIDES)
        return self._order[start:end]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Places of hashes by their size, rising among equals."""
        import numpy as np

        return np.argsort(self._words.hashes, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        return self._words.hashes[self._order]


def same_at_start(one: Sequence[str], other: Sequence[str]) -> int:
    """How many texts two rows begin with in common.

    >>> same_at_start("abcd", "abxd")
    2
    """
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


REMEMBERED = 4
_lately: list[WordIndex] = []


def word_index_of(texts: tuple[str, ...]) -> WordIndex:
    """The index of texts; where a conversation grew or changed near its end, only what is new there is looked at."""
    start = next((each for each in reversed(_lately) if each.texts[:1] == texts[:1]), None)
    found = WordIndex(texts, start)
    _lately[:] = [*[each for each in _lately if each is not start], found][-REMEMBERED:]
    return found
