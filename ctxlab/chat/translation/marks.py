"""Marks that stand for the pieces of a segment while a model has it, and the segment made again of its answer."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from ctxlab.chat.translation.pieces import IN_ORDER, OPEN_ENDED, Piece, pieces_in
from ctxlab.chat.translation.segments import Segment
from ctxlab.display.short_texts import counted, short
from ctxlab.engines.split_thoughts import split_thoughts
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

BRACKETS: Final = (("⟦", "⟧"), ("⦗", "⦘"), ("⟪", "⟫"), ("〘", "〙"), ("⧼", "⧽"))
LONGEST_FACTOR, LONGEST_MORE = 20, 2000
"""An answer that is longer than this many times the question, and so many characters, is none."""
_WRAPPED = lazy_pattern(r"\A(`{3,}|~{3,})[^\n]*\n(.*)\n\1\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marks:
    """A pair of brackets, and letters behind the first one, that a text doesn't have: `⟦1⟧`, `⟦2⟧`, ..."""

    opener: str
    closer: str
    letters: str = ""

    def mark(self, number: int) -> str:
        return f"{self.opener}{self.letters}{number}{self.closer}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """A mark, also with blanks in it and digits of another width."""
        before, after = re.escape(self.opener + self.letters), re.escape(self.closer)
        return re.compile(rf"{before}\s*(\d{{1,9}})\s*{after}")


def marks_for(text: str) -> Marks:
    """Marks that are nowhere in a text."""
    for opener, closer in BRACKETS:
        if opener not in text and closer not in text:
            return Marks(opener, closer)
    opener, closer = BRACKETS[0]
    number = 0
    while f"{opener}{_letters(number)}" in text:
        number += 1
    return Marks(opener, closer, _letters(number))


def _letters(number: int) -> str:
    """The letters of a number: k, ka, kb, ... The digits of a mark come after them."""
    return "k" + "".join(chr(97 + int(digit)) for digit in str(number)) if number else "k"


def marked(segment: Segment, marks: Marks) -> str:
    """The segment with a mark for each of its pieces, numbered from 1."""
    words = list(segment.words)
    return words[0] + "".join(marks.mark(n) + after for n, after in enumerate(words[1:], start=1))


@dataclass(frozen=True, slots=True)
class Restored:
    """A segment made of an answer; `text` is None where it can't be proved right, `reason` says why.

    `mended` are clauses on what was put right.
    """

    text: str | None = None
    reason: str = ""
    mended: tuple[str, ...] = field(default=())


def restored(answer: str, segment: Segment, marks: Marks) -> Restored:
    """The segment that an answer stands for: every piece once, unchanged, in an order that it may have."""
    text, mended = _bare(answer, segment)
    if not text:
        return Restored(reason="the answer is empty")
    if len(text) > LONGEST_FACTOR * len(segment.text) + LONGEST_MORE:
        return Restored(reason=f"the answer has {len(text):,} characters for {len(segment.text):,}")
    text, said = _with_whole_marks(text, len(segment.pieces), marks)
    mended += said
    numbers = [int(found[1]) for found in marks.pattern.finditer(text)]
    wrong = _wrong_numbers(numbers, segment.pieces) or _wrong_order(numbers, segment.pieces)
    if wrong:
        return Restored(reason=wrong)
    words = marks.pattern.split(text)[::2]
    if marks.opener + marks.letters in "".join(words) or (not marks.letters and marks.closer in "".join(words)):
        return Restored(reason="a mark came back damaged")
    if not any(letter.isalpha() for letter in "".join(words)):
        return Restored(reason="the answer has no words")
    pieces = [segment.pieces[number - 1] for number in numbers]
    for blanks in (False, True):
        made = _put_together(words, pieces, blanks=blanks)
        if [found.text for found in pieces_in(made)] == [piece.text for piece in pieces]:
            more = ("a blank beside a piece that words ran into",) if blanks else ()
            return Restored(made, mended=(*mended, *more))
    return Restored(reason=_read_otherwise(_put_together(words, pieces, blanks=False), pieces))


def _bare(answer: str, segment: Segment) -> tuple[str, tuple[str, ...]]:
    """The answer without thoughts and a fence around all of it, neither of which the question had."""
    words = "".join(part.text for part in split_thoughts(answer) if part.kind == "words").strip()
    wrapped = _WRAPPED.match(words)
    if wrapped is not None and not any(piece.kind == "code block" for piece in segment.pieces):
        return wrapped[2].strip(), ("a fence around the answer",)
    return words, ()


def _with_whole_marks(text: str, count: int, marks: Marks) -> tuple[str, tuple[str, ...]]:
    """The answer with marks as they were sent, where it can only have been them."""
    plain = marks.pattern.sub(lambda found: marks.mark(int(found[1])), text)
    mended = ("marks with blanks or other digits",) if plain != text else ()
    doubled = re.compile(rf"({marks.pattern.pattern.replace('(', '(?:', 1)})(?:\s*\1)+")
    single = doubled.sub(r"\1", plain)
    mended += ("a mark that came twice in one place",) if single != plain else ()
    numbers = Counter(int(found[1]) for found in marks.pattern.finditer(single))
    missing = [number for number in range(1, count + 1) if number not in numbers]
    if len(missing) != 1:
        return single, mended
    found = _damaged(single, missing[0], marks)
    if found is None:
        return single, mended
    start, end = found
    return f"{single[:start]}{marks.mark(missing[0])}{single[end:]}", (*mended, "a mark that lost a bracket")


def _damaged(text: str, number: int, marks: Marks) -> tuple[int, int] | None:
    """The one place that only the missing mark can have been: its number beside one of its brackets."""
    opener, closer = re.escape(marks.opener + marks.letters), re.escape(marks.closer)
    around = re.compile(
        rf"{opener}\s*{number}(?!\d)(?:\s*[\])】〕}}])?(?!\s*{closer})|(?:[\[(【〔{{]\s*)?(?<!\d){number}\s*{closer}"
    )
    whole = [found.span() for found in marks.pattern.finditer(text)]
    places = [found.span() for found in around.finditer(text)]
    free = [(a, b) for a, b in places if not any(a < end and b > start for start, end in whole)]
    return free[0] if len(free) == 1 else None


def _wrong_numbers(numbers: Sequence[int], pieces: Sequence[Piece]) -> str:
    """A clause on marks that are lost, doubled or made up; empty where each is there once."""
    times = Counter(numbers)
    made_up = [number for number in times if not 1 <= number <= len(pieces)]
    if made_up:
        return f"the model made up {counted(len(made_up), 'mark')}"
    lost = [piece for number, piece in enumerate(pieces, start=1) if not times[number]]
    if lost:
        return f"the model lost {_named(lost, pieces)}"
    doubled = [pieces[number - 1] for number, count in times.items() if count > 1]
    return f"the model doubled {_named(doubled, pieces)}" if doubled else ""


def _named(some: Sequence[Piece], pieces: Sequence[Piece]) -> str:
    first = f"first the {some[0].kind} {short(some[0].text)!r}"
    return f"{len(some):,} of {counted(len(pieces), 'protected piece')} ({first})"


def _wrong_order(numbers: Sequence[int], pieces: Sequence[Piece]) -> str:
    """A clause on an order that says something else: of tags and the like, and of what stands between two of them."""
    fixed = [n for n in numbers if pieces[n - 1].kind in IN_ORDER]
    if fixed != sorted(fixed):
        return "the model put pieces into another order"
    if _gaps(numbers, pieces) != _gaps(range(1, len(pieces) + 1), pieces):
        return "the model moved a piece across a tag"
    return ""


def _gaps(numbers: Sequence[int], pieces: Sequence[Piece]) -> dict[int, int]:
    """By the number of each piece that may move, the number of pieces in order that stand before it."""
    before, found = 0, dict[int, int]()
    for number in numbers:
        if pieces[number - 1].kind in IN_ORDER:
            before += 1
        else:
            found[number] = before
    return found


def _put_together(words: Sequence[str], pieces: Sequence[Piece], *, blanks: bool) -> str:
    """Words and pieces in turn; with `blanks` letters and digits don't touch pieces that may stand apart."""
    made = words[0]
    for piece, after in zip(pieces, words[1:], strict=True):
        apart = blanks and piece.kind in OPEN_ENDED
        made += " " if apart and made and _runs_in(made[-1]) else ""
        made += piece.text
        made += " " if apart and after and _runs_in(after[0]) else ""
        made += after
    return made


def _runs_in(letter: str) -> bool:
    return not letter.isspace() and unicodedata.category(letter)[0] in "LNMPS"


def _read_otherwise(made: str, pieces: Sequence[Piece]) -> str:
    known = Counter(piece.text for piece in pieces)
    new = [found for found in pieces_in(made) if not known[found.text]]
    if new:
        return f"the answer would bring a new piece, the {new[0].kind} {short(new[0].text)!r}"
    return "the answer would change a protected piece"
