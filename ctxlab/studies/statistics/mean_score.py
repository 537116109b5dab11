"""The mean of a score with its interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.one_line import plain
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.statistics.conversation_totals import totals_of
from ctxlab.studies.statistics.interval import Interval, Method, interval_of

if TYPE_CHECKING:
    import pandas as pd

SHARE = (0.0, 1.0)
"""Bounds of a share."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean of a score over its cells; `interval` is None with fewer than two conversations.

    `sizes` are the fewest and the most cells of a conversation.
    """

    score: str
    mean: float
    interval: Interval | None
    cells: int
    cases: int
    conversations: int
    sizes: tuple[int, int] = (0, 0)

    def __repr__(self) -> str:
        between = f", {self.interval.low:.4g} to {self.interval.high:.4g}" if self.interval else ""
        return (
            f"MeanScore({plain(self.score, 40)!r}, {self.mean:.4g}{between}, "
            f"{self.cases:,} cases of {self.conversations:,} conversations)"
        )

    def as_row(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "mean": self.mean,
            "low": self.interval.low if self.interval else None,
            "high": self.interval.high if self.interval else None,
            "cells": self.cells,
            "cases": self.cases,
            "conversations": self.conversations,
            "method": self.interval.method if self.interval else None,
        }

    def frame(self) -> pd.DataFrame:
        """One row: score, mean, low, high, cells, cases, conversations, method."""
        return frame_of([self.as_row()])

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.as_row())


def mean_of(
    score: str,
    scores: Iterable[tuple[str, str, float]],
    *,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    method: Method = "auto",
) -> MeanScore | None:
    """The mean of scores, each given as conversation, case and value; None of nothing."""
    cells = list(scores)
    if not cells:
        return None
    totals = totals_of((conversation, value) for conversation, _, value in cells)
    return MeanScore(
        score=score,
        mean=totals.mean,
        interval=interval_of(totals, bounds=bounds, level=level, method=method),
        cells=len(cells),
        cases=len({(conversation, case) for conversation, case, _ in cells}),
        conversations=len(totals),
        sizes=(min(totals.counts), max(totals.counts)),
    )
