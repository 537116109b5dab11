"""Scores of a conversation by the words of a question: of messages, of what is around them, of talks, by speaker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import log1p
from typing import TYPE_CHECKING

import regex

from ctxlab.display.short_texts import first_of, short
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.ranker import Candidate
from ctxlab.engines.ranking.weights import Weights
from ctxlab.engines.ranking.word_index import Occurrences
from ctxlab.engines.ranking.words import STOP_WORDS, words_as_written
from ctxlab.lazy_dataclass import dataclass

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
MOST_NAMED = 6
"""Words that a reason names."""

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
    messages: Sequence[Candidate]

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates.of(self.messages)

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
        return frozenset(named_in(self.query, self.candidates.named_speakers))

    def shared(self, i: int) -> list[str]:
        """Words that were looked for and that a message has too, as the question writes them."""
        counts = self.candidates.word_index.terms[i].counts
        return [self.asked[term] for term in self._found if term in counts]

    def total(self, by: Weights) -> Numbers:
        """The scores by their weights; those of words count less where the question has many or rare ones."""
        words = by.own * self.own + by.around * self.around + by.of_talk * self.of_talk
        return words * min(1.0, by.most_words / (self.words_of_question or 1.0)) + by.by_speaker * self.by_speaker

    def reason(self, i: int) -> str:
        """Words that a message shares with the question, as a clause that goes on after its place and score."""
        shared = [repr(short(word)) for word in self.shared(i)]
        if shared:
            found = f"it shares {first_of(shared, MOST_NAMED)} with the question"
        elif self.around[i]:
            found = "it has none of the words looked for, but messages around it have"
        elif self.of_talk[i]:
            found = "it has none of the words looked for, but its talk has"
        else:
            found = "it has none of the words looked for"
        return f"{found}{self._of_speaker(i)}"

    def _of_speaker(self, i: int) -> str:
        if not self.by_speaker[i]:
            return ""
        if self.named:
            return f", and {short(self.candidates.speakers[i])}, whom the question names, wrote it"
        return f", and the {self._role}, {'of' if self._role == 'user' else 'to'} whom the question speaks, wrote it"

    @cached_property
    def own(self) -> Numbers:
        return bm25(self._frequencies(), self.candidates.lengths)

    @cached_property
    def around(self) -> Numbers:
        return bm25(map(self._with_neighbours, self._frequencies()), self._with_neighbours(self.candidates.lengths))

    @cached_property
    def of_talk(self) -> Numbers:
        import numpy as np

        talks = self.candidates.talk_numbers
        starts = np.flatnonzero(np.diff(talks, prepend=talks[:1] - 1))
        if len(starts) < 2:  # it would be the same for all
            return np.zeros(len(talks))
        frequencies = (np.add.reduceat(each, starts) for each in self._frequencies())
        scores = bm25(frequencies, np.add.reduceat(self.candidates.lengths, starts))
        return np.repeat(scores, np.diff(starts, append=len(talks)))

    @cached_property
    def by_speaker(self) -> Numbers:
        """1 for messages of a speaker whom the question names, 0 for others.

        Where it names none, "I" and "my" are for messages of the user and "you" and "your" for the answers, unless it
        says both.
        """
        import numpy as np

        if self.named:
            return np.array([speaker in self.named for speaker in self.candidates.speakers], np.float64)
        role = self._role
        return np.array([each == role for each in self.candidates.roles] if role else [False] * len(self), np.float64)

    def __len__(self) -> int:
        return len(self.candidates)

    @cached_property
    def _role(self) -> str:
        """The role of whom the question speaks, where it names no speaker; "" where it speaks of none or both."""
        asker, asked = _ASKER.search(self.query) is not None, _ASKED.search(self.query) is not None
        return {(True, False): "user", (False, True): "assistant"}.get((asker, asked), "")

    @cached_property
    def words_of_question(self) -> float:
        """The weights of the words that were found, added up: many words or rare ones weigh much."""
        return sum([word_weight(len(self), len(each.at)) for each in self._found.values()])

    @cached_property
    def _found(self) -> dict[str, Occurrences]:
        """The messages that have each word to look for."""
        found = self.candidates.word_index.having(self.asked)
        if len(found) <= MOST_WORDS:
            return found
        rarest = sorted(found, key=lambda word: len(found[word].at))[:MOST_WORDS]
        return {word: found[word] for word in found if word in frozenset(rarest)}

    def _frequencies(self) -> Iterator[Numbers]:
        """Counts of each word to look for in each message, word by word."""
        import numpy as np

        for each in self._found.values():
            counts = np.zeros(len(self))
            counts[each.at] = each.times
            yield counts

    def _with_neighbours(self, numbers: Numbers) -> Numbers:
        """The sum over each message and the `AROUND` messages of its talk before and after it."""
        sums = numbers.copy()
        for step, same in enumerate(self._same_talk, start=1):
            sums[step:] += same * numbers[:-step]
            sums[:-step] += same * numbers[step:]
        return sums

    @cached_property
    def _same_talk(self) -> list[NDArray[np.bool_]]:
        """Whether a message has the talk of the one so many places before it, for 1 up to `AROUND` places."""
        talks = self.candidates.talk_numbers
        return [talks[step:] == talks[:-step] for step in range(1, AROUND + 1)]


def bm25(frequencies: Iterable[Numbers], lengths: Numbers) -> Numbers:
    """Okapi BM25 of texts, from how often they have a word of the question, one array for each word.

    Lengths are in words. A word in more than half of the texts still counts a little.
    """
    import numpy as np

    scores = np.zeros(len(lengths))
    mean = lengths.mean() if len(lengths) else 1.0
    damped = SATURATION * (1 - BY_LENGTH + BY_LENGTH * lengths / (mean or 1.0))
    for counts in frequencies:  # one by one: arrays of all words at once would be large
        at = np.flatnonzero(counts)
        there = counts[at]
        scores[at] += word_weight(len(lengths), len(at)) * there * (SATURATION + 1) / (there + damped[at])
    return scores


def word_weight(texts: int, found_in: int) -> float:
    """BM25's weight of a word by the number of texts that have it."""
    return log1p((texts - found_in + 0.5) / (found_in + 0.5))


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
