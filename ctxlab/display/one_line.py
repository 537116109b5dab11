"""Strangers' text as one safe line: cut to a width, without control characters, and escaped for figures."""

from __future__ import annotations

import re
from bisect import bisect_right
from html import escape
from itertools import accumulate
from unicodedata import east_asian_width

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import masked_beginning

KEPT = "\n\t\u3000\xa0\u200c\u200d"
MARKS = tuple(
    (lazy_pattern(mark, re.MULTILINE), words)
    for mark, words in (
        (r"^[ \t]*(?:```|~~~).*$", ""),  # fences of code
        (r"^[ \t]*(?:[-*_][ \t]*){3,}$|^(?=.*---)[ \t|:-]+$", ""),  # rules, and those of tables
        (r"^[ \t]*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,3}[.)](?=\s))[ \t]*)+", ""),  # quotes, headings, lists
        (r"!?\[([^\[\]\n]*)\]\([^()\n]*\)", r"\1"),  # links and pictures
        (r"`+([^`\n]+)`+", r"\1"),
        (r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1", r"\2"),
        (r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2"),
        (r"^[ \t]*\||\|[ \t]*$", ""),  # borders of a table's rows
    )
)
"""Words of Markdown without what it writes around them."""
JOINERS = "\u200c\u200d"  # not printable by themselves, but parts of one character


class _Cells(dict[str, int]):
    """Cells by character, looked up once: a call for each character of each line is slow."""

    def __missing__(self, character: str) -> int:
        cells = self[character] = 2 if east_asian_width(character) in "WF" else 1
        return cells


CELLS = _Cells()


def plain(text: str, cells: int = 60) -> str:
    """The first words on one line, at most so wide (Chinese characters are two cells), safe for every file.

    Secrets are masked before anything is cut.
    """
    text = masked_beginning(text, 4 * cells + 1)
    line = " ".join(text[: 4 * cells].split())
    whole = len(text) <= 4 * cells
    fits = whole and _fitting(line, cells) == len(line)
    cut = line if fits else line[: _fitting(line, cells - 1)].rstrip() + "…"
    return cut if cut.isprintable() else "".join(c if c.isprintable() or c in JOINERS else "�" for c in cut)


def plain_words(markdown: str, cells: int = 60) -> str:
    """The first words of a Markdown text on one line, as `plain` gives them, without the marks that shape them.

    >>> plain_words("## 灯塔\\n- **Ask** the [keeper](https://a.example) for `key 7`")
    '灯塔 Ask the keeper for key 7'
    """
    markdown = masked_beginning(markdown, 12 * cells + 1)
    text = markdown[: 12 * cells]
    for mark, words in MARKS:
        text = mark.sub(words, text)
    return plain(text if text.strip() else markdown, cells) if len(markdown) <= 12 * cells else plain(text + "…", cells)


def visible(text: str) -> str:
    r"""The text with its line breaks and tabs, without other control characters and without marks that turn its order.

    >>> visible("a\x1b[31m\n\u202eb")
    'a�[31m\n�b'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() or c in KEPT else "�" for c in text)


def _fitting(line: str, cells: int) -> int:
    """Number of characters of a line that fit into so many cells."""
    if line.isascii():
        return min(len(line), cells)
    return bisect_right(list(accumulate(map(CELLS.__getitem__, line[:cells]))), cells)


def cells_wide(text: str) -> int:
    """The cells of a terminal that a line takes: two for a Chinese character."""
    return len(text) if text.isascii() else sum(map(CELLS.__getitem__, text))


def label(text: str, cells: int = 60) -> str:
    """Text for a figure or a page, in which nothing is read as markup."""
    return escape(plain(text, cells), quote=False)
