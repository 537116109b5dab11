"""HTML tables of comparisons and analyses, for the notebook; all text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ctxlab.display.html_table import table
from ctxlab.display.plain_text import plain
from ctxlab.display.short_texts import short

if TYPE_CHECKING:
    from ctxlab.studies.comparison import Cell, Comparison
    from ctxlab.studies.context_breakdown import Analysis

ROWS = 60
RUNS = 6
NAME = 40
CELL = 120
"""Characters of a cell."""


def comparison_html(comparison: Comparison) -> str:
    """Totals of each run, then one row for each message that is not the same in all."""
    from ctxlab.studies.comparison import SIGNS

    def shown(cell: Cell) -> str:
        words = f"{SIGNS[cell.state]} {cell.state}"
        return f"{words}: {short(cell.cause, CELL)}" if cell.cause else words

    names = [plain(name, NAME) for name in comparison.traces][:RUNS]
    totals = comparison.total_rows()[:RUNS]
    sums = [(name, *map(_shown, total.values())) for name, total in zip(names, totals, strict=True)]
    differing = [line for line in comparison.lines if line.differs]
    rows = [(plain(line.key, NAME), line.role, line.words, *map(shown, line.cells[:RUNS])) for line in differing[:ROWS]]
    out = f"<b>{escape(repr(comparison))}</b>" + table(
        ["run", *(title.replace("_", " ") for total in totals[:1] for title in total)], sums
    )
    if rows:
        out += table(["message", "role", "words", *names], rows)
    return out + _more(len(differing), ROWS, "messages") + _more(len(comparison.traces), RUNS, "runs")


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def _more(there: int, shown: int, what: str) -> str:
    return f"<p>and {there - shown:,} more {what}</p>" if there > shown else ""


def analysis_html(analysis: Analysis) -> str:
    """Agent and model, tokens by source, and the messages in order."""
    shares = analysis.shares
    sources = [
        (source, f"{tokens:,}", f"{share:.0%}", f"{characters:,}")
        for source, tokens, share, characters in zip(
            shares.index, shares["tokens"], shares["tokens_share"], shares["characters"], strict=True
        )
    ]
    pieces = list(analysis.pieces())
    rows = [
        (
            piece.number or "",
            piece.role,
            piece.source,
            piece.placed,
            f"{piece.tokens:,}",
            plain(piece.text),
            short(piece.note, CELL),
        )
        for piece in pieces[:ROWS]
    ]
    notes = "".join(f"<p>{escape(note.level)}: {escape(short(note.text, CELL))}</p>" for note in analysis.notes[:ROWS])
    return (
        f"<b>{escape(repr(analysis))}</b>{notes}"
        + table(("source", "tokens", "share", "characters"), sources)
        + table(("", "role", "source", "placed", "tokens", "words", "rewritten by"), rows)
        + _more(len(pieces), ROWS, "messages")
    )
