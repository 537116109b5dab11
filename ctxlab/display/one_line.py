"""Strangers' text as one safe line: cut to a width, without control characters, and escaped for figures."""

from __future__ import annotations

from html import escape
from unicodedata import east_asian_width

KEPT = "\n\t\u3000\xa0\u200c\u200d"
JOINERS = "\u200c\u200d"  # not printable by themselves, but parts of one character


def plain(text: str, cells: int = 60) -> str:
    """The first words on one line, at most so wide (Chinese characters are two cells), safe for every file."""
    line = " ".join(text[: 4 * cells].split())
    whole = len(text) <= 4 * cells
    at = _fitting(line, cells)
    cut = line if whole and at == len(line) else line[: _fitting(line, cells - 1)].rstrip() + "…"
    return "".join(c if c.isprintable() or c in JOINERS else "�" for c in cut)


def visible(text: str) -> str:
    r"""The text with its line breaks and tabs, without other control characters and without marks that turn its order.

    >>> visible("a\x1b[31m\n\u202eb")
    'a�[31m\n�b'
    """
    return "".join(c if c.isprintable() or c in KEPT else "�" for c in text)


def _fitting(line: str, cells: int) -> int:
    """Number of characters of a line that fit into so many cells."""
    if line.isascii():
        return min(len(line), cells)
    width = 0
    for i, character in enumerate(line):
        width += 2 if east_asian_width(character) in "WF" else 1
        if width > cells:
            return i
    return len(line)


def label(text: str, cells: int = 60) -> str:
    """Text for a figure or a page, in which nothing is read as markup."""
    return escape(plain(text, cells), quote=False)
