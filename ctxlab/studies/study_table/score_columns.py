"""Facts of a column of scores: from the caller, from the frame of the study, or from the scorer of that name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ctxlab.display.one_line import plain
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.frame_facts import FrameFacts
from ctxlab.studies.study.scorer import Better, ScoreColumn
from ctxlab.studies.study_table.cells import CellGroup

if TYPE_CHECKING:
    import pandas as pd

NumberUnit = Literal["share", "tokens", "messages", "usd", "number"]
OF_EVERY_STUDY = {
    "tokens": ScoreColumn("tokens", "tokens of the prompt", "tokens", "lower"),
    "messages": ScoreColumn("messages", "messages of the prompt, after merging", "messages"),
    "cut_messages": ScoreColumn("cut_messages", "messages of the history that were cut", "messages"),
}
"""Columns of numbers that every study has."""
KnownBetter = Better | Literal["auto"] | None


def known_column(
    frame: pd.DataFrame, score: str, *, unit: NumberUnit | None = None, better: KnownBetter = "auto"
) -> ScoreColumn:
    """The column with its unit and its direction, of which those that are given count first.

    Else they are those in the frame's `attrs`, as a study leaves them, or those of the scorer that fills a column of
    this name. Of any other column nothing is known: it is a number of which neither more nor less is better.
    """
    of_frame = {column.name: column for column in FrameFacts.of_attrs(frame.attrs).columns}
    named = {**scorer_columns(), **of_frame}
    found = OF_EVERY_STUDY.get(score) or named.get(score) or ScoreColumn(score, score, "number")
    return replace(found, unit=unit or found.unit, better=found.better if better == "auto" else better)


USUAL_SCORE = "all_evidence"
"""The score of a table of which none is named, where the frame has it."""


def chosen_score(frame: pd.DataFrame, score: str | None) -> str:
    """The score that is given, else `all_evidence`, else the only one that the frame has.

    Raises WrongArgument, with those that there are, where it has several others or none.
    """
    there = [str(name) for name in frame.columns]
    if score is not None or USUAL_SCORE in there:
        return USUAL_SCORE if score is None else score
    known = scorer_columns() | {column.name: column for column in FrameFacts.of_attrs(frame.attrs).columns}
    numbers = [name for name, column in known.items() if column.unit != "text" and name in there]
    if len(numbers) == 1:
        return numbers[0]
    if not numbers:
        raise WrongArgument("the frame has no column that is known as a score; give score=, the name of a column")
    raise WrongArgument(f"the frame has {len(numbers)} scores; give score=, one of: {', '.join(map(plain, numbers))}")


def scorer_columns() -> dict[str, ScoreColumn]:
    """The columns of every scorer that can be named, by their names."""
    from ctxlab.studies.scorers.registry import scorers

    return {column.name: column for scorer in scorers().by_name.values() for column in scorer.columns}


def refuse_no_shares(groups: tuple[CellGroup, ...], column: ScoreColumn) -> None:
    """Raise WrongArgument for a share that is not in [0, 1]."""
    if column.unit != "share":
        return
    wrong = next((value for group in groups for value in group.scores.values() if not 0 <= value <= 1), None)
    if wrong is not None:
        name = plain(column.name, 40)
        raise WrongArgument(
            f"column {name!r} has {wrong:g}, and a share is from 0 to 1; unit='number' takes any number"
        )
