"""Which HTML is converted: checks in linear time, before the costly part begins.

A parser skips what is never closed, up to the end, and words would be lost. The converter goes through a text once for
each level that it is nested in, and for some rows once for each row before them; counts bound that work on any machine,
whatever it is busy with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_CHARACTERS = 500_000
MAX_DEPTH = 100
"""Levels; the converter calls itself three times a level, and Python allows about a thousand calls."""
MAX_STEPS = 20_000_000
"""Looks at a character or at an element; some four seconds."""

COLSPAN_STEPS = 100
"""A column that a cell claims to span is written three times."""
LARGEST_COLSPAN = 1000
TAG_BEGINS = lazy_pattern(r"<[A-Za-z/!?]")
MARKED_SECTION = lazy_pattern(r"<!\[(?!(?:if|endif)\b)", re.IGNORECASE)
"""Such as CDATA, which HTML doesn't have; `<![if ...]>` is of word processors, and there are no words in it."""
SHOWN_CHARACTERS = 20


def unparsable(html: str) -> str | None:
    """Why the text is not even parsed; None when it is."""
    if len(html) > MAX_CHARACTERS:
        return f"its HTML is too large: {len(html):,} characters, {MAX_CHARACTERS:,} at most"
    begins = TAG_BEGINS.search(html, html.rfind(">") + 1)
    if begins is not None:
        return f"its HTML can't be parsed: {_shown(html, begins.start())} is never closed"
    comment = html.rfind("<!--")
    if comment >= 0 and "-->" not in html[comment:]:
        return f"its HTML can't be parsed: the comment {_shown(html, comment)} is never closed"
    if marked := MARKED_SECTION.search(html):
        return f"its HTML can't be parsed: {_shown(html, marked.start())} is no HTML"
    return None


def too_much(soup: BeautifulSoup, characters: int) -> str | None:
    """Why a parsed text is not converted; None when it is."""
    tags: list[Tag] = soup.find_all(True)
    depth = _depth(soup, tags)
    if depth > MAX_DEPTH:
        return f"its HTML is nested too deeply: {depth:,} levels, {MAX_DEPTH} at most"
    steps = characters * depth + _steps_back(tags)
    if steps > MAX_STEPS:
        return f"its HTML is too much work: {steps:,} steps, {MAX_STEPS:,} at most"
    return None


def _depth(soup: BeautifulSoup, tags: Sequence[Tag]) -> int:
    depths = {id(soup): 0}
    for tag in tags:  # parents come before their children
        depths[id(tag)] = depths[id(tag.parent)] + 1
    return max(depths.values())


def _steps_back(tags: Sequence[Tag]) -> int:
    """Looks at other rows: a number counts the items before it, a row of a head all rows, a body the whole table."""
    sizes: Counter[int] = Counter()
    for tag in reversed(tags):
        sizes[id(tag)] += 1
        sizes[id(tag.parent)] += sizes[id(tag)]
    rows = Counter((id(tag.parent), tag.name) for tag in tags)
    steps = 0
    for tag in tags:
        match tag.name:
            case "ol":
                steps += rows[id(tag), "li"] ** 2
            case "thead":
                steps += rows[id(tag), "tr"] * sizes[id(tag)]
            case "table":
                steps += rows[id(tag), "tbody"] * sizes[id(tag)]
            case "td" | "th":
                steps += COLSPAN_STEPS * _colspan(tag)
            case _:
                pass
    return steps


def _colspan(cell: Tag) -> int:
    written = str(cell.get("colspan") or "")
    if not written.isdecimal():
        return 0
    return int(written) if len(written) < len(str(LARGEST_COLSPAN)) else LARGEST_COLSPAN


def _shown(html: str, at: int) -> str:
    return repr(html[at : at + SHOWN_CHARACTERS]) + ("..." if at + SHOWN_CHARACTERS < len(html) else "")
