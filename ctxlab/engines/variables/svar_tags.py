"""Writes of variables: tags like `<svar name="gold" op="+" value="5" />` in messages of any role."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ctxlab.engines.variables.values_by_path import MISSING, Compat, value_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

BEGIN = "<svar"
REMEMBERED, MOST_CHARACTERS = 10_000, 10_000
"""Texts whose tags are kept, for the same messages come again with every build; longer ones are read anew."""

# A value may hold anything but another tag's beginning, so that reading stays linear. One that begins with a bracket
# ends at a quote with nothing but the tag behind it: models write JSON into double quotes.
_OUTSIDE = r"[^\"<]|<(?!svar)"
_DOUBLE = rf"\"(?:[\[{{](?:{_OUTSIDE}|\"(?![\s/>]|\Z))*+\"|(?:{_OUTSIDE})*+\")"
_SINGLE = _DOUBLE.replace(r"\"", "'")
_BARE = r"[^\s\"'<>=]+?(?=\s|/?>)"
_ATTRIBUTE = rf"\s*+[\w.:-]++\s*+=\s*+(?:{_DOUBLE}|{_SINGLE}|{_BARE})|\s++[\w.:-]++(?!\s*=)"
TAG = lazy_pattern(rf"<svar(?=[\s/>])((?:{_ATTRIBUTE})*+)\s*+/?>")
ATTRIBUTE = lazy_pattern(rf"([\w.:-]++)\s*+=\s*+({_DOUBLE}|{_SINGLE}|{_BARE}|[^\s\"'<>=]++$)")

PLAIN_TAG = lazy_pattern(r"<svar\s([^>]*+)>")
PLAIN_ATTRIBUTE = lazy_pattern(r"(?<!\w)(\w++)\s*+=\s*+[\"']?([^\"'\s>]+)[\"']?", re.ASCII)
"""The form that the reference program reads: values without quotes, blanks and `>`."""


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """One tag at characters `start` up to `end`; a `value` that isn't given is MISSING."""

    start: int
    end: int
    path: str
    op: str = "="
    value: Any = MISSING


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """The tags of a text in order; `problems` are those that can't be read."""

    found: tuple[Tag, ...] = ()
    problems: tuple[str, ...] = ()


NONE = Tags()


def tags_in(text: str, *, compat: Compat = "ctxlab") -> Tags:
    """The tags of a text."""
    if BEGIN not in text:
        return NONE
    return _remembered(text, compat) if len(text) <= MOST_CHARACTERS else _parsed(text, compat)


@lru_cache(maxsize=REMEMBERED)
def _remembered(text: str, compat: Compat) -> Tags:
    return _parsed(text, compat)


def _parsed(text: str, compat: Compat) -> Tags:
    tag = PLAIN_TAG if compat == "reference" else TAG
    found: list[Tag] = []
    problems: list[str] = []
    last = text.rfind(">") + 1  # no tag behind it is closed
    whole = {match.start(): match for match in tag.finditer(text, 0, last)}
    for begin in re.finditer(rf"{BEGIN}(?=[\s/>])", text):
        match = whole.get(begin.start())
        if match is None:
            problems.append(f"the tag at character {begin.start()} doesn't end, or a quote in it doesn't")
            continue
        attributes = _attributes(match.group(1), compat)
        path = (attributes.get("name") or attributes.get("path") or "").strip()
        if not path:
            problems.append(f"the tag at character {begin.start()} names no variable")
            continue
        value = attributes.get("value")
        found.append(
            Tag(
                match.start(),
                match.end(),
                path,
                (attributes.get("op") or "=").strip(),
                MISSING if value is None else value_of(value),
            )
        )
    return Tags(tuple(found), tuple(problems))


def _attributes(text: str, compat: Compat) -> dict[str, str]:
    if compat == "reference":
        return {match[1]: match[2] for match in PLAIN_ATTRIBUTE.finditer(text.removesuffix("/"))}
    return {name: _unquoted(value) for name, value in ATTRIBUTE.findall(text)}


def _unquoted(value: str) -> str:
    return value[1:-1] if value[0] in "\"'" else value
