"""The sentence of a study: only what intervals and corrected tests carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.studies.study_table import StudyTable
from ctxlab.studies.study_table.study_table import TableRow
from ctxlab.studies.study_table.table_notes import LOUD_WORDS
from ctxlab.studies.study_table.table_text import amount
from ctxlab_widgets.study.tables import BudgetTable

NAME = 40
VERDICTS = ("better", "higher", "worse", "lower")


def headline(shown: BudgetTable, title: str) -> str:
    """The number of variants told apart from the baseline and by how much; whether the best is from the next best."""
    table = shown.table
    rows = [row for row in table.rows if row.mean is not None]
    if not rows:
        return f"No cell has a value of {plain(title, NAME)}: the notes say what was left out."
    if len(rows) == 1:
        return _alone(table, rows[0], title)
    differences = [row for row in rows if row.difference is not None]
    if not differences:
        return f"{counted(len(rows), 'variant')} have {plain(title, NAME)}, and none is compared with another."
    is_hopeless = not any(row.difference.can_decide for row in differences if row.difference is not None)
    best = "" if is_hopeless else _best(shown)
    return f"{_against_baseline(table, differences)}{f'; {best}' if best else ''}."


def _alone(table: StudyTable, row: TableRow, title: str) -> str:
    assert row.mean is not None
    unit = " %" if table.is_share else ""
    interval = row.mean.interval
    between = ""
    if interval is not None:
        low, high = (amount(each, is_share=table.is_share) for each in (interval.low, interval.high))
        between = f", {table.level:.0%} interval {low} to {high}"
    name, what = plain(row.variant, NAME), plain(title, NAME)
    told = amount(row.mean.mean, is_share=table.is_share)
    return f"{name}: {what} {told}{unit}{between}; there is no other variant to compare it with."


def _against_baseline(table: StudyTable, rows: Sequence[TableRow]) -> str:
    counts = Counter(row.verdict for row in rows)
    told = [(word, counts[word]) for word in VERDICTS if counts[word]]
    base = plain(table.baseline, NAME)
    if not told:
        loud = next((word for word in LOUD_WORDS if table.notes and table.notes[0].startswith(word)), None)
        if loud is not None:  # where none could have been told apart
            return f"{loud.capitalize()} to tell any variant from {base}: nothing is claimed"
        if counts["equal"]:
            return _equal(counts, len(rows), base)
        which = "The difference" if len(rows) == 1 else f"All {len(rows):,} differences"
        return f"{which} to {base} {'is' if len(rows) == 1 else 'are'} open"
    parts = [f"{_of(n, len(rows), rows, word)} {word} than {base}{_by(rows, word)}" for word, n in told]
    return ", ".join([*parts, *_not_told(counts)] if len(rows) > 1 else parts)


def _equal(counts: Counter[str], rows: int, base: str) -> str:
    """The numbers of variants that score as the baseline in every cell, and of open ones, where none is told apart."""
    if counts["equal"] == rows:
        which = "The other variant scores" if rows == 1 else f"All {rows:,} variants score"
        return f"{which} as {base} does in every cell"
    return f"Of {rows:,} variants compared with {base} {' and '.join(_not_told(counts))}"


def _not_told(counts: Counter[str]) -> list[str]:
    words = (("equal", "equal to it in every cell"), ("open", "open"))
    return [f"{n:,} {'is' if n == 1 else 'are'} {word}" for name, word in words if (n := counts[name])]


def _of(n: int, all_of: int, rows: Sequence[TableRow], verdict: str) -> str:
    if n == 1:
        return f"{plain(next(row.variant for row in rows if row.verdict == verdict), NAME)} is"
    return f"All {n:,} variants are" if n == all_of else f"{n:,} of {all_of:,} variants are"


def _by(rows: Sequence[TableRow], verdict: str) -> str:
    """By how much, from the least to the most."""
    found = sorted(
        [row.difference for row in rows if row.difference and row.verdict == verdict], key=lambda d: abs(d.mean)
    )
    least, most = found[0], found[-1]
    unit = " points" if least.is_share else ""
    if least.amount(least.mean) == most.amount(most.mean):
        return f" by {least.amount(least.mean)}{unit}"
    return f" by {least.amount(least.mean)} to {most.amount(most.mean)}{unit}"


def _best(shown: BudgetTable) -> str:
    """Whether the best mean is told from the next best, after correction for every pair that might be the best two."""
    table = shown.table
    if table.better is None or len(shown.compared) < 3:
        return ""
    sign = 1 if table.better == "higher" else -1
    rows = sorted(
        (row for row in table.rows if row.mean is not None and not row.is_oracle),
        key=lambda row: -sign * (row.mean.mean if row.mean else 0.0),
    )
    first, second = rows[0].variant, rows[1].variant
    found = shown.difference(first, second)
    if found.is_equal:
        if table.baseline in (first, second):
            return ""
        return f"the best two, {plain(first, NAME)} and {plain(second, NAME)}, score the same in every cell"
    if not found.is_decided:
        return f"which of the best two is better, {plain(first, NAME)} or {plain(second, NAME)}, stays open"
    if table.baseline in (first, second):
        return ""  # that is said already
    after = f"also after correction for all {shown.pairs:,} pairs"
    return f"{plain(first, NAME)} is better than {plain(second, NAME)}, the next best, {after}"
