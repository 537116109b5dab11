"""Reads of variables: `$[path]`, and `$[svars::json]`, `::table` or `::list` for all visible ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ctxlab.documents.stored import as_json
from ctxlab.engines.variables.definitions import Definition, Definitions
from ctxlab.engines.variables.values_by_path import MISSING, Compat, Values, as_text, look_up
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

VariableRow = tuple[Definition, Any]


def rendered_variables(form: str, definitions: Definitions, values: Values, *, compat: Compat = "ctxlab") -> str:
    """The visible defined variables in a form of FORMATS; any other is JSON."""
    rows = [(definition, look_up(values, definition.path)) for definition in definitions.visible()]
    return FORMATS.get(form, _json)([row for row in rows if row[1] is not MISSING], compat)


def _json(rows: list[VariableRow], compat: Compat) -> str:
    return as_json({definition.path: value for definition, value in rows}, indent=2).decode()


def _list(rows: list[VariableRow], compat: Compat) -> str:
    return "\n".join(
        f"- {of.shown_name}: {as_text(value, compat=compat)}{f' ({of.description})' if of.description else ''}"
        for of, value in rows
    )


def _table(rows: list[VariableRow], compat: Compat) -> str:
    lines = ["| Variable | Value | Description |", "| --- | --- | --- |"]
    lines += [
        f"| {_cell(of.shown_name)} | {_cell(as_text(value, compat=compat))} | {_cell(of.description)} |"
        for of, value in rows
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


FORMATS: Mapping[str, Callable[[list[VariableRow], Compat], str]] = MappingProxyType(
    {"json": _json, "table": _table, "list": _list}
)


BEGIN = "$["
PLACE = lazy_pattern(r"\$\[([\w.:-]++)\]")
ASCII_PLACE = lazy_pattern(r"\$\[([\w.:-]+)\]", re.ASCII)
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
