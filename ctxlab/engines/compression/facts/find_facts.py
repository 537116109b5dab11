"""All facts of a text, each place of it read once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.engines.compression.facts.fact import Fact, width_folded
from ctxlab.engines.compression.facts.moments import moments
from ctxlab.engines.compression.facts.names import KnownWords, names, titles
from ctxlab.engines.compression.facts.numbers import has_unit, numbers
from ctxlab.engines.compression.facts.references import identifiers, paths
from ctxlab.engines.compression.facts.statements import quotes, statements
from ctxlab.engines.compression.facts.taken import Taken

_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_RECORD = re.compile(r"\s*[\[{]")
"""The beginning of JSON, whose numbers are facts; in a listing most count lines or are a program's."""
_DATA = re.compile(r"\s*[\[{<]")


def facts_of(text: str, role: str, known: KnownWords) -> Iterator[Fact]:
    """Facts of a text, those of one kind in order; blocks of code give paths alone, results of tools no sentences."""
    taken = Taken(len(text))
    plain = width_folded(text)
    yield from paths(plain, taken)
    for start, end in code_blocks(plain):
        taken.take_all(start, end)
    is_data = role == "tool" or bool(_DATA.match(text))
    yield from titles(text, taken)
    if not is_data:
        yield from statements(text, role)
        yield from quotes(text, taken)
    yield from moments(plain, taken)
    yield from identifiers(plain, taken, names_of_code=not is_data)
    is_listing = role == "tool" and not _RECORD.match(text)
    yield from (each for each in numbers(plain, taken) if not is_listing or has_unit(each))
    yield from names(text, taken, known)


def quantities_and_moments(text: str) -> Iterator[Fact]:
    """The numbers and dates of a text."""
    taken = Taken(len(text))
    plain = width_folded(text)
    for _ in paths(plain, taken):
        pass
    yield from moments(plain, taken)
    yield from numbers(plain, taken)


def code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each fenced block of code."""
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif opened[1] == match[1]:
            yield opened.start(), match.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)
