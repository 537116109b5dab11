"""All facts of a text, each place of it read once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxlab.engines.compression.facts.errors_and_tasks import errors, tasks
from ctxlab.engines.compression.facts.fact import Fact, width_folded
from ctxlab.engines.compression.facts.moments import moments
from ctxlab.engines.compression.facts.names import KnownWords, names, titles
from ctxlab.engines.compression.facts.numbers import has_unit, numbers
from ctxlab.engines.compression.facts.references import identifiers, paths
from ctxlab.engines.compression.facts.statements import quotes, statements, statements_of_program
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.lazy_pattern import lazy_pattern

_FENCE = lazy_pattern(r"^[ \t]*(```|~~~)", re.MULTILINE)
_LOOKED_AT = 20_000
_LEAST_LINES = 5
_CODE_SHARE = 0.3
_CODE_LINE = lazy_pattern(
    r"^[ \t]*\d+(?:→|\t|:\s).*$|^.*(?:[{};]|=>|->|\) do|[\])]:)[ \t]*$"
    r"|^[ \t]*(?:def|end|import|from|class|const|let|var|return|if|@\w+|//|</?\w+)\b.*[(){}=;>:,].*$",
    re.MULTILINE,
)
"""A line of a listing or a program."""
_RECORD = lazy_pattern(r"\s*[\[{]")
"""The beginning of JSON, whose numbers are facts; in a listing most count lines or are a program's."""
_DATA = lazy_pattern(r"[\[{<]")
_CALL = lazy_pattern(r"^(\[[\w.:/-]{2,120}\](?: [A-Za-z_$][\w.$-]{0,120}:)?)(?: [^\n]*)?$", re.MULTILINE)
"""A line of a tool call: its name and the name of an argument, which are no facts, and the value."""
_OPENS, _CLOSES = "<system-reminder>", "</system-reminder>"


def facts_of(text: str, role: str, known: KnownWords) -> Iterator[Fact]:
    """Facts of a text, those of one kind in order; blocks of code give paths alone, results of tools no sentences."""
    for fact in _facts(text, role, known):
        yield fact if text.isascii() else replace(fact, text=text[fact.start : fact.end])


def _facts(text: str, role: str, known: KnownWords) -> Iterator[Fact]:
    taken = Taken(len(text))
    plain = width_folded(text)
    is_data = role == "tool" or bool(_DATA.match(_behind_reminders(text)))
    if is_data:
        yield from statements_of_program(text)
    yield from paths(plain, taken)
    for start, end in code_blocks(plain):
        taken.take_all(start, end)
    if is_code(plain):
        yield from identifiers(plain, taken, names_of_code=False)
        return
    yield from errors(text)
    yield from titles(text, taken)
    if not is_data:
        yield from statements(text, role)
        yield from tasks(text)
        yield from quotes(text, taken)
    yield from moments(plain, taken)
    calls = [*_CALL.finditer(plain)] if role == "assistant" else []
    for call in calls:
        taken.take_all(*call.span(1))
    yield from identifiers(plain, taken, names_of_code=not is_data)
    is_listing = role == "tool" and not _RECORD.match(text)
    for each in numbers(plain, taken):
        if has_unit(each) or not (is_listing or (_is_digit(each) and _is_of_call(each, role, calls))):
            yield each
    yield from names(text, taken, known)


def _is_digit(number: Fact) -> bool:
    return sum(each.isdigit() for each in number.text) <= 1


def _is_of_call(fact: Fact, role: str, calls: Sequence[re.Match[str]]) -> bool:
    """Whether a fact stands in a tool's result, or in a line of a call."""
    return role == "tool" or any(call.start() <= fact.start < call.end() for call in calls)


def _behind_reminders(text: str) -> str:
    """A text without what a program put in front of it."""
    rest = text.lstrip()
    while rest.startswith(_OPENS) and (end := rest.find(_CLOSES)) >= 0:
        rest = rest[end + len(_CLOSES) :].lstrip()
    return rest


def is_code(text: str) -> bool:
    """Whether a text is a listing of code: many of its lines have numbers in front, or end or begin as code does."""
    lines = text[:_LOOKED_AT].count("\n") + 1
    return lines >= _LEAST_LINES and len(_CODE_LINE.findall(text[:_LOOKED_AT])) > lines * _CODE_SHARE


def quantities_and_moments(text: str) -> Iterator[Fact]:
    """The numbers and dates of a summary, also those that would count nothing by themselves."""
    taken = Taken(len(text))
    plain = width_folded(text)
    for _ in paths(plain, taken):
        pass
    yield from moments(plain, taken)
    yield from numbers(plain, taken, with_vague=True)


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
