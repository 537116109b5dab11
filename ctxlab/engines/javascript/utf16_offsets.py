"""Offsets in UTF-16 units, as JavaScript counts, converted to offsets in characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from ctxlab.lazy_pattern import lazy_pattern

_TWO_UNITS = lazy_pattern("[\U00010000-\U0010ffff]")

Replacement16 = tuple[int, int, str]
"""The characters from the first number up to the second are replaced by the string."""


def surrogate_pairs(text: str) -> Sequence[int]:
    """Offsets in units of the characters that take two units; empty for nearly every text."""
    if text.isascii():
        return ()
    return [match.start() + earlier for earlier, match in enumerate(_TWO_UNITS.finditer(text))]


def characters(offset: int, pairs: Sequence[int]) -> tuple[int, bool]:
    """The character that a unit belongs to, and whether the unit is its second one."""
    before = bisect_left(pairs, offset)
    inside = before > 0 and pairs[before - 1] == offset - 1
    return offset - before, inside


def span_in_characters(start: int, end: int, pairs: Sequence[int]) -> tuple[int, int]:
    """A span of units as one of characters; half a character counts as the whole."""
    if not pairs:
        return start, end
    first, _ = characters(start, pairs)
    last, cut = characters(end, pairs)
    return first, last + cut if cut else last


def changes_in_characters(flat: Sequence[int | str], text: str) -> list[Replacement16]:
    """`start, end, new` over and over, in units, as changes in characters.

    JavaScript may replace half a character; then the change is of the whole one, and puts the other half back.
    """
    changes = list(_by_three(flat))
    pairs = surrogate_pairs(text)
    if not pairs:
        return changes
    out: list[Replacement16] = []
    for run in _sharing_a_character(changes, pairs):
        start, end = run[0][0], run[-1][1]
        first, has_head = characters(start, pairs)
        last, has_tail = characters(end, pairs)
        new = "".join(change[2] for change in run)
        if has_head:
            new = _halves(text[first])[0] + new
        if has_tail:
            new += _halves(text[last])[1]
        out.append((first, last + has_tail, _whole(new) if has_head or has_tail else new))
    return out


def _by_three(flat: Sequence[Any]) -> Iterable[Replacement16]:
    return zip(flat[::3], flat[1::3], flat[2::3], strict=True)


def _sharing_a_character(changes: Sequence[Replacement16], pairs: Sequence[int]) -> Iterable[list[Replacement16]]:
    """Changes grouped so that those that meet inside one character are together."""
    run = [changes[0]]
    for before, change in pairwise(changes):
        if before[1] == change[0] and characters(change[0], pairs)[1]:
            run.append(change)
        else:
            yield run
            run = [change]
    yield run


def _halves(character: str) -> str:
    code = ord(character) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _whole(text: str) -> str:
    """The text with surrogate halves that fit together joined to one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
