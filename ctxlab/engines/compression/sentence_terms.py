"""The sentences of texts with their words as numbers: taken apart once, put together for many texts at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from ctxlab.engines.compression.sentences import Place, sentences
from ctxlab.engines.ranking.words import term_counts
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer[Any]]

MAX_CHARACTERS = 16_000_000
MAX_TERMS = 500_000
"""Characters of texts, and different words, from which on everything is forgotten before more texts are taken apart."""
LONGEST = 20_000
"""Characters of a sentence that are looked at; what is longer is data or code."""
FEWEST_TERMS = 3
"""A sentence with fewer different words says little."""


NUMBER = "<i4"
"""The form of the numbers that are kept as bytes: those of many texts are put together quickly."""


@dataclass(frozen=True, slots=True, eq=False)
class TextSentences:
    """The sentences of a text that have words: their places, and numbers as bytes.

    `terms` are the different words of each as numbers, one sentence after another, `distinct` those of the text;
    `sizes` how many of each sentence there are, `lengths` those of all its words, `says_much` whether they are enough.
    """

    texts: tuple[str, ...]
    places: tuple[Place, ...]
    terms: bytes
    distinct: bytes
    sizes: bytes
    lengths: bytes
    says_much: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of many texts in order: arrays as the bytes of one text, and by sentence its text's position.

    `in_messages` is by a word's number how many of the texts have it; `numbers` are those of words by name, and a word
    that isn't there stands in none of these texts.
    """

    each: Sequence[TextSentences]
    first: Numbers
    """Of each text the number of sentences before it."""
    message: Numbers
    terms: Numbers
    sizes: Numbers
    lengths: Numbers
    says_much: Numbers
    in_messages: Numbers
    numbers: dict[str, int]

    def __len__(self) -> int:
        return len(self.sizes)

    def texts(self, places: Numbers) -> Iterator[str]:
        """The words of some sentences."""
        messages = self.message[places]
        for message, i in zip(messages.tolist(), (places - self.first[messages]).tolist(), strict=True):
            yield self.each[message].texts[i]

    def found(self, place: int) -> tuple[int, int, int, str]:
        """The position of a sentence's text, its start and end there, and its words."""
        message = int(self.message[place])
        i = place - int(self.first[message])
        one = self.each[message]
        return message, *one.places[i], one.texts[i]


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
    found = [(place, text[slice(*place)]) for place in sentences(text)]
    rows = [(place, sentence, term_counts(sentence[:LONGEST])) for place, sentence in found]
    rows = [row for row in rows if row[2].counts]
    terms = [numbers.setdefault(term, len(numbers)) for _, _, each in rows for term in each.counts]
    return TextSentences(
        tuple([sentence for _, sentence, _ in rows]),
        tuple([place for place, _, _ in rows]),
        _as_bytes(terms),
        _as_bytes(dict.fromkeys(terms)),
        _as_bytes(len(each.counts) for _, _, each in rows),
        _as_bytes(each.length for _, _, each in rows),
        _as_bytes(sum(map(_is_word, each.counts)) >= FEWEST_TERMS for _, _, each in rows),
    )


def _is_word(term: str) -> bool:
    """Whether a term is a word of its own; of Chinese words the single characters are terms too."""
    return len(term) > 1 or term < "\u2e80"


def _as_bytes(numbers: Iterable[int]) -> bytes:
    import numpy as np

    return np.fromiter(numbers, NUMBER).tobytes()


def _together(each: Sequence[TextSentences], numbers: dict[str, int]) -> Sentences:
    import numpy as np

    def joined(parts: list[bytes]) -> Numbers:
        return np.frombuffer(b"".join(parts), NUMBER)

    counts = np.array([len(one.places) for one in each], np.int64)
    return Sentences(
        each,
        np.cumsum(counts) - counts,
        np.repeat(np.arange(len(each)), counts),
        joined([one.terms for one in each]),
        joined([one.sizes for one in each]),
        joined([one.lengths for one in each]),
        joined([one.says_much for one in each]),
        np.bincount(joined([one.distinct for one in each])),
        numbers,
    )
