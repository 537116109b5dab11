r"""Replacement templates: literal text and references to groups of the match.

JavaScript's: `$1` to `$99`, `$<name>`, `$&`, `` $` ``, `$'`, `$$`. Python's: `\1`, `\g<1>`, `\g<name>` and the escapes
of its strings. `{{match}}` is the whole match in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Grammar = Literal["javascript", "braces", "arguments", "python"]
"""`braces` is the reference's for rules with trim strings: `$1`, `${1}` and `$&`; an absent group stays as written.

`arguments` is SillyTavern's: numbers count what a function is given that replaces a match, the groups, then the place
of the match and the whole text; what there isn't is empty.
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a replacement: a template, literal text, or the whole match."""

    kind: Literal["template", "words", "match"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Find and replace, ready to run. `trim` is taken out of every group before it is put in."""

    pattern: Pattern
    segments: tuple[Segment, ...] = ()
    trim: tuple[str, ...] = ()
    grammar: Grammar = "javascript"

    @classmethod
    def of(cls, pattern: Pattern, template: str) -> Replacement:
        """A template of the pattern's own flavour."""
        return cls(pattern, (Segment("template", template),), (), pattern.flavor)


MATCH = lazy_pattern(r"\{\{\s*match\s*\}\}", re.IGNORECASE)
_JAVASCRIPT = lazy_pattern(r"\$(?:(?P<self>\$)|(?P<kind>[&`'])|(?P<digits>[0-9]{1,2})|<(?P<name>[^>]*)>)")
_ARGUMENTS = lazy_pattern(r"\$(?:(?P<self>\$)|(?P<digits>[0-9]+)|<(?P<name>[^>]+)>)")
_BRACES = lazy_pattern(r"\$(?:(?P<kind>&)|(?P<digits>[1-9][0-9]*)(?![0-9])|\{(?P<braced>[1-9][0-9]*)\})")

_REFERENCES: Mapping[Grammar, re.Pattern[str]] = {"braces": _BRACES, "arguments": _ARGUMENTS}


def split_at_match(template: str) -> Iterator[Segment]:
    """Templates, and the places where `{{match}}` stands between them."""
    at = 0
    for match in MATCH.finditer(template):
        if match.start() > at:
            yield Segment("template", template[at : match.start()])
        yield Segment("match")
        at = match.end()
    if at < len(template):
        yield Segment("template", template[at:])


def parts_for_javascript(replacement: Replacement) -> list[str | dict[str, Any]]:
    """The replacement as write_replacement.js reads it: words and references."""
    parts: list[str | dict[str, Any]] = []
    for segment in replacement.segments:
        if segment.kind == "template":
            parts += _javascript_parts(segment.text, replacement.grammar)
        else:
            parts.append(segment.text if segment.kind == "words" else {"kind": "match"})
    return parts


def _javascript_parts(template: str, grammar: Grammar) -> Iterable[str | dict[str, Any]]:
    if "$" not in template:
        yield template
        return
    at = 0
    for match in _REFERENCES.get(grammar, _JAVASCRIPT).finditer(template):
        yield template[at : match.start()]
        yield _reference(match)
        at = match.end()
    yield template[at:]


def _reference(match: re.Match[str]) -> str | dict[str, Any]:
    found, written = match.groupdict(), match.group()
    if found.get("self"):
        return "$"
    if found.get("kind"):
        return {"kind": found["kind"]}
    if found.get("name") is not None:
        return {"kind": "name", "name": found["name"], "as_written": written}
    return {"kind": "group", "digits": found["digits"] or found.get("braced"), "as_written": written}
