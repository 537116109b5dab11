"""The sentences of texts with their words as numbers: taken apart once, put together for many texts at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from ctxlab.engines.compression.sentences import Place, sentences
from ctxlab.engines.ranking.words import term_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MAX_CHARACTERS = 16_000_000
MAX_TERMS = 500_000
"""Characters of texts, and different words, from which on everything is forgotten before more texts are taken apart."""
LONGEST = 20_000
"""Characters of a sentence that are looked at; what is longer is data or code."""
FEWEST_TERMS = 3
"""A sentence with fewer different words says little."""


@dataclass(frozen=True, slots=True, eq=False)
class TextSentences:
    """The sentences of a text that have words: their places, and their different words as numbers, one after another.

    `sizes` are the numbers of different words of each, `lengths` those of all words, `says_much` whether a sentence has
    words enough. `distinct` are the different words of the text.
    """

    texts: tuple[str, ...]
    places: tuple[Place, ...]
    terms: Numbers
    sizes: Numbers
    lengths: Numbers
    says_much: NDArray[np.bool_]
    distinct: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of many texts in order, each with the position of its text; fields as those of one text."""

    texts: list[str]
    places: list[Place]
    message: Numbers
    terms: Numbers
    sizes: Numbers
    lengths: Numbers
    says_much: NDArray[np.bool_]
    in_messages: Numbers
    """By number of a word, how many of the texts have it."""
    numbers: dict[str, int]
    """Words by name; a word that isn't there stands in none of these texts."""

    def __len__(self) -> int:
        return len(self.texts)


class SentenceCache:
    """Sentences of texts, kept for the texts that were asked for lately; words have one number in all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, TextSentences] = {}
        self._numbers: dict[str, int] = {}
        self._characters = 0

    def __repr__(self) -> str:
        return f"SentenceCache({len(self._known):,} texts)"

    def of(self, texts: Sequence[str]) -> Sentences:
        """The sentences of all texts."""
        with self._lock:  # numbers of words are given one after another, and forgotten together
            if self._characters > MAX_CHARACTERS or len(self._numbers) > MAX_TERMS:
                self._known, self._numbers, self._characters = {}, {}, 0
            known, numbers = self._known, self._numbers
            for text in texts:
                if text not in known:
                    known[text] = _taken_apart(text, numbers)
                    self._characters += len(text)
            each = [known[text] for text in texts]
        return _together(each, numbers)


@cache
def _shared() -> SentenceCache:
    return SentenceCache()


def sentences_of(texts: Sequence[str]) -> Sentences:
    """The sentences of texts with their words, remembered in this process for the texts that were asked for lately."""
    return _shared().of(texts)


def _taken_apart(text: str, numbers: dict[str, int]) -> TextSentences:
    import numpy as np

    found = [(place, text[slice(*place)]) for place in sentences(text)]
    rows = [(place, sentence, term_counts(sentence[:LONGEST])) for place, sentence in found]
    rows = [row for row in rows if row[2].counts]
    terms = [numbers.setdefault(term, len(numbers)) for _, _, each in rows for term in each.counts]
    return TextSentences(
        tuple([sentence for _, sentence, _ in rows]),
        tuple([place for place, _, _ in rows]),
        np.array(terms, np.int64),
        np.array([len(each.counts) for _, _, each in rows], np.int64),
        np.array([each.length for _, _, each in rows], np.int64),
        np.array([sum(map(_is_word, each.counts)) >= FEWEST_TERMS for _, _, each in rows], np.bool_),
        np.array(list(dict.fromkeys(terms)), np.int64),
    )


def _is_word(term: str) -> bool:
    """Whether a term is a word of its own; of Chinese words the single characters are terms too."""
    return len(term) > 1 or term < "\u2e80"


def _together(each: Sequence[TextSentences], numbers: dict[str, int]) -> Sentences:
    import numpy as np

    none = np.zeros(0, np.int64)
    sizes = [one.sizes for one in each]
    return Sentences(
        list(chain.from_iterable([one.texts for one in each])),
        list(chain.from_iterable([one.places for one in each])),
        np.repeat(np.arange(len(each)), list(map(len, sizes))),
        np.concatenate([none, *[one.terms for one in each]]),
        np.concatenate([none, *sizes]),
        np.concatenate([none, *[one.lengths for one in each]]),
        np.concatenate([np.zeros(0, np.bool_), *[one.says_much for one in each]]),
        np.bincount(np.concatenate([none, *[one.distinct for one in each]])),
        numbers,
    )
