"""A study's table as Markdown and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.one_line import label, plain

if TYPE_CHECKING:
    from ctxlab.studies.statistics import Interval, MeanScore, PairedDifference
    from ctxlab.studies.study_table.study_table import StudyTable, TableRow

NAME = 60
MARKUP = "\\`*_[]|~#!$"


def table_markdown(table: StudyTable) -> str:
    """The table, below it the notes as a list."""
    head = [_escaped(name) for name in table_head(table)]
    numbers = 1 + len(_settings_name(table)) + len(_label_names(table))
    marks = ["---" if i < numbers else "---:" for i in range(len(head) - 1)] + ["---"]
    rows = [[_escaped(cell) for cell in table_cells(table, row)] for row in table.rows]
    out = "\n".join(f"| {' | '.join(cells)} |" for cells in [head, marks, *rows])
    notes = "\n".join(f"- {_escaped(note, 600)}" for note in (table.summary, *table.notes))
    return f"{out}\n\n{notes}\n"


def table_html(table: StudyTable) -> str:
    return heading(table) + table_rows_html(table)


def table_rows_html(table: StudyTable, *, most: int = 60) -> str:
    """The summary, so many of the rows, and the notes."""
    out = lines([table.summary], cells=400)
    out += html_table(table_head(table), (table_cells(table, row) for row in table.rows), most=most)
    return out + lines(table.notes, cells=400, most=20)


def _label_names(table: StudyTable) -> list[str]:
    return list(table.rows[0].labels) if table.rows else []


def _settings_name(table: StudyTable) -> list[str]:
    """The name of the column of settings, where a variant has some that aren't the defaults; the oracle is none."""
    return ["settings"] if any(row.settings and not row.is_oracle for row in table.rows) else []


def table_head(table: StudyTable) -> list[str]:
    """Names of the columns: of variants and what parts them, of means, of differences."""
    unit = ", %" if table.is_share else ""
    also = list(table.rows[0].also) if table.rows else []
    points = ", points" if table.is_share else ""
    budget = ["budget"] if table.budgets != (None,) else []
    own = [
        "variant",
        *_settings_name(table),
        *_label_names(table),
        *budget,
        f"{table.score}{unit}",
        f"{table.level:.0%} interval",
    ]
    compared = [f"difference to {table.baseline}{points}", f"its {table.level:.0%} interval", "p after Holm", "verdict"]
    return [*own, "cases", "conversations", *(f"mean {name}" for name in also), *compared]


def table_cells(table: StudyTable, row: TableRow) -> list[str]:
    """A row's cells, one for each of these names, as people read them."""
    budget = [f"{row.budget:,}" if row.budget is not None else ""] if table.budgets != (None,) else []
    mean = row.mean
    counts = [f"{mean.cases:,}", f"{mean.conversations:,}"] if mean else ["0", "0"]
    also = [
        "" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}" for value in row.also.values()
    ]
    settings = [row.settings] if _settings_name(table) else []
    names = [row.variant, *settings, *map(str, row.labels.values()), *budget]
    return [*names, *_mean(table, mean), *counts, *also, *_difference(row.difference), row.verdict]


def _mean(table: StudyTable, mean: MeanScore | None) -> list[str]:
    if mean is None:
        return ["", ""]
    return [amount(mean.mean, is_share=table.is_share), _between(mean.interval, is_share=table.is_share)]


def _between(interval: Interval | None, *, is_share: bool) -> str:
    if interval is None:
        return ""
    return f"{amount(interval.low, is_share=is_share)} to {amount(interval.high, is_share=is_share)}"


def _difference(difference: PairedDifference | None) -> list[str]:
    if difference is None:
        return ["", "", ""]
    interval = difference.interval
    between = f"{difference.amount(interval.low)} to {difference.amount(interval.high)}" if interval else ""
    return [difference.amount(difference.mean), between, p_value(difference.p_holm)]


def amount(value: float, *, is_share: bool) -> str:
    """A score as people read it: a share as a number of a hundred."""
    if is_share:
        return f"{100 * value:.1f}"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def p_value(p: float) -> str:
    """A p with two digits.

    >>> p_value(0.0019531), p_value(0.5), p_value(0.00001)
    ('0.002', '0.50', '<0.001')
    """
    if p < 0.001:
        return "<0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _escaped(text: str, cells: int = NAME) -> str:
    """Text in which Markdown and HTML read no markup."""
    return "".join(f"\\{c}" if c in MARKUP else c for c in label(plain(text, cells), cells))
