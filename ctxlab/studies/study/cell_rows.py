"""Rows of cells: each is built and scored, and what can't be is a row with an error."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.case_builds import CaseBuilds, at_leaves, trace_taken_from
from ctxlab.studies.study.plan import KEY, Cell, StudyPlan
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, Scorer
from ctxlab.studies.study.settings_given import settings_given

Row = dict[str, Any]
"""The values of one cell by column, `labels` and `scores` as dicts of their own."""
LONGEST_ERROR = 600
MOST = 1e100
"""The largest score: sums of squares of a million of them are numbers too."""
MOST_COUNTED = 2**53
"""The largest number of tokens or messages, up to which each whole number is itself."""
ROUNDING = 1e-9
"""The most that a share may be beyond its ends, as sums of fractions are."""


def rows_of_case(plan: StudyPlan, case: Case | BrokenCase, wanted: Sequence[tuple[str, Cell]]) -> list[Row]:
    """A row for each cell, given with its key."""
    if isinstance(case, BrokenCase):
        return [_row(plan, case, cell, key) | {"error": _one_line(case.problem)} for key, cell in wanted]
    builds = CaseBuilds(plan, case)
    return [_scored_row(plan, builds, cell, key) for key, cell in wanted]


def _scored_row(plan: StudyPlan, builds: CaseBuilds, cell: Cell, key: str) -> Row:
    row = _row(plan, builds.case, cell, key)
    try:
        trace = builds.trace(cell)
    except Exception as problem:  # whatever a case or a step of somebody's raises is the row of that cell
        trace_taken_from(problem)
        return row | {"error": sentence_of(problem)}
    report = trace.result.report(BudgetReport)
    row |= {
        "tokens": trace.tokens,
        "messages": len(trace.result.drafts),
        "cut_messages": report.cut if report is not None else 0,
    }
    run = ScoredRun(builds.case_of(cell.variant), trace, at_leaves(builds, cell))
    scores: dict[str, Any] = {}
    for scorer in plan.scorers:
        try:
            scores |= _scores(scorer, run)
        except Exception as problem:  # so does a scorer
            return row | {"error": f"scorer {scorer.name!r} failed: {sentence_of(problem)}"}
    return row | {"scores": scores}


def _row(plan: StudyPlan, case: Case | BrokenCase, cell: Cell, key: str) -> Row:
    of_case = case.options if isinstance(case, Case) else {}
    return {
        KEY: key,
        "case": sound_text(case.id),
        "conversation": sound_text(case.conversation),
        "kind": sound_text(case.kind),
        "variant": cell.variant.name,
        "settings": sound_text(settings_given(cell.variant, plan.options, of_case)),
        "budget": cell.budget,
        "seed": cell.seed,
        "labels": {name: _label(value) for name, value in _labels(case, cell)},
        "tokens": None,
        "messages": None,
        "cut_messages": None,
        "error": None,
        "scores": {},
    }


def _labels(case: Case | BrokenCase, cell: Cell) -> Iterable[tuple[str, str | int | float]]:
    return {**case.labels, **cell.variant.labels}.items()


def _scores(scorer: Scorer, run: ScoredRun) -> dict[str, Any]:
    """The scores of a run by column; raises CtxlabError for one that no column holds."""
    given: Mapping[str, Any] = scorer.score(run)
    columns = {column.name: column for column in scorer.columns}
    unknown = next((name for name in given if name not in columns), None)
    if unknown is not None:
        raise CtxlabError(f"it gave {unknown!r}, which is none of its columns ({', '.join(columns)})")
    return {name: _value(column, given.get(name)) for name, column in columns.items()}


def _value(column: ScoreColumn, value: Any) -> Any:
    """A score as a file keeps it: a text, or a number, of which NaN and the infinite are missing."""
    if value is None:
        return None
    if column.unit == "text":
        return sound_text(str(value))
    number = _number(column, value)
    if number is None:
        return None
    if column.unit == "share":
        if not -ROUNDING <= number <= 1 + ROUNDING:
            raise CtxlabError(f"it gave {number:g} for {column.name!r}, which is a share: a number from 0 to 1")
        return min(1.0, max(0.0, number))
    return number


def _number(column: ScoreColumn, value: Any) -> float | None:
    """The number, None where it is NaN or infinite; raises CtxlabError for one with which no mean can be taken."""
    most = MOST_COUNTED if column.unit in ("tokens", "messages") else MOST
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond those
        number = sys.float_info.max if value > 0 else -sys.float_info.max
    if not math.isfinite(number):
        return None
    if abs(number) > most:
        raise CtxlabError(f"its {column.name!r} is beyond {most:g} or -{most:g}, between which a cell holds numbers")
    return number


def sentence_of(problem: Exception) -> str:
    """An error in one line; those that ctxlab doesn't raise itself with their class."""
    words = _one_line(str(problem))
    if isinstance(problem, CtxlabError):
        return words.replace("Raise budget_tokens", "Raise the budget")
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__


def _one_line(text: str) -> str:
    return sound_text(plain(text, LONGEST_ERROR))


def _label(value: str | float) -> str | int | float:
    return sound_text(value) if isinstance(value, str) else value


def sound_text(text: str) -> str:
    """The text with its half surrogates spelt out, as in `\\ud800`: no file in UTF-8 can hold them."""
    return text.encode("utf-8", "backslashreplace").decode()
