"""A text cut into segments: what is asked of the model in one request, and what stays as it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxlab.chat.translation.pieces import BLOCKS, IN_ORDER, Piece
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

_LINE_END = lazy_pattern(r"\n+")
_SENTENCE_END = lazy_pattern(r"[。！？!?；;]+[”’」』）)\"']*|\.(?=\s)")
_BLANK = lazy_pattern(r"[\s，,、]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters from `start` up to `end` of a text that one request is about, with the pieces in them.

    It begins and ends with words or with a piece that may move; everything outside of segments stays as it is.
    """

    start: int
    end: int
    text: str
    pieces: tuple[Piece, ...]

    @property
    def words(self) -> Iterator[str]:
        """The text between the pieces."""
        at = self.start
        for piece in self.pieces:
            yield self.text[at - self.start : piece.start - self.start]
            at = piece.end
        yield self.text[at - self.start :]


def segments_of(text: str, pieces: Sequence[Piece], most: int) -> tuple[Segment, ...]:
    """The segments of a text, each of at most so many characters where it can be cut outside of its pieces."""
    found: list[Segment] = []
    for start, end in _stretches(text, pieces):
        for first, last in _packed(_cuts(text, pieces, start, end, most), start, end, most):
            segment = _core(text, pieces, first, last)
            if segment is not None:
                found.append(segment)
    return tuple(found)


def _stretches(text: str, pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """The text between pieces that are blocks."""
    at = 0
    for piece in pieces:
        if piece.kind in BLOCKS:
            yield at, piece.start
            at = piece.end
    yield at, len(text)


def _cuts(text: str, pieces: Sequence[Piece], start: int, end: int, most: int) -> list[int]:
    """Places to cut: ends of lines; in longer lines ends of sentences, then blanks, then anywhere."""
    places = [start, end]
    for pattern in (_LINE_END, _SENTENCE_END, _BLANK):
        longer = [(a, b) for a, b in pairwise(places) if b - a > most or pattern is _LINE_END]
        if not longer:
            return places
        more = [m.end() for a, b in longer for m in pattern.finditer(text, a, b)]
        places = sorted({*places, *_outside(more, pieces)})
    rest = [(a, b) for a, b in pairwise(places) if b - a > most]
    return sorted({*places, *_outside([at for a, b in rest for at in range(a + most, b, most)], pieces)})


def _outside(places: Sequence[int], pieces: Sequence[Piece]) -> list[int]:
    starts = [piece.start for piece in pieces]

    def is_inside(at: int) -> bool:
        before = bisect_right(starts, at) - 1
        return before >= 0 and pieces[before].start < at < pieces[before].end

    return [at for at in places if not is_inside(at)]


def _packed(cuts: Sequence[int], start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Neighbouring bits together, as long as they fit."""
    first = start
    for at, following in zip(cuts, [*cuts[1:], end], strict=True):
        if at > first and following - first > most:
            yield first, at
            first = at
    if first < end:
        yield first, end


def _core(text: str, pieces: Sequence[Piece], start: int, end: int) -> Segment | None:
    """A bit without blanks and pieces in order at its ends; None where no words are left."""
    inside = list(pieces[_first_from(pieces, start) : _first_from(pieces, end)])
    while True:
        start, end = _without_blanks(text, start, end)
        if inside and inside[0].start == start and inside[0].kind in IN_ORDER:
            start = inside.pop(0).end
        elif inside and inside[-1].end == end and inside[-1].kind in IN_ORDER:
            end = inside.pop().start
        else:
            break
    segment = Segment(start, end, text[start:end], tuple(inside))
    return segment if any(letter.isalpha() for words in segment.words for letter in words) else None


def _first_from(pieces: Sequence[Piece], at: int) -> int:
    """The number of pieces that start before a place."""
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if pieces[middle].start < at else (low, middle)
    return low


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
