"""A study in the terminal: means with their intervals, differences to a baseline, and what they rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.cli.output.terminal import Column, Screen, columns
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.studies.study import StudyResult
from ctxlab.studies.study_table import StudyTable
from ctxlab.studies.study_table.table_notes import LOUD_WORDS
from ctxlab.studies.study_table.table_text import p_value

MOST_ERRORS = 5


def print_means_table(
    screen: Screen,
    result: StudyResult,
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    *,
    variant: str,
    tables: Mapping[str, StudyTable],
) -> None:
    """Means by variant and budget, with the interval of each score beside."""
    units: dict[str, str] = {each.name: each.unit for each in result.columns}
    oracles = {row.variant for table in tables.values() for row in table.rows if row.is_oracle}
    settings = any(row["settings"] and row[variant] not in oracles for row in rows)
    titles = [Column(variant, style="step"), *([Column("settings")] if settings else [])]
    titles += [Column("budget", right=True), Column("cases", right=True)]
    for name in names:
        titles.append(Column(name, right=True))
        if name in tables:
            titles.append(Column(f"{tables[name].level:.0%} interval", right=True))
    columns(screen, titles, [_mean_cells(row, variant, names, units, tables, settings=settings) for row in rows])
    if "messages" in names and "cut_messages" in names:
        screen.line("messages are those that are sent, after merging; cut_messages those of the history that went")


def _mean_cells(
    row: Mapping[str, Any],
    variant: str,
    names: Sequence[str],
    units: Mapping[str, str],
    tables: Mapping[str, StudyTable],
    *,
    settings: bool,
) -> list[str]:
    cells = [row[variant], *([row["settings"]] if settings else []), _budget(row["budget"]), f"{row['cases']:,}"]
    for name in names:
        unit = units.get(name, "")
        cells.append(_number(row[name], unit))
        if name in tables:
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            cells.append("-" if low is None else f"{_number(low, unit)} to {_number(high, unit)}")
    return cells


def print_differences(screen: Screen, table: StudyTable, *, variant: str) -> None:
    """Each variant less the baseline on the same cases: difference, interval, p and verdict."""
    points = ", points" if table.is_share else ""
    screen.line((f"{table.score}{points}: difference to {plain(table.baseline, 60)}", "strong"))
    names = ("budget", "difference", f"{table.level:.0%} interval", "p after Holm")
    titles = [Column(variant, style="step"), *[Column(name, right=True) for name in names], Column("verdict")]
    rows: list[list[str]] = []
    for row in table.rows:
        if row.is_baseline:
            continue
        cells = ["-", "-", "-"]
        if (found := row.difference) is not None:
            between = found.interval
            told = f"{found.amount(between.low)} to {found.amount(between.high)}" if between is not None else "-"
            cells = [found.amount(found.mean), told, p_value(found.p_holm)]
        rows.append([row.variant, _budget(row.budget), *cells, row.verdict])
    columns(screen, titles, rows)
    screen.line(table.summary)


def print_foot(screen: Screen, result: StudyResult, table: StudyTable | None, setting: Sequence[str] = ()) -> None:
    """The count of cases unless a table has it, the setting, what may be claimed, what was left out, and the errors."""
    if table is None:
        conversations = counted(result.conversations, "conversation")
        screen.line(f"{counted(result.cases, 'case')} of {conversations}; tokens by {result.tokenizer}")
    for line in setting:
        screen.line(line)
    for note in table.notes if table is not None else ():
        if note.startswith(LOUD_WORDS):
            screen.line((note, "bad"))
        elif not _is_told_below(note):
            screen.line(note)
    for reason, count in result.left_out.items():
        screen.line(f"left out: {counted(count, 'question')}, {reason}")
    for line in error_lines(result):
        screen.line((line, "warn"))


def _is_told_below(note: str) -> bool:
    """Whether a note of a table is on errors and questions that were left out, which have lines of their own."""
    return note.startswith("Left out:") and "without a value of" not in note


def error_lines(result: StudyResult) -> list[str]:
    """The errors of cells: how many there are, and the most frequent ones with their number and a case."""
    cells = result.cell_table.columns
    found = [(error, case) for error, case in zip(cells["error"], cells["case"], strict=True) if error is not None]
    if not found:
        return []
    counts = Counter(error for error, _ in found)
    example: dict[str, str] = {}
    for error, case in found:
        example.setdefault(error, case)
    lines = [f"{counted(len(found), 'cell')} with an error, which no mean counts:"]
    for error, count in counts.most_common(MOST_ERRORS):
        lines.append(f"  {counted(count, 'cell')}, such as of case {plain(example[error], 60)!r}: {plain(error, 300)}")
    if len(counts) > MOST_ERRORS:
        lines.append(f"  and {counted(len(counts) - MOST_ERRORS, 'other error')}")
    return lines


def _budget(budget: int | None) -> str:
    return "none" if budget is None else f"{budget:,}"


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "usd":
        return f"${value:.5f}"
    return f"{value:.1%}" if unit == "share" else f"{value:,.1f}"
