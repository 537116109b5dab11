"""Scorers that had nothing to score in any cell, and what they go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.display.one_line import plain
from ctxlab.studies.study.cell_table import CellTable
from ctxlab.studies.study.scorer import Scorer


def missing_scores(table: CellTable, scorers: Sequence[Scorer]) -> Iterator[str]:
    """A sentence for each scorer without a value in any cell that was built; `needs` of a scorer says what it lacks."""
    errors = table.columns["error"]
    built = [i for i in range(len(table)) if errors[i] is None]
    for scorer in scorers if built else ():
        values = [table.columns[column.name] for column in scorer.columns]
        if values and not any(each[i] is not None for each in values for i in built):
            needs = getattr(scorer, "needs", "")
            why = f": {needs}" if isinstance(needs, str) and needs else ""
            yield f"scorer {plain(scorer.name)!r} has no score in any cell{why}"
