"""Tables of a study at one budget, each made once, and the difference of any two of its variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import plain
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.statistics import PairedDifference
from ctxlab.studies.study_table import StudyTable, study_table
from ctxlab.studies.study_table.cells import CellGroup, cell_groups
from ctxlab.studies.study_table.mean_and_difference import paired_difference
from ctxlab_widgets.study.study_cells import StudyCells

if TYPE_CHECKING:
    import pandas as pd

MOST_TABLES = 24


@dataclass(eq=False)
class BudgetTable:
    """The table of one score at one budget against one baseline."""

    cells: StudyCells
    frame: pd.DataFrame
    table: StudyTable

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """Variants with a score that are compared with one another: all but the oracle."""
        return tuple([row.variant for row in self.table.rows if row.mean is not None and not row.is_oracle])

    @property
    def pairs(self) -> int:
        """The number of pairs that somebody may pick."""
        return len(self.compared) * (len(self.compared) - 1) // 2

    @cached_property
    def groups(self) -> dict[str, CellGroup]:
        return {group.variant: group for group in cell_groups(self.frame, self.table.score)}

    def difference(self, first: str, second: str) -> PairedDifference:
        """The difference of two variants, with p corrected: for the table's comparisons, or for all pairs there are."""
        found = paired_difference(
            self.frame,
            first,
            second,
            score=self.table.score,
            unit=self.cells.unit(self.table.score),
            better=self.table.better,
        )
        base = self.table.baseline
        if base in (first, second):
            other = second if first == base else first
            row = next((row for row in self.table.rows if row.variant == other), None)
            if row is not None and row.difference is not None:
                return replace(found, p_holm=row.difference.p_holm, comparisons=row.difference.comparisons)
        return replace(found, p_holm=min(1.0, found.p * max(1, self.pairs)), comparisons=max(1, self.pairs))

    def copied(self, extras: Sequence[str]) -> str:
        """The table as Markdown, with the columns that are shown."""
        rows = [
            replace(row, also={name: row.also[name] for name in extras if name in row.also}) for row in self.table.rows
        ]
        return replace(self.table, rows=tuple(rows)).markdown()


class StudyTables:
    """Makes the tables of a study; those that were asked for last are kept."""

    def __init__(self, cells: StudyCells) -> None:
        self.cells = cells
        self._made: dict[tuple[Any, ...], BudgetTable] = {}

    def table(self, score: str, budget: int | None, baseline: str, kind: str = "") -> BudgetTable:
        """The table, of one kind of case or of all; raises CtxlabError for a baseline without cells at this budget."""
        key = (score, budget, baseline, kind)
        if key not in self._made:
            if len(self._made) >= MOST_TABLES:
                self._made.pop(next(iter(self._made)))
            self._made[key] = self._table(score, budget, baseline, kind)
        return self._made[key]

    def _table(self, score: str, budget: int | None, baseline: str, kind: str) -> BudgetTable:
        cells = self.cells
        frame = cells.at(budget, kind)
        if frame.empty:
            of = f" of kind {plain(kind, 40)!r}" if kind else ""
            at = "no budget" if budget is None else f"budget {budget:,}"
            raise CtxlabError(f"the study has no cells{of} at {at}")
        also = list(dict.fromkeys([*(each.name for each in cells.costs), *(each.name for each in cells.scores)]))
        table = study_table(
            frame,
            score,
            baseline=baseline or None,
            unit=cells.unit(score),
            better=cells.column(score).better,
            also=[name for name in also if name != score],
            tokenizer=cells.tokenizer,
            left_out=cells.left_out,
        )
        return BudgetTable(cells, frame, table)
