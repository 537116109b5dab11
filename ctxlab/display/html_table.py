"""Small tables for the notebook: escaped, bounded in size, in the colours of the page that they are on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.secrets import masked_beginning

ROWS = 20
"""Rows of a table; the others are counted."""
COLUMNS = 12
SIZE = 20_000
"""Bytes after which a table ends: two of them, of the widest characters, stay under 60 kB."""
HEADING = 240
LEFT, RIGHT = "text-align:left", "text-align:right"


def heading(value: object) -> str:
    """A value's repr as the heading of its tables, on a line of its own."""
    return title(repr(value))


def title(text: str) -> str:
    """Words as the heading of a table, on a line of their own."""
    return f"<div><b>{escape(plain(text, HEADING))}</b></div>"


def html_table(
    head: Sequence[str], rows: Iterable[Sequence[object]], *, cells: int = 60, of: str = "rows", most: int = ROWS
) -> str:
    """Rows of words and numbers, each cell on one line and at most so wide; says how many more there are.

    Above `most` rows, or where a table gets too large, the rest is counted; so are columns above 12.
    """
    body: list[str] = []
    size = left_out = 0
    for row in rows:
        if len(body) < most and size <= SIZE:
            body.append(_row(row[:COLUMNS], cells))
            size += len(body[-1].encode())
        else:
            left_out += 1
    names = "".join(f"<th style='{LEFT}'>{escape(plain(str(name), cells))}</th>" for name in head[:COLUMNS])
    more = [(left_out, of), (len(head) - COLUMNS, "columns")]
    end = " and ".join(f"{n:,} more {what}" for n, what in more if n > 0)
    table = f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f"{table}<p>… and {end}</p>" if end else table


def fields_table(fields: Mapping[str, Any], *, cells: int = 120) -> str:
    """Names and values of fields below each other."""
    rows = (
        (name, "" if value is None else masked_beginning(str(value), 4 * cells + 1)) for name, value in fields.items()
    )
    return html_table(("field", "value"), rows, cells=cells, of="fields")


def records_table(rows: Sequence[Mapping[str, Any]], *, of: str = "rows") -> str:
    """Rows of named values: one below each other, several as a table whose columns are all names that they have."""
    if len(rows) == 1:
        return fields_table(rows[0])
    names = list(dict.fromkeys(name for row in rows for name in row))
    return html_table(names, ([row.get(name) for name in names] for row in rows), of=of)


def lines(texts: Iterable[str], *, cells: int = 160, most: int = 8) -> str:
    """Sentences below a table, each on a line of its own."""
    found = list(texts)
    shown = "".join(f"<br>{escape(plain(text, cells))}" for text in found[:most])
    more = f"<br>… and {len(found) - most:,} more" if len(found) > most else ""
    return f"<div><small>{shown.removeprefix('<br>')}{more}</small></div>" if found else ""


def _row(row: Sequence[object], cells: int) -> str:
    return "<tr>" + "".join(map(_cell, row, [cells] * len(row))) + "</tr>"


def _cell(value: object, cells: int) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td style='{RIGHT}'>{_number(value)}</td>"
    shown = "" if value is None else plain(str(value), cells)
    return f"<td style='{LEFT}'>{escape(shown)}</td>"


def _number(value: float) -> str:
    try:
        return plain(f"{value:,}", 24)
    except ValueError:  # of more digits than Python writes
        return "…"
