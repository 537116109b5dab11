"""Small tables for the notebook; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ctxlab.display.plain_text import plain

SIZE = 30_000
"""Characters after which a table ends; what a notebook stores of a value stays under 50 KB."""


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, cells: int = 60, of: str = "rows") -> str:
    """Rows of words, each cell on one line and at most so wide; says how many more there are where it ends."""
    titles = "".join(f"<th style='text-align:left'>{escape(title)}</th>" for title in head)
    body: list[str] = []
    size = left_out = 0
    for row in rows:
        if size <= SIZE:
            body.append(_row(row, cells))
            size += len(body[-1].encode())
        else:
            left_out += 1
    end = f"<p>and {left_out:,} more {of}</p>" if left_out else ""
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(body)}</tbody></table>{end}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain text, as wide and as long as it is."""
    cells = "".join(f"<th style='text-align:left'>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: Sequence[object], cells: int) -> str:
    shown = (escape(plain(str(cell), cells)) for cell in row)
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in shown) + "</tr>"
