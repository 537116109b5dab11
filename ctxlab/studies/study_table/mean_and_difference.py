"""A mean and a paired difference straight from a study's frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.errors import WrongArgument
from ctxlab.studies.statistics.interval import Method
from ctxlab.studies.statistics.mean_score import SHARE, MeanScore, mean_of
from ctxlab.studies.statistics.paired_difference import CellKey, PairedDifference, difference_of
from ctxlab.studies.study_table.cells import CellGroup, cell_groups
from ctxlab.studies.study_table.score_columns import (
    KnownBetter,
    NumberUnit,
    chosen_score,
    known_column,
    refuse_no_shares,
)

if TYPE_CHECKING:
    import pandas as pd

Level = Annotated[float, "a number between 0 and 1"]


@checked_arguments
def mean_score(
    frame: pd.DataFrame,
    score: str | None = None,
    *,
    unit: NumberUnit | None = None,
    level: Level = 0.95,
    method: Method = "auto",
) -> MeanScore:
    """The mean of a column over all rows of a study's frame, with an interval that takes conversations as independent.

    The score is by default `all_evidence`, or the only one of the frame. The interval of a share doesn't leave
    [0, 1]. Without `unit` it is the one that the study's frame names, or that of the scorer which fills a column of
    this name; any other column is a plain number.
    """
    checked_level(level)
    score = chosen_score(frame, score)
    groups = cell_groups(frame, score)
    cells = [cell for group in groups for cell in group.cells()]
    column = known_column(frame, score, unit=unit)
    refuse_no_shares(groups, column)
    found = mean_of(score, cells, bounds=SHARE if column.unit == "share" else None, level=level, method=method)
    if found is None:
        raise WrongArgument(f"no row of the frame has a value of {plain(score, 40)!r}")
    return found


@checked_arguments
def paired_difference(
    frame: pd.DataFrame,
    first: str,
    second: str,
    *,
    score: str | None = None,
    budget: int | None = None,
    unit: NumberUnit | None = None,
    better: KnownBetter = "auto",
    level: Level = 0.95,
    method: Method = "auto",
) -> PairedDifference:
    """The mean of `first` less the mean of `second`, two variants of a study's frame, over the cells that both have.

    Without a budget cells of all budgets count. `better` says which scores are, None that neither is; it and `unit`
    are by default those of the column, as in `mean_score`.
    """
    checked_level(level)
    score = chosen_score(frame, score)
    groups = at_budget(cell_groups(frame, score), budget)
    column = known_column(frame, score, unit=unit, better=better)
    refuse_no_shares(groups, column)
    ours, theirs = (_scores(groups, name) for name in (first, second))
    found = difference_of(
        (first, ours),
        (second, theirs),
        score=score,
        better=column.better,
        is_share=column.unit == "share",
        level=level,
        method=method,
    )
    if found is None:
        raise WrongArgument(f"{plain(first, 40)!r} and {plain(second, 40)!r} have no scored case in common")
    return found


def _scores(groups: tuple[CellGroup, ...], variant: str) -> dict[CellKey, float]:
    known_variant(groups, variant)
    return {key: value for group in groups if group.variant == variant for key, value in group.scores.items()}


def known_variant(groups: tuple[CellGroup, ...], variant: str) -> None:
    """Raises WrongArgument for a variant that the frame doesn't have."""
    names = list(dict.fromkeys(group.variant for group in groups))
    if variant not in names:
        raise WrongArgument(f"the frame has no variant {plain(variant, 40)!r}{nearest(variant, names)}")


def at_budget(groups: tuple[CellGroup, ...], budget: int | None) -> tuple[CellGroup, ...]:
    """The groups at one budget, or all; raises WrongArgument for a budget that the frame doesn't have."""
    if budget is None:
        return groups
    found = tuple(group for group in groups if group.budget == budget)
    if not found:
        there = ", ".join(f"{each:,}" for each in sorted({g.budget for g in groups if g.budget is not None})[:8])
        raise WrongArgument(f"the frame has no budget {budget:,}; there are: {there or 'none'}")
    return found


def checked_level(level: float) -> None:
    if not 0 < level < 1:
        raise WrongArgument(f"level takes a number between 0 and 1, got {level:g}; 0.95 is usual")
