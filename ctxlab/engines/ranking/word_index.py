"""Which texts of a conversation have which words: looked up in an index where the same texts are asked again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxlab.engines.ranking.words import Terms, term_frequencies

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
MOST_PARTS = 16
"""Times that a conversation may grow before its words are put together anew."""
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
    times: NDArray[np.int32]

    @classmethod
    def of(cls, terms: Sequence[Terms], first: int) -> _Words:
        """The words of texts, of which the first has this position."""
        import numpy as np

        times = [each.times for each in terms]
        return cls(
            np.frombuffer(b"".join([each.hashes for each in terms]), np.int64),
            np.repeat(np.arange(first, first + len(terms)), [len(each) // 4 for each in times]),
            np.frombuffer(b"".join(times), np.int32),
        )

    @classmethod
    def joined(cls, parts: Sequence[_Words]) -> _Words:
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.text for part in parts]),
            np.concatenate([part.times for part in parts]),
        )

    def taken(self, rows: NDArray[np.int64] | slice) -> _Words:
        """Some of them, in the order that is given."""
        return _Words(self.hashes[rows], self.text[rows], self.times[rows])

    def before(self, at: int) -> _Words:
        """The words of texts before a position."""
        import numpy as np

        end = int(np.searchsorted(self.text, at))
        return self.taken(slice(end))


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
        parts = [] if start is None else [part.before(same) for part in start._parts]
        parts = [*parts, _Words.of(more, same)]  # what is there is shared: copying it would cost more than looking
        self._parts = parts if len(parts) <= MOST_PARTS else [_Words.joined(parts)]
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
        import numpy as np

        found = [part for part in self._having(hash(word)) if len(part.text)]
        if not found:
            return None
        whole = _Words.joined(found)
        return Occurrences(whole.text, whole.times.astype(np.float64))

    def _having(self, hashed: int) -> Iterator[_Words]:
        """The words with a hash, by texts rising."""
        import numpy as np

        if self._looked_for <= WORTH_SORTING:
            for part in self._parts:
                at = np.flatnonzero(part.hashes == hashed)
                yield part.taken(at)
        else:
            start, end = (int(np.searchsorted(self._sorted.hashes, hashed, side)) for side in SIDES)
            yield self._sorted.taken(slice(start, end))

    @cached_property
    def _sorted(self) -> _Words:
        """All words by their hashes, those of one by texts rising."""
        import numpy as np

        whole = _Words.joined(self._parts)
        order = np.argsort(whole.hashes, kind="stable")
        return whole.taken(order)


def same_at_start(one: Sequence[object], other: Sequence[object]) -> int:
    """The number of values that two rows begin with in common.

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
