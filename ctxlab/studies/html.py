"""HTML tables of comparisons and analyses, for the notebook; all text is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.secrets import masked_beginning

if TYPE_CHECKING:
    from ctxlab.studies.comparison import Cell, Comparison
    from ctxlab.studies.context_analysis import Analysis
    from ctxlab.studies.sent_prompt import SentPrompt

RUNS = 6
NAME = 40


def comparison_html(comparison: Comparison) -> str:
    """Totals of each run, then one row for each message that is not the same in all."""
    from ctxlab.studies.comparison import SIGNS, TOTALS

    def shown(cell: Cell) -> str:
        words = f"{SIGNS[cell.state]} {cell.state}"
        return f"{words}: {cell.cause}" if cell.cause else words

    names = [plain(name, NAME) for name in comparison.traces][:RUNS]
    totals = ((name, *total.values()) for name, total in zip(comparison.traces, comparison.total_rows(), strict=True))
    differing = [line for line in comparison.lines if line.differs]
    rows = ((line.key, line.role, line.words, *map(shown, line.cells[:RUNS])) for line in differing)
    out = heading(comparison) + html_table([name.replace("_", " ") for name in TOTALS], totals, of="runs")
    if differing:
        out += html_table(["key", "role", "words", *names], rows, of="messages")
    more = len(comparison.traces) - RUNS
    return out + lines([f"{counted(more, 'more run')} in columns that are not shown"] if more > 0 else [])


def analysis_html(analysis: Analysis) -> str:
    """Agent and model, tokens by source, and the messages in order."""
    shares = ((s.source, s.tokens, f"{s.share:.0%}", s.characters) for s in analysis.shares().itertuples())
    pieces = (
        (
            piece.number or "",
            piece.role,
            piece.source,
            piece.placed,
            piece.tokens,
            masked_beginning(piece.text, 400),
            piece.note,
        )
        for piece in analysis.pieces()
    )
    return (
        heading(analysis)
        + lines(f"{note.level}: {note.text}" for note in analysis.notes)
        + html_table(("source", "tokens", "share", "characters"), shares, of="sources")
        + html_table(("", "role", "source", "placed", "tokens", "text", "rewritten by"), pieces, of="messages")
    )


def sent_html(prompt: SentPrompt) -> str:
    """The parts of the messages in the order in which they are sent, and what is not sent with its cause."""
    sent = (
        (
            number,
            message.role,
            part.look,
            prompt.names[part.key],
            prompt.hows[part.key],
            part.tokens,
            masked_beginning(str(part.text), 200),
        )
        for number, message in enumerate(prompt.messages)
        for part in message.joined
    )
    cut = ((each.draft.role, each.name, each.why, each.tokens, each.excerpt) for each in prompt.cut)
    out = heading(prompt) + html_table(("", "role", "source", "name", "how", "tokens", "text"), sent, of="parts")
    return out + (html_table(("role", "name", "why", "tokens", "text"), cut, of="messages") if prompt.cut else "")
