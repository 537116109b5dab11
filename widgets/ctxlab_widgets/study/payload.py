"""A study as the page gets it: rows with their intervals, the frontier, and what the numbers rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.studies.statistics import Interval
from ctxlab.studies.study import ScoreColumn
from ctxlab.studies.study_table import pareto_frontier
from ctxlab.studies.study_table.figure_parts import LABELLED
from ctxlab.studies.study_table.study_table import TableRow
from ctxlab.studies.study_table.table_notes import LOUD_WORDS
from ctxlab.studies.study_table.table_text import amount, p_value
from ctxlab_widgets.study.headline import headline
from ctxlab_widgets.study.study_cells import StudyCells, amount_of, extras_of, head_of, shown_scale, title_of
from ctxlab_widgets.study.tables import BudgetTable

LONGEST_NAME = 120


def view_json(shown: BudgetTable, cost: str, budget: int | None, kind: str = "") -> dict[str, Any]:
    """The whole page but for what is picked."""
    table, cells = shown.table, shown.cells
    score = cells.column(table.score)
    paid = cells.column(cost) if cost else None
    extras = extras_of(cells, table.score, cost)
    rows = [row for row in table.rows if row.mean is not None]
    frontier = _frontier(rows, cost, lower=table.better == "lower")
    few = len(rows) <= LABELLED
    loud = [note for note in table.notes if note.startswith(LOUD_WORDS)]
    return {
        "sentence": headline(shown, score.title),
        "score": {"name": score.name, "title": score.title, "unit": "%" if table.is_share else ""},
        "cost": {"name": cost, "title": title_of(paid)} if paid else None,
        "level": f"{table.level:.0%}",
        "points": "points" if table.is_share else "",
        "better": table.better,
        "baseline": table.baseline,
        "compared": any(row.difference is not None for row in rows),
        "extras": [{"name": each.name, "head": head_of(each), "title": title_of(each)} for each in extras],
        "rows": [_row(shown, row, paid, extras, on=row.variant in frontier, labelled=few) for row in table.rows],
        "frontier": list(frontier),
        "rests_on": [*_rests_on(shown, cells, budget), *([["kind of case", kind]] if kind else [])],
        "loud": loud,
        "notes": [note for note in (*table.notes, *cells.notes) if note not in loud],
    }


def choices_json(cells: StudyCells) -> dict[str, Any]:
    """The choices of budgets, kinds, scores, baselines and costs, each with its words."""
    kinds = [[kind, f"kind: {plain(kind, 60)}"] for kind in cells.kinds]
    return {
        "kinds": [["", "all kinds of case"], *kinds] if kinds else [],
        "budgets": [[each, "no budget" if each is None else f"budget {each:,}"] for each in cells.budgets],
        "scores": [[each.name, plain(each.title, LONGEST_NAME)] for each in cells.scores],
        "baselines": [[name, f"baseline: {plain(name, 60)}"] for name in cells.variants],
        "costs": [[each.name, f"against {plain(head_of(each), 60)}"] for each in cells.costs],
    }


def _row(
    shown: BudgetTable,
    row: TableRow,
    cost: ScoreColumn | None,
    extras: Sequence[ScoreColumn],
    *,
    on: bool,
    labelled: bool,
) -> dict[str, Any]:
    table = shown.table
    scale = 100.0 if table.is_share else 1.0
    spent = row.also.get(cost.name) if cost is not None else None
    return {
        "variant": row.variant,
        "baseline": row.is_baseline,
        "oracle": row.is_oracle,
        "frontier": on,
        "labelled": labelled or on or row.is_baseline,
        "mean": _numbers(row.mean.mean, row.mean.interval, scale) if row.mean else None,
        "text": amount(row.mean.mean, is_share=table.is_share) if row.mean else "",
        "between": _between(row.mean.interval, is_share=table.is_share) if row.mean else "",
        "difference": _difference(row, scale),
        "verdict": row.verdict,
        "cost": spent * shown_scale(cost) if cost is not None and spent is not None else None,
        "extras": [amount_of(each, row.also.get(each.name)) for each in extras],
        "left_out": row.left_out,
        "says": _says(row, cost, is_share=table.is_share),
    }


def _numbers(value: float, interval: Interval | None, scale: float) -> list[float]:
    """Mean, low and high; without an interval the mean alone."""
    return [each * scale for each in ([value, interval.low, interval.high] if interval else [value])]


def _between(interval: Interval | None, *, is_share: bool) -> str:
    if interval is None:
        return ""
    low, high = (amount(each, is_share=is_share) for each in (interval.low, interval.high))
    return f"{low}\u2013{high}" if is_share else f"{low} to {high}"


def _difference(row: TableRow, scale: float) -> dict[str, Any] | None:
    found = row.difference
    if found is None:
        return None
    interval = found.interval
    between = f"{found.amount(interval.low)} to {found.amount(interval.high)}" if interval else ""
    return {
        "numbers": _numbers(found.mean, interval, scale),
        "text": found.amount(found.mean),
        "says": f"{between}{', ' if between else ''}p {p_value(found.p_holm)} after Holm, {found.verdict}",
    }


def _says(row: TableRow, cost: ScoreColumn | None, *, is_share: bool) -> str:
    """The words that a reader is told of a point."""
    if row.mean is None:
        return "no score"
    unit = " %" if is_share else ""
    parts = [*([row.settings] if row.settings else []), f"{amount(row.mean.mean, is_share=is_share)}{unit}"]
    if row.mean.interval:
        parts.append(_between(row.mean.interval, is_share=is_share).replace("\u2013", " to "))
    if cost is not None and row.also.get(cost.name) is not None:
        parts.append(f"{title_of(cost)} {amount_of(cost, row.also[cost.name])}")
    return ", ".join(parts)


def _frontier(rows: Sequence[TableRow], cost: str, *, lower: bool) -> tuple[str, ...]:
    """The variants that none beats, from the cheapest on; the oracle counts as none."""
    known = [row for row in rows if not row.is_oracle and row.mean is not None and row.also.get(cost) is not None]
    sign = -1 if lower else 1
    points = [(row.also[cost] or 0.0, sign * row.mean.mean if row.mean else 0.0) for row in known]
    return tuple([known[i].variant for i in pareto_frontier(points)])


def _rests_on(shown: BudgetTable, cells: StudyCells, budget: int | None) -> list[list[str]]:
    table = shown.table
    means = [row.mean for row in table.rows if row.mean is not None]
    differences = [row.difference for row in table.rows if row.difference is not None]
    methods = dict.fromkeys(mean.interval.method for mean in means if mean.interval is not None)
    left_out = sum(row.left_out for row in table.rows)
    facts = [
        ("cases", _span([mean.cases for mean in means])),
        ("conversations (clusters)", _span([mean.conversations for mean in means])),
        ("cells with a score", f"{sum(mean.cells for mean in means):,}"),
        *(("left out", plain(each, LONGEST_NAME)) for each in cells.left_out),
        *([("without a score", counted(left_out, "cell"))] if left_out else []),
        ("interval", f"{table.level:.0%}, {'; '.join(methods)}" if methods else "none"),
        ("corrected", f"Holm, {counted(len(differences), 'comparison')}" if differences else "nothing is compared"),
        ("tokenizer", cells.tokenizer or "not named"),
        ("budget", "none" if budget is None else f"{budget:,}"),
    ]
    return [list(each) for each in facts]


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return f"{high:,}" if low == high else f"{low:,} to {high:,}"
