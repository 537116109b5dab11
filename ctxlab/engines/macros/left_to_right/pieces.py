"""A text that is being expanded, in pieces: what was typed and stays, and what was put in the place of a macro."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.engines.javascript.numbers import WHITE
from ctxlab.engines.macros.call import CAUSE
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

TRIM = "{{trim}}"
TRIMS = lazy_pattern(r"(?:\r?\n)*\{\{trim\}\}(?:\r?\n)*", re.IGNORECASE)
ESCAPED = lazy_pattern(r"\\(?=[{}])")
UNTYPED = "escape"


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of the source that stay (`put` None), or what stands in their place, and the macro that put it."""

    start: int
    end: int
    put: str | Text | None = None
    macro: str = ""
    at: int = 0


def string_of(pieces: Iterable[Piece], source: str) -> str:
    return "".join([source[p.start : p.end] if p.put is None else str(p.put) for p in pieces])


def without(
    pieces: Iterable[Piece], source: str, gone: Sequence[tuple[int, int]], macro: str, at: int | None = None
) -> list[Piece]:
    """The pieces without some ranges of the string that they make, which `macro` took away.

    `at` is where that macro stands; None is where each range was.
    """
    out: list[Piece] = []
    number = done = 0
    for piece in pieces:
        here, done = done, done + (piece.end - piece.start if piece.put is None else len(piece.put))
        cuts: list[tuple[int, int]] = []
        while number < len(gone) and gone[number][0] < done:
            start, end = gone[number]
            if end > here:
                cuts.append((max(start, here) - here, min(end, done) - here))
            if end > done:
                break
            number += 1
        if not cuts:
            out.append(piece)
        elif piece.put is None:
            out += _typed(piece, cuts, macro, at)
        else:
            out.append(Piece(piece.start, piece.end, _rest(piece.put, cuts), piece.macro, piece.at))
    return out


def _typed(piece: Piece, cuts: Sequence[tuple[int, int]], macro: str, at: int | None) -> Iterator[Piece]:
    done = piece.start
    for first, last in cuts:
        start, end = piece.start + first, piece.start + last
        if done < start:
            yield Piece(done, start)
        yield Piece(start, end, "", macro, start if at is None else at)
        done = end
    if done < piece.end:
        yield Piece(done, piece.end)


def _rest(put: str | Text, cuts: Sequence[tuple[int, int]]) -> str | Text:
    borders = [0, *(border for cut in cuts for border in cut), len(put)]
    kept = zip(borders[::2], borders[1::2], strict=True)
    if isinstance(put, Text):
        return Text.join(Text(), [put.cut(start, end) for start, end in kept if start < end])
    return "".join([put[start:end] for start, end in kept])


def finished(pieces: Sequence[Piece], source: str) -> list[Piece]:
    r"""The pieces as they are sent: without `{{trim}}` and the line breaks around it, `\{` and `\}` as braces."""
    whole = string_of(pieces, source)
    if TRIM in whole.lower():
        pieces = without(pieces, source, [match.span() for match in TRIMS.finditer(whole)], "trim")
        whole = string_of(pieces, source)
    if "\\" in whole:
        pieces = without(pieces, source, [match.span() for match in ESCAPED.finditer(whole)], UNTYPED)
    return list(pieces)


def block(pieces: Sequence[Piece], source: str, macro: str, at: int) -> list[Piece]:
    """The text between a macro and its end: without blanks at its ends, each line less far in by the first one's."""
    whole = string_of(pieces, source)
    inner = whole.strip(WHITE)
    if not inner:
        return without(pieces, source, [(0, len(whole))] if whole else [], macro, at)
    begin = len(whole) - len(whole.lstrip(WHITE))
    end = begin + len(inner)
    indent = begin - max(whole.rfind("\n", 0, begin), whole.rfind("\r", 0, begin)) - 1
    gone = [(0, begin)] if begin else []
    if indent:
        for match in re.finditer(rf"\n([^\S\r\n]{{1,{indent}}})", whole[:end]):
            if match.start() >= begin:
                gone.append(match.span(1))
    if end < len(whole):
        gone.append((end, len(whole)))
    return without(pieces, source, gone, macro, at)


def edits_of(pieces: Iterable[Piece], processor: str) -> list[Edit]:
    """The edits that make the pieces of the source, each with the macro that it comes from."""
    causes: dict[tuple[str, int], tuple[Cause, Origin | None]] = {}
    edits: list[Edit] = []
    for piece in pieces:
        if piece.put is None:
            continue
        key = (piece.macro, piece.at)
        if key not in causes:
            causes[key] = _cause(piece.macro, piece.at, processor)
        cause, origin = causes[key]
        edits.append(Edit(piece.start, piece.end, piece.put, cause, origin))
    return edits


def _cause(macro: str, at: int, processor: str) -> tuple[Cause, Origin | None]:
    if macro == UNTYPED:
        return Cause(processor, macro, "a brace that was escaped", words="macro {{escape}}"), None
    reason = f"stood at character {at}"
    if processor == CAUSE:
        return Cause(processor, macro, reason, words=f"macro {{{{{macro}}}}}, which {reason}"), Origin("macro", macro)
    rule = f"macro {macro}"
    return Cause(processor, rule, reason, words=f"macro {{{{{macro}}}}}, which {reason}"), Origin("macro", macro)
