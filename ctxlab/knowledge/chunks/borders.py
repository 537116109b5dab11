"""Places at which a text may be cut, by how good a cut there is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

import regex

from ctxlab.documents.knowledge_base import EntryKind

HEADING = regex.compile(r"(?m)^ {0,3}(#{1,6})(?=[ \t]|$)([^\n]*)")
FENCE = regex.compile(r"(?m)^ {0,3}(`{3,}|~{3,})[^\n]*$")
BLANK_LINES = regex.compile(r"\n[ \t\r]*\n\s*?(?=[^\s]|[ \t]+\S)")
LINE = regex.compile(r"\r\n|\n|\r")
SENTENCE = regex.compile(r"[。！？!?；…]+[”’」』）)\]\"']*|\.+[\"')\]]*(?=\s)[ \t]*")
WORD = regex.compile(r"\s+|[，、,;:：]+")
DEFINITION = regex.compile(
    r"(?m)^(?:@[^\n]*\n)*+(?:(?:export |public |private |protected |static |async |pub |default |abstract )*"
    r"(?:def|class|function|fn|func|interface|struct|enum|impl|trait|type|module|namespace|const|let|var)\b)"
)

STRONGEST, PARAGRAPH, LINE_END, SENTENCE_END, WORD_END = range(5)
Border = tuple[int, int]
"""A place, as a number of characters before it, and how good a cut there is: 0 is the best."""
ONE = regex.compile(r"\X")


def borders(text: str, kind: EntryKind) -> list[Border]:
    """The places between two characters at which a text may be cut, rising, each with the best that it is.

    None is inside a grapheme. The two ends of the text aren't among them.
    """
    best: dict[int, int] = {}
    for at, level in _all(text, kind):
        if 0 < at < len(text) and level < best.get(at, WORD_END + 1):
            best[at] = level
    return sorted((at, level) for at, level in best.items() if between_graphemes(text, at))


def _all(text: str, kind: EntryKind) -> Iterator[Border]:
    if kind == "markdown":
        code = fences(text)
        yield from (
            (match.start(), STRONGEST) for match in HEADING.finditer(text) if not is_inside(code, match.start())
        )
        yield from ((at, PARAGRAPH) for fence in code for at in fence)
    if kind == "code":
        yield from ((match.start(), STRONGEST) for match in DEFINITION.finditer(text))
    yield from ((match.end(), PARAGRAPH) for match in BLANK_LINES.finditer(text))
    yield from ((match.end(), LINE_END) for match in LINE.finditer(text))
    if kind != "code":
        yield from ((match.end(), SENTENCE_END) for match in SENTENCE.finditer(text))
    yield from ((match.end(), WORD_END) for match in WORD.finditer(text))


def between_graphemes(text: str, at: int) -> bool:
    """Whether the characters on both sides of a place are seen as two: a space and a letter, not a letter and its mark.

    Two halves of a surrogate pair, each a character, are one too. Of regional indicators no place is said to be such.
    """
    return not in_surrogate_pair(text, at) and ONE.fullmatch(text, at - 1, at + 1) is None


def in_surrogate_pair(text: str, at: int) -> bool:
    """Whether the characters on both sides of a place are halves of one."""
    return "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at : at + 1] <= "\udfff"


def fences(text: str) -> list[tuple[int, int]]:
    """Beginnings and ends of fenced code in Markdown, with the line breaks after them.

    A fence that isn't closed goes to the end of the text.
    """
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in FENCE.finditer(text):
        mark = match[1]
        if opened is None:
            opened = match.start(), mark
        elif mark.startswith(opened[1]) and not match[0].strip().strip(mark[0]):
            found.append((opened[0], _after_line(text, match.end())))
            opened = None
    return [*found, (opened[0], len(text))] if opened else found


def is_inside(stretches: list[tuple[int, int]], at: int) -> bool:
    """Whether a place is behind the beginning of one of these stretches, which are in order, and before its end."""
    i = bisect_left(stretches, (at, 0)) - 1
    return i >= 0 and at < stretches[i][1]


def _after_line(text: str, at: int) -> int:
    return at + 1 if at < len(text) else at


def line_starts(text: str) -> list[int]:
    """The places at which lines begin, the first at 0."""
    return [0, *[match.end() for match in LINE.finditer(text)]]


def spans(cuts: list[int], length: int) -> list[tuple[int, int]]:
    """The pieces between cuts, from 0 to the length."""
    return list(pairwise([0, *[cut for cut in cuts if 0 < cut < length], length]))
