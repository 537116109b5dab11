"""Entries cut into chunks of a limited size, each with its place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import regex

from ctxlab.documents.knowledge_base import ChunkSettings, KnowledgeEntry
from ctxlab.knowledge.chunks.borders import (
    HEADING,
    SENTENCE_END,
    STRONGEST,
    Border,
    between_graphemes,
    borders,
    fences,
    in_surrogate_pair,
    is_inside,
    line_starts,
    spans,
)
from ctxlab.lazy_dataclass import dataclass

GRAPHEME = regex.compile(r"\X")
TRAIL = " > "


@dataclass(frozen=True, slots=True)
class Chunk:
    """The characters from `start` to before `end` of an entry's content, and where they stand; empty for all of it."""

    start: int
    end: int
    place: str = ""


def chunks_of(entry: KnowledgeEntry, settings: ChunkSettings) -> list[Chunk]:
    """The chunks of an entry in order: together they cover its content, each repeats at most the overlap.

    A content that fits is one chunk, unless it has parts or headings, which have chunks of their own. Headings with
    little below them share one. No chunk is larger than the setting, but for a single grapheme that is; fenced code
    that fits is never cut.
    """
    text = entry.content
    if not text:
        return []
    if entry.parts:
        return [chunk for part in _parts(entry) for chunk in _cut(text, *part, entry, settings)]
    return list(_cut(text, 0, len(text), "", entry, settings))


def _parts(entry: KnowledgeEntry) -> Iterator[tuple[int, int, str]]:
    """Start, end and place of each part; what stands before the first belongs to it."""
    text = entry.content
    starts = {part.start: part.place for part in entry.parts if part.start < len(text)}
    places = {at: place for at, place in sorted(starts.items()) if not at or between_graphemes(text, at)}
    named = list(places.values()) or [""]
    cuts = list(places)[1:]
    for (start, end), place in zip(spans(cuts, len(text)), named, strict=True):
        yield start, end, place


def _cut(
    whole: str, first: int, last: int, place: str, entry: KnowledgeEntry, settings: ChunkSettings
) -> Iterator[Chunk]:
    """The chunks of a part, which has this place."""
    text = whole[first:last]
    cut = _Cutter(text, entry, settings)
    lines = line_starts(text) if entry.kind == "code" else []
    trails = _trails(text) if entry.kind == "markdown" else []
    for start, end in cut.pieces():
        own = _lines(lines, start, end) if lines else _trail(trails, text, start)
        inside = "" if (start, end) == (0, len(text)) and lines else own
        yield Chunk(first + start, first + end, ", ".join(filter(None, (place, inside))))


class _Cutter:
    """A text with the places at which it may be cut."""

    def __init__(self, text: str, entry: KnowledgeEntry, settings: ChunkSettings) -> None:
        self.text, self.size = text, settings.characters
        self.overlap = min(settings.overlap, settings.characters // 2)
        self.whole = [(a, b) for a, b in fences(text) if b - a <= self.size] if entry.kind == "markdown" else []
        at_all = borders(text, entry.kind) if len(text) > self.size or entry.kind == "markdown" else []
        self.borders = [border for border in at_all if not is_inside(self.whole, border[0])]
        self.places = [at for at, _ in self.borders]
        self.sections = _sections(self.borders, len(text), self.size) if entry.kind == "markdown" else [(0, len(text))]

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Start and end of each chunk."""
        for start, end in self.sections:
            at, begin = start, start
            while end - begin > self.size:
                cut = self._best(at, begin, min(begin + self.size, end))
                yield begin, cut
                at, begin = cut, self._back(begin, cut)
            if at < end:
                yield begin, end

    def _best(self, at: int, begin: int, limit: int) -> int:
        """The best place to cut after `at`, the last of its kind, in the second half where there is one."""
        for least in (max(at, begin + self.size // 2), at):
            near = self.borders[bisect_right(self.places, least) : bisect_right(self.places, limit)]
            strong = min((level for _, level in near), default=None)
            if strong is not None:
                return max(place for place, level in near if level == strong)
        return self._grapheme(at, limit)

    def _grapheme(self, at: int, limit: int) -> int:
        """The end of the last grapheme after `at` that is before the limit, or of the first where it is longer."""
        end = at
        for match in GRAPHEME.finditer(self.text, at):
            if match.end() > limit and end > at:
                break
            if not in_surrogate_pair(self.text, match.end()):
                end = match.end()
        return end

    def _back(self, begin: int, cut: int) -> int:
        """The place of the next chunk: the first end of a sentence or line at most the overlap before the cut."""
        if not self.overlap:
            return cut
        near = self.borders[
            bisect_left(self.places, max(cut - self.overlap, begin + 1)) : bisect_left(self.places, cut)
        ]
        good = [place for place, level in near if level <= SENTENCE_END] or [place for place, _ in near]
        return good[0] if good else cut


def _sections(found: list[Border], length: int, size: int) -> list[tuple[int, int]]:
    """The sections under headings; neighbours that fit into half a chunk together are one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans([at for at, level in found if level == STRONGEST], length):
        if joined and end - joined[-1][0] <= size // 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _trails(text: str) -> list[tuple[int, str]]:
    """Of each heading outside of fenced code its place, and the headings down to it, the highest first."""
    code = fences(text)
    found: list[tuple[int, str]] = []
    above: list[tuple[int, str]] = []
    for match in HEADING.finditer(text):
        if is_inside(code, match.start()):
            continue
        level, words = len(match[1]), match[2].strip().rstrip("#").strip()
        above = [*[each for each in above if each[0] < level], (level, words)]
        found.append((match.start(), TRAIL.join(words for _, words in above if words)))
    return found


def _trail(trails: list[tuple[int, str]], text: str, start: int) -> str:
    """The headings above a place, the highest first; one that the place begins with is among them."""
    begin = start
    while begin < len(text) and text[begin] in "\r\n":
        begin += 1
    i = bisect_right(trails, begin, key=lambda each: each[0])
    return trails[i - 1][1] if i else ""


def _lines(starts: list[int], start: int, end: int) -> str:
    """The numbers of the lines that characters stand in."""
    first, last = bisect_right(starts, start), bisect_left(starts, end)
    return f"lines {first}-{last}" if last > first else f"line {first}"
