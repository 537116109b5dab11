"""A summary made ready for looking facts up: by its words, its sentences, its numbers and dates."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property

from ctxlab.engines.compression.facts.fact import Fact, Moment, Quantity, folded
from ctxlab.engines.compression.facts.find_facts import quantities_and_moments
from ctxlab.engines.compression.sentences import sentences
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.lazy_pattern import lazy_pattern

Place = tuple[int, int]

_TOKENS = lazy_pattern(r"[a-z0-9]+|[^\W_a-z0-9]")
_MOST_SENTENCES = 400
"""Sentences that have a word, above which the word chooses none."""


class SummaryIndex:
    """Words, sentences, numbers and dates of a summary, each with its place; `common` words are no part of a name."""

    def __init__(self, text: str, common: Collection[str] = ()) -> None:
        self.text, self._common = text, common
        self.low = folded(text)
        self._tokens = frozenset(_TOKENS.findall(self.low))
        self._found: dict[str, Place | None] = {}

    def place_of(self, words: str) -> Place | None:
        """The first place of words, upper and lower case, width and blanks alike; None where they aren't.

        Words that begin or end with a letter or digit are not found inside a longer word.
        """
        wanted = folded(words).strip()
        if wanted not in self._found:
            self._found[wanted] = self._search(wanted)
        return self._found[wanted]

    def place_of_name(self, word: str) -> Place | None:
        """The first place of a word that is written with a capital, as one word of a name is; never a common word."""
        if word.lower() in self._common:
            return None
        if not word.isascii():
            return self.place_of(word)
        if not word[:1].isupper():
            return None
        match = re.search(
            rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-){re.escape(word)}(?![A-Za-z0-9])(?!-[A-Za-z0-9])", self.text
        )
        return match.span() if match else None

    def places_of_number(self, number: str) -> Iterator[Place]:
        """The places of a number or identifier that isn't a part of a longer one."""
        pattern = rf"(?<![a-z0-9])(?<![a-z0-9][-.,]){re.escape(folded(number))}(?![a-z0-9])(?![-.,][a-z0-9])"
        for match in re.finditer(pattern, self.low):
            yield match.span()

    def holds(self, words: str) -> bool:
        """Whether the words are somewhere in the summary, be it inside longer ones; case, width and blanks alike."""
        return (wanted := _normalised(words)) != "" and wanted in self._normalised

    def written(self, term: str) -> str | None:
        """A word as the summary writes it first, by its form for comparing; None where it isn't there."""
        return self._written.get(term)

    @cached_property
    def _normalised(self) -> str:
        return _normalised(self.text)

    @cached_property
    def _written(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for written, term in words_as_written(self.text):
            found.setdefault(term, written)
        return found

    def _search(self, wanted: str) -> Place | None:
        if not wanted or not self._tokens.issuperset(_TOKENS.findall(wanted)):
            return None
        before, after = r"(?<![a-z0-9])" * _is_latin(wanted[0]), r"(?![a-z0-9])" * _is_latin(wanted[-1])
        pattern = before + r"\s+".join(map(re.escape, wanted.split())) + after
        match = re.search(pattern, self.low)
        return match.span() if match else None

    @cached_property
    def quantities(self) -> dict[tuple[float, float], list[Fact]]:
        """Numbers by their values; ranges also by each of their ends."""
        found: dict[tuple[float, float], list[Fact]] = defaultdict(list)
        for fact in self._measured:
            if isinstance(fact.value, Quantity):
                found[fact.value.low, fact.value.high].append(fact)
        return dict(found)

    @cached_property
    def moments(self) -> list[Fact]:
        """Dates and times, different ones once."""
        found = {fact.value: fact for fact in reversed(self._measured) if isinstance(fact.value, Moment)}
        return sorted(found.values(), key=lambda fact: fact.start)

    @cached_property
    def _measured(self) -> list[Fact]:
        return list(quantities_and_moments(self.text))

    @cached_property
    def sentences(self) -> list[Place]:
        """Places of the summary's sentences."""
        return list(sentences(self.text))

    @cached_property
    def _sentences_of(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for i, (start, end) in enumerate(self.sentences):
            for word in {word for _, word in words_as_written(self.text[start:end])}:
                found[word].append(i)
        return dict(found)

    def nearest_sentence(self, words: frozenset[str]) -> tuple[int, frozenset[str]] | None:
        """The number of the sentence that has most of these words, and those that it has."""
        hits: dict[int, set[str]] = defaultdict(set)
        for word in sorted(words):
            at = self._sentences_of.get(word, ())
            if len(at) <= _MOST_SENTENCES or not hits:
                for i in at[:_MOST_SENTENCES]:
                    hits[i].add(word)
        if not hits:
            return None
        best = max(hits, key=lambda i: (len(hits[i]), -i))
        return best, frozenset(hits[best])

    def span_of(self, sentence: int) -> Place:
        """Start and end of a sentence, by its number."""
        return self.sentences[sentence]


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalnum()
