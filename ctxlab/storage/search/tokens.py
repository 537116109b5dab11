"""Tokens of folded texts: words, overlapping pairs of characters where words aren't set apart, symbols.

A character's class depends on nothing around it, so a part of a text has the tokens of the whole, but at its edges.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from operator import add

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

WORD, PAIRED, SYMBOL, NONE = "wcs "
LONGEST = 64
"""Characters of a token; longer words become pieces of this length."""
STRIDE = 32
"""Characters from piece to piece: whatever has at most so many characters is in one of them."""
BORDER = "¡"
"""Marks the beginning or the end of a run; like the other marks it is no letter, and no word has it."""
ALONE = "¿"
"""Marks a character of a paired script, wherever it stands."""
RUNS = lazy_pattern("w+|c+|s")
ASCII_WORDS = lazy_pattern("[0-9a-z]+")
PAIRED_BLOCKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # parts of Korean syllables
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3040, 0x30FA),  # kana
    (0x30FC, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Korean
    (0xF900, 0xFAFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)
"""Scripts whose words are not set apart by blanks, and Korean, whose words have endings."""


class _Classes(dict[int, str]):
    """The class of a character by its code point; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _class_of(code)
        return found


def _class_of(code: int) -> str:
    if any(first <= code <= last for first, last in PAIRED_BLOCKS):
        return PAIRED
    category = unicodedata.category(chr(code))
    if category[0] in "LNM":
        return WORD
    return SYMBOL if category[0] == "S" and code > 0x7F else NONE


CLASSES = _Classes()


def class_of(character: str) -> str:
    """WORD, PAIRED, SYMBOL or NONE."""
    return CLASSES[ord(character)]


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring characters of one class, `text`, which begin at `start` of the folded text."""

    kind: str
    text: str
    start: int


def runs(text: str) -> list[Run]:
    """The runs of a folded text in order; blanks and punctuation are in none."""
    classes = text.translate(CLASSES)
    return [Run(classes[m.start()], text[m.start() : m.end()], m.start()) for m in RUNS.finditer(classes)]


@dataclass(slots=True)
class Tokens:
    """Tokens of a text in order; the different words among them, and the different characters of paired scripts.

    `edges` are those with which runs begin, end and meet, `neighbours` each two words side by side.
    """

    ordered: list[str]
    words: set[str]
    characters: set[str]
    edges: set[str]
    neighbours: list[str]

    def add(self, text: str) -> None:
        """Add the tokens of one more folded text."""
        if text.isascii():
            self._add_words(ASCII_WORDS.findall(text))
            return
        classes = text.translate(CLASSES)
        before, before_kind = "", NONE
        edges, order = self.edges, self.ordered
        for found in RUNS.finditer(classes):
            start, end = found.span()
            run, kind = text[start:end], classes[start]
            if kind == PAIRED:
                order += pairs(run)
                self.characters.update(run)
                edges.update((f"{BORDER}{run[0]}", f"{run[-1]}{BORDER}"))
            elif kind == WORD:
                parts = [run] if end - start <= LONGEST else pieces(run)
                order += parts
                self.words.update(parts)
                edges.update((f"{BORDER}{run[:2]}", f"{run[-2:]}{BORDER}"))
            else:
                order.append(run)
                edges.update((f"{BORDER}{run}", f"{run}{BORDER}"))
            if before:
                edges.update(junctions_of(before, run))
                if before_kind != PAIRED != kind:
                    self.neighbours.append(neighbours(before, run))
            before, before_kind = run, kind

    def _add_words(self, words: list[str]) -> None:
        """Add words side by side: all junctions at once, since a call for each takes twice as long."""
        heads, tails = [word[:2] for word in words], [word[-2:] for word in words]
        self.edges.update([f"{BORDER}{head}" for head in set(heads)], [f"{tail}{BORDER}" for tail in set(tails)])
        for left, right in set(zip(tails, heads[1:], strict=False)):
            self.edges.add(f"{left[-1]}·{right[0]}")
            if len(left) > 1 < len(right):
                self.edges.add(f"{left}·{right}")
        if max(map(len, words), default=0) > STRIDE:
            self.neighbours += [neighbours(left, right) for left, right in pairwise(words)]
            words = [piece for word in words for piece in pieces(word)]
        else:
            self.neighbours += map("¶".join, pairwise(words))
        self.ordered += words
        self.words.update(words)

    def all(self) -> list[str]:
        """All of them, of which only those in order follow each other."""
        return [*self.ordered, *[f"{each}{ALONE}" for each in self.characters], *self.edges, *self.neighbours]


def tokens_of(texts: Sequence[str]) -> Tokens:
    """Tokens of folded texts, one after another."""
    found = Tokens([], set(), set(), set(), [])
    for text in texts:
        found.add(text)
    return found


def alone(character: str) -> str:
    """The token for a character of a paired script, wherever it stands."""
    return f"{character}{ALONE}"


# --- edges: where a run begins and ends, and where it meets the next one


def beginning(kind: str, run: str) -> str:
    """The token for the first characters of a run: two of a word, else one."""
    return f"{BORDER}{run[:2] if kind == WORD else run[0]}"


def ending(kind: str, run: str) -> str:
    """The token for the last characters of a run."""
    return f"{run[-2:] if kind == WORD else run[-1]}{BORDER}"


def junctions_of(left: str, right: str) -> tuple[str, ...]:
    """Tokens for the characters at which two runs meet: one of each, and two.

    >>> junctions_of("the", "lamp"), junctions_of("塔", "灯")
    (('e·l', 'he·la'), ('塔·灯',))
    """
    short = f"{left[-1]}·{right[0]}"
    return (short, f"{left[-2:]}·{right[:2]}") if len(left) > 1 and len(right) > 1 else (short,)


def neighbours(left: str, right: str) -> str:
    """The token for two words side by side; of those that are long together, the beginning and the end of each.

    >>> neighbours("the", "lamp")
    'the¶lamp'
    """
    if len(left) + len(right) <= LONGEST:
        return f"{left}¶{right}"
    return "¶".join(word if len(word) <= STRIDE else word[:STRIDE] + word[-STRIDE:] for word in (left, right))


@dataclass(frozen=True, slots=True)
class Side:
    """A run beside a junction, of which a query has this much; `is_word` where it is a whole word."""

    text: str
    is_word: bool


def junction(left: Side, right: Side) -> str:
    """The token that tells most of what a query knows of a junction.

    >>> junction(Side("the", True), Side("la", False)), junction(Side("e", False), Side("la", False))
    ('he·la', 'e·l')
    """
    if left.is_word and right.is_word:
        return neighbours(left.text, right.text)
    return junctions_of(left.text, right.text)[-1]


def pairs(run: str) -> list[str]:
    """Overlapping pairs of a run; a run of one character is a token of its own.

    >>> pairs("灯塔上"), pairs("灯")
    (['灯塔', '塔上'], ['灯'])
    """
    return [run] if len(run) == 1 else list(map(add, run, run[1:]))


def pieces(word: str) -> list[str]:
    """A word as it is, or a long one in overlapping pieces, of which the last ends where it ends."""
    if len(word) <= LONGEST:
        return [word]
    starts = [*range(0, len(word) - LONGEST, STRIDE), len(word) - LONGEST]
    return [word[start : start + LONGEST] for start in starts]
