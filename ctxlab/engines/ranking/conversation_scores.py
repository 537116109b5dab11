"""Scores of a conversation by the words of a question: of messages, of what is around them, of talks, by speaker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import regex

from ctxlab.engines.ranking.ranker import Candidate
from ctxlab.engines.ranking.word_index import WordIndex, word_index
from ctxlab.engines.ranking.words import STOP_WORDS, Terms, words_as_written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SATURATION = 1.2
BY_LENGTH = 0.75
"""BM25's k1 and b, as Robertson and Zaragoza (2009) give them."""
AROUND = 2
"""Messages before and after one that count as what stands around it."""
MOST_WORDS = 200
"""Words of a question that are looked for, the rarest first."""
SHORTEST_NICKNAME = 3

_ASKER = regex.compile(r"(?i)\b(?:i|me|my|mine|myself)\b|我|俺|咱")
_ASKED = regex.compile(r"(?i)\b(?:you|your|yours|yourself)\b|你|您")
_NAME_WORDS = regex.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class ConversationScores:
    """BM25 of each message's own words, of those around it and of its talk, and whether the question names its speaker.

    Each is an array of one number a message. What stands around a message are the `AROUND` messages before and after it
    in its talk, with itself. Names of speakers in the question are no words to look for: whoever they name wrote it.
    """

    query: str
    candidates: Sequence[Candidate]

    @cached_property
    def asked(self) -> dict[str, str]:
        """The words to look for, each as it is written in the question."""
        names = {name for speaker in self.named for name in _name_words(speaker)}
        found: dict[str, str] = {}
        for written, term in words_as_written(self.query):
            if not any(is_short_for(word, name) for word in _NAME_WORDS.findall(written)[:1] for name in names):
                found.setdefault(term, written)
        return found

    @cached_property
    def named(self) -> frozenset[str]:
        """The speakers that the question names, by a word of their name or by its beginning."""
        speakers = {each.speaker for each in self.candidates if each.speaker and each.speaker != each.role}
        return frozenset(named_in(self.query, speakers))

    def shared(self, i: int) -> list[str]:
        """Words of the question that a message has too, as the question writes them."""
        return [self.asked[term] for term in self.asked if term in self.terms[i].counts]

    @property
    def terms(self) -> list[Terms]:
        return self._index.terms

    @cached_property
    def own(self) -> Numbers:
        return bm25(self._frequencies, self._lengths)

    @cached_property
    def around(self) -> Numbers:
        import numpy as np

        return bm25(*[self._with_neighbours(np.array(each)) for each in (self._frequencies, self._lengths)])

    @cached_property
    def of_talk(self) -> Numbers:
        import numpy as np

        starts = np.flatnonzero(np.diff(self._talks, prepend=self._talks[:1] - 1))
        if not len(starts):
            return np.zeros(0)
        sums = [np.add.reduceat(each, starts, axis=-1) for each in (self._frequencies, self._lengths)]
        return np.repeat(bm25(*sums), np.diff(starts, append=len(self._talks)))

    @cached_property
    def by_speaker(self) -> Numbers:
        """1 for messages of a speaker whom the question names, 0 for others.

        Where it names none, "I" and "my" are for messages of the user and "you" and "your" for the answers, unless it
        says both.
        """
        import numpy as np

        if self.named:
            return np.array([float(each.speaker in self.named) for each in self.candidates])
        asker, asked = _ASKER.search(self.query) is not None, _ASKED.search(self.query) is not None
        role = {(True, False): "user", (False, True): "assistant"}.get((asker, asked))
        return np.array([float(each.role == role) for each in self.candidates])

    @cached_property
    def _talks(self) -> NDArray[np.int64]:
        import numpy as np

        return np.fromiter((each.talk for each in self.candidates), np.int64, len(self.candidates))

    @cached_property
    def _lengths(self) -> Numbers:
        import numpy as np

        return np.fromiter((each.length for each in self.terms), np.float64, len(self.terms))

    @cached_property
    def _index(self) -> WordIndex:
        return word_index([each.text for each in self.candidates])

    @cached_property
    def _frequencies(self) -> Numbers:
        """How often each word to look for stands in each message, shape (words, messages)."""
        import numpy as np

        places = [found for _, found in self._index.having(self.asked)]
        if len(places) > MOST_WORDS:
            places = sorted(places, key=len)[:MOST_WORDS]
        frequencies = np.zeros((len(places), len(self.terms)))
        for row, found in enumerate(places):
            for i, times in found:
                frequencies[row, i] = times
        return frequencies

    def _with_neighbours(self, numbers: Numbers) -> Numbers:
        """The sum over each message and the `AROUND` messages of its talk before and after it."""
        sums = numbers.copy()
        for step in range(1, AROUND + 1):
            same = self._talks[step:] == self._talks[:-step]
            sums[..., step:] += same * numbers[..., :-step]
            sums[..., :-step] += same * numbers[..., step:]
        return sums


def bm25(frequencies: Numbers, lengths: Numbers) -> Numbers:
    """Okapi BM25 of texts, from how often each word of the question stands in each, shape (words, texts).

    Lengths are in words. A word in more than half of the texts still counts a little.
    """
    import numpy as np

    texts = len(lengths)
    found_in = np.count_nonzero(frequencies, axis=1)
    weights = np.log1p((texts - found_in + 0.5) / (found_in + 0.5))
    mean = lengths.mean() if texts else 1.0
    damped = SATURATION * (1 - BY_LENGTH + BY_LENGTH * lengths / (mean or 1.0))
    # A sum over the first axis has one order, whatever the number of threads; BLAS has several.
    return (weights[:, None] * frequencies * (SATURATION + 1) / (frequencies + damped)).sum(axis=0)


def named_in(query: str, speakers: Iterable[str]) -> list[str]:
    """The speakers whom a question names: by a word of their name, its beginning, or, in Chinese, all of it."""
    asked = _NAME_WORDS.findall(query)
    return [
        speaker
        for speaker in speakers
        if any(is_short_for(word, name) for word in asked for name in _name_words(speaker))
        or (not speaker.isascii() and speaker.casefold() in query.casefold())
    ]


def is_short_for(word: str, name: str) -> bool:
    """Whether a word of a question is a name or, with a capital, its beginning: "Mel" for "Melanie".

    A word that stands in any text, such as "will", is a name with a capital only, and never a name's beginning.
    """
    small, name = word.casefold(), name.casefold()
    if small in STOP_WORDS:
        return small == name and word[0].isupper()
    return small == name or (word[0].isupper() and len(small) >= SHORTEST_NICKNAME and name.startswith(small))


def _name_words(speaker: str) -> list[str]:
    return [word.casefold() for word in _NAME_WORDS.findall(speaker)]
