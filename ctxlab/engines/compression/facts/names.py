"""Names of people, places and works in a text, found by capitals, by title marks, and by a dictionary in Chinese.

Precision goes before recall: a word that begins a sentence is a name only where the texts have it as one elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ctxlab.engines.compression.facts.chinese_names import chinese_names, introduced_names
from ctxlab.engines.compression.facts.fact import Fact, folded
from ctxlab.engines.compression.facts.moments import MONTHS, WEEKDAYS
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.ranking.stop_words import STOP_WORDS
from ctxlab.lazy_pattern import lazy_pattern

_CAPITAL = (
    r"[A-Z\u00c0-\u00d6\u00d8-\u00de][A-Za-z\u00c0-\u024f0-9]*"
    r"(?:['\u2019-](?!s\b)[A-Za-z\u00c0-\u024f]+|/[A-Z]{2,8}\b|['\u2019](?= [A-Z]))*"
)
_TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Mt)\.?\s)?"
_JOINER = r"(?:(?:of the|of|de la|de|del|van der|van|von|der|di|da|bin|al)\s)?"
RUN = lazy_pattern(rf"(?<![A-Za-z0-9_\u00c0-\u024f/@#$.-]){_TITLE}{_CAPITAL}(?: {_JOINER}{_CAPITAL}){{0,7}}")
_SMALL = lazy_pattern(r"(?<![A-Za-z0-9_'])[a-z][a-z'-]*[a-z]")
_BEFORE = " \t\n\"'([*_`“‘《"
"""Marks between a word and what stands before it."""
_MOST_INTRODUCED = 500
_BOLD_LABEL = lazy_pattern(r"[-*+| \t\d.]*\*\*[^*\n]{1,80}\*\*")
_NUMBER_BEHIND = lazy_pattern(r" #?\d")
"""One capitalised word and a number say which part is meant."""
_PLURAL = lazy_pattern(r"[A-Z]{2,}s")
_TITLE_MARKS = lazy_pattern(r"《([^《》\n]{1,60})》")
_HAN = lazy_pattern(r"[\u3400-\u9fff]")

_COMMON = """
    hello bye goodbye congrats thanks thank dear good great sure yes yeah okay welcome sorry congratulations wow
    today tomorrow yesterday tonight certainly absolutely definitely indeed also however maybe perhaps please mr mrs
    ms dr prof sir madam ok tv ai pc todo note warning error fixme ps diy faq eta tbd asap fyi etc hmm haha awesome
    nice cool let's step steps user assistant api id sdk dom null json jsonl html css http https url sql cli ui ide
    db not and or todo md ci pr
"""
_NO_NAMES = frozenset(_COMMON.split()) | {*MONTHS, *WEEKDAYS} - {"may", "april", "june", "august"}


class KnownWords:
    """Words of texts that stand in small letters, and those that are capitals inside a sentence: names."""

    __slots__ = ("inside", "introduced", "small")

    def __init__(self, texts: Iterable[str]) -> None:
        self.small: set[str] = set()
        self.inside: set[str] = set()
        introduced: set[str] = set()
        for text in texts:
            if _HAN.search(text):
                introduced.update(introduced_names(text))
            self.small.update(_SMALL.findall(text))
            for match in RUN.finditer(text):
                if not begins_sentence(text, match.start()):
                    self.inside.update(word.lower() for word in _stripped(match[0]))

        longest = sorted(introduced, key=lambda name: (-len(name), name))[:_MOST_INTRODUCED]
        self.introduced = re.compile("|".join(map(re.escape, longest))) if longest else None

    def is_name(self, words: list[str], *, first: bool) -> bool:
        """Whether capitalised words are a name; `first` where they begin a sentence."""
        low = [folded(word) for word in words]
        if not low or all(word in STOP_WORDS or word in _NO_NAMES for word in low):
            return False
        if len(low) > 1:
            return not _is_shouted(words) and (not first or low[0] in self.inside or self._is_unknown(words))
        if low[0] in self.small or len(low[0]) < 2 or low[0] in _NO_NAMES or _PLURAL.fullmatch(words[0]):
            return False
        return not first or low[0] in self.inside

    def _is_unknown(self, words: list[str]) -> bool:
        """Whether no word at the beginning of a sentence is one that the texts have in small letters, or initials."""
        return not any(word.isupper() or word.lower() in self.small for word in words)


def _is_shouted(words: list[str]) -> bool:
    return len(words) > 1 and all(word.isupper() for word in words) and words[0] != "I"


def begins_sentence(text: str, at: int) -> bool:
    """Whether a word at this place is the first of a sentence, a line, an item or a cell: after anything but a word."""
    before = text[max(0, at - 12) : at]
    rest = before.rstrip(_BEFORE)
    return "\n" in before[len(rest) :] or not rest or not (rest[-1].isalnum() or rest[-1] in ",)%'’，、&")


def names(text: str, taken: Taken, known: KnownWords) -> Iterator[Fact]:
    """Names that stand in the free places of a text; `known` are the words of all texts together."""
    yield from _capitals(text, taken, known)
    if _HAN.search(text):
        yield from _chinese(text, taken, known)


def titles(text: str, taken: Taken) -> Iterator[Fact]:
    """Works between Chinese title marks, without the marks."""
    for match in _TITLE_MARKS.finditer(text):
        if taken.take(*match.span(1)):
            yield Fact("name", match.start(1), match.end(1), match[1], folded(match[1]).strip())


def _capitals(text: str, taken: Taken, known: KnownWords) -> Iterator[Fact]:
    for match in RUN.finditer(text):
        if _is_heading(text, match) or _is_shouted(match[0].split(" ")):
            continue
        start, found = match.start(), match[0]
        first = begins_sentence(text, start)
        words = found.split(" ")
        while words and _is_common(words[0], known, first=first):
            start += len(words[0]) + 1
            words = words[1:]
            first = False
        if first and len(words) > 1 and not known.is_name(words, first=True):
            start += len(words[0]) + 1
            words, first = words[1:], False
        while words and folded(words[-1]) in STOP_WORDS:
            words = words[:-1]
        name = " ".join(words)
        is_label = len(words) == 1 and _NUMBER_BEHIND.match(text, start + len(name))
        if not is_label and known.is_name(words, first=first) and taken.take(start, start + len(name)):
            yield Fact("name", start, start + len(name), name, folded(name))


def _is_common(word: str, known: KnownWords, *, first: bool) -> bool:
    """Whether the first of capitalised words belongs to no name: a stop word, a greeting, or a sentence's beginning."""
    low = folded(word)
    if low in STOP_WORDS or (first and low in _NO_NAMES):
        return True
    return first and low in known.small and low not in known.inside


def _stripped(found: str) -> list[str]:
    return [word for word in found.split(" ") if folded(word) not in STOP_WORDS]


def _is_heading(text: str, match: re.Match[str]) -> bool:
    """Whether all words of the line are capitals: a heading, where capitals say nothing."""
    start = text.rfind("\n", 0, match.start()) + 1
    if match.start() - start > 80:
        return False
    end = text.find("\n", match.end())
    end = len(text) if end < 0 else end
    label = _BOLD_LABEL.match(text, start)
    if label is not None and match.start() < label.end():
        return True
    if end - start > 120:
        return False
    line = text[start:end].strip()
    if line[:1] == "#" or (line[:2] == "**" and line.rstrip(":").endswith("**")):
        return True
    words = re.findall(r"[A-Za-z]{4,}", line)
    return len(words) >= 3 and all(word[0].isupper() for word in words) and line[-1:] not in ".!?"


def _chinese(text: str, taken: Taken, known: KnownWords) -> Iterator[Fact]:
    for start, end in chinese_names(text, known.introduced):
        if taken.take(start, end):
            yield Fact("name", start, end, text[start:end], text[start:end])
