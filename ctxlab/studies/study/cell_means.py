"""Means of a study's cells, one row for each variant and budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.studies.study.settings_given import one_text
from ctxlab.studies.study.study_result import StudyResult


def cell_means(result: StudyResult, columns: Sequence[str], *, variant: str = "variant") -> list[dict[str, Any]]:
    """Each variant at each budget: its name under `variant`, what it sets, cases with a value, errors, and means.

    A cell with an error has no value; a mean of nothing is None. `cases` counts the cells in which the first of the
    columns has a value, and `errors` those with an error in place of scores.
    """
    values = result.cell_table.columns
    groups: dict[tuple[str, int | None], list[int]] = {
        (each.name, budget): [] for each in result.variants for budget in result.budgets
    }
    for i, place in enumerate(zip(values["variant"], values["budget"], strict=True)):
        groups[place].append(i)
    return [
        {variant: name, "settings": one_text(values["settings"][i] for i in at), "budget": budget}
        | {"cases": sum(values[columns[0]][i] is not None for i in at)}
        | {"errors": sum(values["error"][i] is not None for i in at)}
        | {column: _mean([values[column][i] for i in at]) for column in columns}
        for (name, budget), at in groups.items()
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    from math import fsum

    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else None
