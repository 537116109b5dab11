"""Texts as they are compared: without case, width and composition, and the way back to their characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from ctxlab.lazy_dataclass import dataclass


class _Folds(dict[int, int]):
    """The one character that a character is compared as, by code point; filled as characters are met."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        for form in (_one(unicodedata.normalize("NFKC", character)), str.casefold, str.lower):
            found = form if isinstance(form, str) else form(character)
            character = found if len(found) == 1 else character
        self[code] = ord(character)
        return self[code]


def _one(text: str) -> str:
    """The text where it is one character, else nothing: what would become longer stays as it is."""
    return text if len(text) == 1 else ""


FOLDS = _Folds()


def folded(text: str) -> str:
    """The text as it is compared: full-width letters are narrow, capitals small, accents part of their letter.

    >>> folded("Ｌａｎｔｅｒｎ ÉTÉ 灯塔")
    'lantern été 灯塔'
    """
    if text.isascii():
        return text.lower()
    return _composed(_composed(text).translate(FOLDS))


def _composed(text: str) -> str:
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A folded text, and for each of its characters the span of the original that it stands for."""

    folded: str
    spans: Sequence[tuple[int, int]] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original behind characters `start` to `end` of the folded text, which are one at least."""
        if self.spans is None:
            return start, end
        return self.spans[start][0], self.spans[end - 1][1]


def aligned(text: str) -> Aligned:
    """The folded text with its way back; offsets are code points."""
    whole = folded(text)
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and len(whole) == len(text)):
        return Aligned(whole, None)
    spans: list[tuple[int, int]] = []
    for start, end in _groups(text):
        length = len(folded(text[start:end]))
        same = length == end - start
        spans += [(start + i, start + i + 1) if same else (start, end) for i in range(length)]
    return Aligned(whole, spans if len(spans) == len(whole) else [(0, len(text))] * len(whole))


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """Pieces of the text that are folded independently: a letter with its accents, the parts of a Korean syllable."""
    start = 0
    for i in range(1, len(text)):
        if unicodedata.combining(text[i]):
            continue
        if text[i].isascii() or folded(text[start : i + 1]) == folded(text[start:i]) + folded(text[i]):
            yield start, i
            start = i
    if text:
        yield start, len(text)
