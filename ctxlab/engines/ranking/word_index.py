"""Which texts of a conversation have which words: looked up in an index where the same texts are asked again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ctxlab.engines.ranking.words import Terms, postings, term_frequencies

REMEMBERED = 8
"""Conversations of which the words are remembered."""


class WordIndex:
    """The words of texts, with the texts that have each.

    The first question looks through all texts; from the second on an index answers.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.terms: list[Terms] = term_frequencies(texts)
        self._asked = 0

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def mean_length(self) -> float:
        """Words of a text on average; 1 where there are none."""
        return sum([each.length for each in self.terms]) / len(self.terms) if self.terms else 1.0

    @cached_property
    def _postings(self) -> dict[str, list[tuple[int, int]]]:
        return postings(self.terms)

    def having(self, words: Iterable[str]) -> Iterator[tuple[str, Sequence[tuple[int, int]]]]:
        """For each word that any text has, the places of those texts and how often it stands there, both in order."""
        asked = list(dict.fromkeys(words))
        self._asked += 1
        found = self._postings if self._asked > 1 else self._looked_through(asked)
        return ((word, found[word]) for word in asked if word in found)

    def _looked_through(self, asked: list[str]) -> dict[str, list[tuple[int, int]]]:
        wanted = frozenset(asked)
        found: dict[str, list[tuple[int, int]]] = {}
        for i, each in enumerate(self.terms):
            for word in each.counts.keys() & wanted:
                found.setdefault(word, []).append((i, each.counts[word]))
        return found


_remembered: OrderedDict[tuple[str, ...], WordIndex] = OrderedDict()


def word_index(texts: Sequence[str]) -> WordIndex:
    """The index of some texts; those of the last conversations are remembered."""
    key = tuple(texts)
    found = _remembered.pop(key, None)
    if found is None:
        found = WordIndex(key)
    _remembered[key] = found
    while len(_remembered) > REMEMBERED:
        _remembered.popitem(last=False)
    return found
