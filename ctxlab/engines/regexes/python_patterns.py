"""Patterns of Python's flavour, run by the `regex` module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ctxlab.engines.javascript.utf16_offsets import Replacement16
from ctxlab.engines.regexes.parse_replacement import Replacement
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_limited_search import BadPython, within_limits
from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import regex

MOST_GROWTH = 1_000_000  # as v8_worker.js has it


def first_span(pattern: Pattern, text: str, limits: Limits) -> tuple[int, int] | None:
    """The first match of the pattern; raises BadPython."""
    ready = compiled(pattern)
    match = within_limits(lambda seconds: ready.search(text, timeout=seconds), pattern, text, limits)
    return match.span() if match is not None else None


@lru_cache(maxsize=512)
def compiled(pattern: Pattern) -> regex.Pattern[str]:
    """The pattern as the `regex` module compiles it; raises BadPython."""
    import regex

    known = {"i": regex.I, "m": regex.M, "s": regex.S, "x": regex.X, "a": regex.A, "g": 0, "u": 0}
    strange = [flag for flag in pattern.flags if flag not in known]
    if strange:
        raise BadPython(f"it doesn't compile: flag {strange[0]!r} is not one of {', '.join(known)}")
    flags = 0
    for flag in pattern.flags:
        flags |= known[flag]
    try:
        return regex.compile(pattern.body, flags)
    except regex.error as problem:
        raise BadPython(f"it doesn't compile: {problem}") from None


def changes_of(replacement: Replacement, text: str, *, room: int, limits: Limits) -> list[Replacement16]:
    """Every match and what takes its place, where that is something else; raises BadPython.

    Without the flag g only the first match is replaced. The text may become longer by `room` characters.
    """
    return within_limits(
        lambda seconds: _changes(replacement, text, room=room, seconds=seconds), replacement.pattern, text, limits
    )


def _changes(replacement: Replacement, text: str, *, room: int, seconds: float) -> list[Replacement16]:
    parts = _parts(replacement)
    changes: list[Replacement16] = []
    grown = 0
    for match in compiled(replacement.pattern).finditer(text, timeout=seconds):
        new = "".join([part if isinstance(part, str) else part(match) for part in parts])
        grown += len(new) - len(match.group())
        if grown > room:
            raise BadPython(f"it makes a text longer by more than {MOST_GROWTH} characters")
        if new != match.group():
            changes.append((match.start(), match.end(), new))
        if "g" not in replacement.pattern.flags:
            break
    return changes


_Part = Callable[["regex.Match[str]"], str]


@lru_cache(maxsize=512)
def _parts(replacement: Replacement) -> tuple[str | _Part, ...]:
    parts: list[str | _Part] = []
    for segment in replacement.segments:
        if segment.kind == "template":
            parts += _template_parts(segment.text, replacement)
        else:
            parts.append(segment.text if segment.kind == "words" else _group(0, replacement))
    return tuple(parts)


_REFERENCE = lazy_pattern(r"\\(?:g<(?P<name>[^>]*)>|(?P<digits>(?![0-7]{3})[1-9][0-9]?)|.)", re.DOTALL)


def _template_parts(template: str, replacement: Replacement) -> Iterator[str | _Part]:
    at = 0
    for match in _REFERENCE.finditer(template):
        name = match["name"] if match["name"] is not None else match["digits"]
        if name is not None:
            yield _words(template[at : match.start()])
            yield _group(int(name) if name.isdecimal() else name, replacement)
            at = match.end()
    yield _words(template[at:])


def _words(template: str) -> str:
    """A piece without references, its escapes read."""
    import regex

    if "\\" not in template:
        return template
    anything = regex.match("", "")
    assert anything is not None
    try:
        return str(anything.expand(template))
    except regex.error as problem:
        raise BadPython(f"its replacement can't be read: {problem}") from None


def _group(name: int | str, replacement: Replacement) -> _Part:
    pattern = compiled(replacement.pattern)
    known = name <= pattern.groups if isinstance(name, int) else name in pattern.groupindex
    if not known:
        raise BadPython(f"its replacement names group {name!r}, which the pattern doesn't have")

    def value(match: regex.Match[str]) -> str:
        found = match.group(name) or ""
        for unwanted in replacement.trim:
            found = found.replace(unwanted, "")
        return found

    return value
