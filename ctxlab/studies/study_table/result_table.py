"""The table of a study's result: its tokenizer, its direction of scores and what it left out are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.scorer import ScoreColumn
from ctxlab.studies.study.variant import STRATEGY, Variant
from ctxlab.studies.study_table.study_table import StudyTable, study_table

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.studies.study.study_result import StudyResult


def result_table(
    result: StudyResult, score: str | None = None, *, also: Sequence[str] = (), **options: Any
) -> StudyTable:
    """The table of one score, by default the first that the scorers fill; variants and budgets in the study's order.

    The frame knows its tokenizer, what was left out, and the column's unit and direction.
    """
    column = score_column(result, score)
    return study_table(
        _in_order(result),
        column.name,
        also=list(dict.fromkeys(["tokens", *also])),
        summaries=[variant.name for variant in result.variants if _keeps_summaries(variant)],
        **options,
    )


def _keeps_summaries(variant: Variant) -> bool:
    """Whether the name of a variant, or of its strategy, says that it keeps summaries."""
    return any("summar" in name.casefold() for name in (variant.name, str(variant.settings.get(STRATEGY, ""))))


def score_column(result: StudyResult, score: str | None) -> ScoreColumn:
    """The column of this name, or the first that holds numbers; raises WrongArgument where there is none."""
    numbers = {column.name: column for column in result.columns if column.unit != "text"}
    if score is None and numbers:
        return next(iter(numbers.values()))
    if score is None:
        raise WrongArgument("the study has no scores that are numbers; Study(..., scorers=[...]) takes some")
    if score not in numbers:
        raise WrongArgument(f"the study has no score {plain(score, 40)!r}{nearest(score, list(numbers))}")
    return numbers[score]


def _in_order(result: StudyResult) -> pd.DataFrame:
    frame = result.frame()
    names = {variant.name: i for i, variant in enumerate(result.variants)}
    return frame.sort_values("variant", key=lambda column: column.map(names), kind="stable", ignore_index=True)
