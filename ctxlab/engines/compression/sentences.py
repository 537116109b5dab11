"""Sentences of Chinese, English and mixed text, by their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.lazy_pattern import lazy_pattern

Place = tuple[int, int]

WIDE_ENDS = "。！？｡"
"""Marks that end a sentence whatever follows."""
QUOTES_AND_BRACKETS = "\"'”’」』»）)]】》〉"
"""Characters that close a quotation or a bracket; after the end of a sentence they belong to it."""

_CODE = lazy_pattern(r"^[ \t]*(```|~~~)", re.MULTILINE)
_MARK = lazy_pattern(f"[{WIDE_ENDS}…．.!?]+|\\n")
_CLOSERS = lazy_pattern(f"[{re.escape(QUOTES_AND_BRACKETS)}]*")
_LIST_ITEM = lazy_pattern(r"[ \t]*(?:[-*+•·>#|]|\d{1,3}[.)、．]|[（(]?[一二三四五六七八九十\d]{1,3}[)）、])")
_ITEM_NUMBER = lazy_pattern(r"\s*[（(]?\d{1,3}")
_LAST_WORD = lazy_pattern(r"[^\W\d_](?:[^\W_]|[.'’])*$")
_CHINESE = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff]")
_GOES_ON = lazy_pattern(r"[ \t]*[,;:，；：、]")
_LONGEST_WORD = 24

_SHORT_FORMS = """
    mr mrs ms dr prof st sr jr vs no vol fig eq al approx dept est gen gov inc ltd co corp rev hon mt ft lt col sgt
    capt cf ca op ed eds pp resp e.g i.e a.m p.m u.s u.k
"""
ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
"""Words that a full stop shortens, and that a capital or a number may follow inside a sentence."""


def sentences(text: str) -> Iterator[Place]:
    """The start and end of each sentence, in order, without the blanks around it; all other characters are in one.

    A sentence ends at 。！？!?. and at ellipses with what closes a quotation after them, and at the end of a line,
    unless the line is wrapped inside a sentence. A full stop in a number, in an abbreviation or after a list's number
    ends none, and neither do an ellipsis or a closed quotation before a small letter. A fenced block of code is one
    sentence, whatever it holds.

    >>> text = 'It cost $3.50. "Dear!" 他说：“太贵了。”'
    >>> [text[start:end] for start, end in sentences(text)]
    ['It cost $3.50.', '"Dear!"', '他说：“太贵了。”']
    """
    for start, end, is_code in _blocks(text):
        if is_code:
            yield from _without_blanks(text, start, end)
        else:
            yield from _prose(text, start, end)


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """The fenced blocks of code and what is between them; a fence that nothing closes runs to the end."""
    start = 0
    fence: re.Match[str] | None = None
    for match in _CODE.finditer(text):
        if fence is None:
            yield start, match.start(), False
            fence = match
        elif fence[1] == match[1]:
            newline = text.find("\n", match.end())
            end = len(text) if newline < 0 else newline
            yield fence.start(), end, True
            start, fence = end, None
    yield (start, len(text), False) if fence is None else (fence.start(), len(text), True)


def _prose(text: str, start: int, stop: int) -> Iterator[Place]:
    at = start
    for mark in _MARK.finditer(text, start, stop):
        if mark.start() < at:
            continue
        end = _end(text, at, stop, mark)
        if end is not None:
            yield from _without_blanks(text, at, end)
            at = end
    yield from _without_blanks(text, at, stop)


def _end(text: str, start: int, stop: int, mark: re.Match[str]) -> int | None:
    """Position at which the sentence that began at `start` ends with this mark; None where it goes on."""
    marks, after = mark[0], mark.end()
    if marks == "\n":
        return after if _ends_line(text, start, stop, mark.start()) else None
    closers = _CLOSERS.match(text, after, stop)
    end = closers.end() if closers else after
    if _GOES_ON.match(text, end, stop):
        return None
    following = text[end] if end < stop else "\n"
    if end > after and _is_small(text, end, stop):
        return None
    if any(each in WIDE_ENDS for each in marks):
        return end
    if "!" in marks or "?" in marks:
        is_apart = following.isspace() or end > after or bool(_CHINESE.match(following)) or following in "“‘「『（("
        return end if is_apart else None
    if len(marks) > 1 or "…" in marks:
        return end if following.isspace() and not _is_small(text, end, stop) else None
    if following.isspace():
        return None if _is_short_form(text, start, mark.start()) else end
    is_chinese = bool(_CHINESE.match(following)) and mark.start() > start
    return end if is_chinese and _CHINESE.match(text[mark.start() - 1]) else None


def _is_small(text: str, at: int, stop: int) -> bool:
    """Whether the next word on this line begins with a small letter."""
    while at < stop and text[at] in " \t":
        at += 1
    return at < stop and text[at].islower()


def _is_short_form(text: str, start: int, at: int) -> bool:
    """Whether what stands before a full stop is an abbreviation, an initial, or the number of a list's item."""
    before = text[max(start, at - _LONGEST_WORD) : at]
    if len(before) == at - start and _ITEM_NUMBER.fullmatch(before):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    is_initial = len(word[0]) == 1 and word[0].isupper() and word[0] != "I" and word[0].isascii()
    return is_initial or word[0].casefold() in ABBREVIATIONS


def _ends_line(text: str, start: int, stop: int, at: int) -> bool:
    """Whether a line's end is a sentence's: not where the line is full of words and a small letter goes on."""
    before = text[start:at].rstrip(" \t\r")[-1:] if at - start < 200 else text[at - 200 : at].rstrip(" \t\r")[-1:]
    following = text[at + 1 : at + 2]
    if not (before and following.islower()) or before in f"{WIDE_ENDS}…!?.:：" or at + 1 >= stop:
        return True
    line_start = max(text.rfind("\n", start, at) + 1, start)
    return bool(_LIST_ITEM.match(text, line_start, at)) and at - line_start < 60


def _without_blanks(text: str, start: int, end: int) -> Iterator[Place]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
