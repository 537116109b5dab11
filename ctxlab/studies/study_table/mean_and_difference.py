"""A mean and a paired difference straight from a study's frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.errors import WrongArgument
from ctxlab.studies.statistics.interval import Method
from ctxlab.studies.statistics.mean_score import MeanScore, mean_of
from ctxlab.studies.statistics.paired_difference import Better, CellKey, PairedDifference, difference_of
from ctxlab.studies.study_table.cells import CellGroup, cell_groups

if TYPE_CHECKING:
    import pandas as pd

SHARE = (0.0, 1.0)
Level = Annotated[float, "a number between 0 and 1"]


@checked_arguments
def mean_score(
    frame: pd.DataFrame, score: str = "all_evidence", *, level: Level = 0.95, method: Method = "auto"
) -> MeanScore:
    """The mean of a column over all rows of a study's frame, with an interval that takes conversations as independent.

    A score whose values are all in [0, 1] counts as a share, whose interval doesn't leave [0, 1].
    """
    checked_level(level)
    groups = cell_groups(frame, score)
    cells = [cell for group in groups for cell in group.cells()]
    found = mean_of(score, cells, bounds=SHARE if is_share(groups) else None, level=level, method=method)
    if found is None:
        raise WrongArgument(f"no row of the frame has a value of {plain(score, 40)!r}")
    return found


@checked_arguments
def paired_difference(
    frame: pd.DataFrame,
    first: str,
    second: str,
    *,
    score: str = "all_evidence",
    budget: int | None = None,
    better: Better | None = "higher",
    level: Level = 0.95,
    method: Method = "auto",
) -> PairedDifference:
    """The mean of `first` less the mean of `second`, two variants of a study's frame, over the cells that both have.

    Without a budget cells of all budgets count. `better` says which scores are; None where neither is.
    """
    checked_level(level)
    groups = at_budget(cell_groups(frame, score), budget)
    ours, theirs = (_scores(groups, name) for name in (first, second))
    found = difference_of(
        (first, ours),
        (second, theirs),
        score=score,
        better=better,
        is_share=is_share(groups),
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


def is_share(groups: tuple[CellGroup, ...]) -> bool:
    """Whether every score is in [0, 1]."""
    return all(0 <= value <= 1 for group in groups for value in group.scores.values())


def checked_level(level: float) -> None:
    if not 0 < level < 1:
        raise WrongArgument(f"level takes a number between 0 and 1, got {level:g}; 0.95 is usual")
