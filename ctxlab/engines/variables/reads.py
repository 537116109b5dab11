"""Reads of variables: `$[path]`, and `$[svars::json]` for all visible ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ctxlab.engines.variables.definitions import Definitions
from ctxlab.engines.variables.render import rendered_variables
from ctxlab.engines.variables.values import MISSING, Compat, Values, as_text, look_up

BEGIN = "$["
PLACE = re.compile(r"\$\[([\w.:-]++)\]")
ASCII_PLACE = re.compile(r"\$\[([\w.:-]+)\]", re.ASCII)
ALL = "svars::"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A read at characters `start` up to `end`; `text` None means that the path has no value."""

    start: int
    end: int
    path: str
    text: str | None


def readings(text: str, definitions: Definitions, values: Values, *, compat: Compat = "ctxlab") -> Iterator[Reading]:
    """The reads of a text with their values; a value is data and is not read again."""
    if BEGIN not in text:
        return
    for match in (ASCII_PLACE if compat == "reference" else PLACE).finditer(text):
        path = match.group(1)
        if path.startswith(ALL):
            found: str | None = rendered_variables(path.removeprefix(ALL), definitions, values, compat=compat)
        else:
            value = look_up(values, path)
            found = None if value is MISSING else as_text(value, compat=compat)
        yield Reading(match.start(), match.end(), path, found)
