"""Sentences on the variants that are picked: the difference of two, and their cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.studies.statistics import PairedDifference
from ctxlab.studies.statistics.paired_difference import CellKey, equal_on_every_case
from ctxlab.studies.study_table.cells import CellGroup
from ctxlab.studies.study_table.table_notes import loud
from ctxlab.studies.study_table.table_text import amount, p_value
from ctxlab_widgets.study.tables import BudgetTable

MOST_CASES = 200
"""Cases that the page lists; the frame has all."""
NAME = 40


def picked_json(shown: BudgetTable, picked: Sequence[str]) -> dict[str, Any]:
    """The words of one or two picked variants."""
    if len(picked) == 1:
        group = shown.groups[picked[0]]
        return {"variants": list(picked), "cases": len(group.scores), "compare": False}
    found = shown.difference(picked[0], picked[1])
    claim, kind = claim_of(shown, found)
    return {
        "variants": list(picked),
        "told": _told(found),
        "claim": claim,
        "kind": kind,
        "more": _more(found),
        "cases": sum(a != b for _, a, b in found.pairs),
        "compare": shown.cells.result is not None,
    }


def claim_of(shown: BudgetTable, found: PairedDifference) -> tuple[str, str]:
    """A claim that may be made of a pair, and `told`, `open` or `few`."""
    p, corrected = p_value(found.p), p_value(found.p_holm)
    many = _correction(shown, found)
    if found.is_decided:
        return f"{plain(found.first, NAME)} is {found.verdict}: p {corrected}{many}.", "told"
    if found.is_equal:
        return f"They are {equal_on_every_case(found)}", "open"
    if not replace(found, comparisons=1).can_decide:
        return loud(found.conversations, 1, found.level), "few"
    if found.interval is not None and 0 in found.interval:
        return "The interval holds 0: the difference is open, and no order is claimed.", "open"
    if found.p < 1 - found.level:
        return (
            f"p is {p} for this pair alone, and {corrected}{many}: no order is claimed.{_pinned(shown, found)}",
            "open",
        )
    return f"The difference is open, p {corrected}{many}: no order is claimed.", "open"


def _correction(shown: BudgetTable, found: PairedDifference) -> str:
    if found.comparisons == 1:
        return ""
    if shown.table.baseline in (found.first, found.second):
        return f" after Holm for the {found.comparisons:,} comparisons with the baseline"
    return f" after correction for all {found.comparisons:,} pairs that may be picked"


def _pinned(shown: BudgetTable, found: PairedDifference) -> str:
    """A sentence on what makes the correction milder, where anything does."""
    if shown.table.baseline in (found.first, found.second) or len(shown.compared) - 1 >= found.comparisons:
        return ""
    return " With one of the two as the baseline fewer comparisons count."


def _told(found: PairedDifference) -> str:
    unit = " points" if found.is_share else ""
    between = ""
    if found.interval is not None:
        low, high = found.amount(found.interval.low), found.amount(found.interval.high)
        between = f", {found.level:.0%} interval {low} to {high}"
    over = f"{counted(found.cases, 'case')} of {counted(found.conversations, 'conversation')}"
    return f"{found.amount(found.mean)}{unit}{between}, paired over {over}."


def _more(found: PairedDifference) -> str:
    """The number of conversations it would take, where the difference is open though it might have been told."""
    if (
        found.is_decided
        or found.p < 1 - found.level
        or not replace(found, comparisons=1).can_decide
        or found.needed is None
        or found.needed <= found.conversations
    ):
        return ""
    unit = " points" if found.is_share else ""
    size = found.amount(abs(found.mean)).lstrip("+")
    return (
        f"If {size}{unit} is what it is, a study of this pair alone would need about {found.needed:,} conversations to "
        "tell the two apart."
    )


def cases_json(shown: BudgetTable, picked: Sequence[str]) -> dict[str, Any]:
    """The cases of one variant, the worst first, or those in which two differ, those that differ most first."""
    rows = _of_one(shown, shown.groups[picked[0]]) if len(picked) == 1 else _of_two(shown, *picked)
    kinds = _kinds(shown)
    listed = [
        {
            "case": key.case,
            "conversation": key.conversation,
            "kind": kinds.get((key.conversation, key.case), ""),
            "seed": key.rest[-1] if key.rest else None,
            "scores": [_amount(shown, value) for value in values],
        }
        for key, values in rows[:MOST_CASES]
    ]
    return {"variants": list(picked), "of": len(rows), "rows": listed}


def _of_one(shown: BudgetTable, group: CellGroup) -> list[tuple[CellKey, tuple[float, ...]]]:
    sign = -1 if shown.table.better == "lower" else 1
    cells = sorted(group.scores.items(), key=lambda cell: (sign * cell[1], cell[0].conversation, cell[0].case))
    return [(key, (value,)) for key, value in cells]


def _of_two(shown: BudgetTable, first: str, second: str) -> list[tuple[CellKey, tuple[float, ...]]]:
    ours, theirs = shown.groups[first].scores, shown.groups[second].scores
    pairs = [(key, (ours[key], theirs[key])) for key in ours if key in theirs and ours[key] != theirs[key]]
    return sorted(pairs, key=lambda pair: (-abs(pair[1][0] - pair[1][1]), pair[0].conversation, pair[0].case))


def _amount(shown: BudgetTable, value: float) -> str:
    return f"{amount(value, is_share=True)} %" if shown.table.is_share else amount(value, is_share=False)


def _kinds(shown: BudgetTable) -> dict[tuple[str, str], str]:
    frame = shown.frame
    if "kind" not in frame.columns:
        return {}
    columns = (frame[name].astype("object").tolist() for name in ("conversation", "case", "kind"))
    return {(str(talk), str(case)): kind for talk, case, kind in zip(*columns, strict=True) if isinstance(kind, str)}
