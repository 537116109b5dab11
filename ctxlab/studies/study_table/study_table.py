"""A study as a table: by variant and budget the mean of a score, its interval, and the difference to a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.one_line import plain
from ctxlab.display.theme import ThemeName
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.statistics.interval import Method
from ctxlab.studies.statistics.mean_score import SHARE, MeanScore, mean_of
from ctxlab.studies.statistics.paired_difference import PairedDifference, difference_of, with_holm
from ctxlab.studies.study.frame_facts import FrameFacts
from ctxlab.studies.study.scorer import Better, ScoreColumn, Unit
from ctxlab.studies.study.settings_given import one_text
from ctxlab.studies.study_table.cells import GROUPED, CellGroup, cell_groups
from ctxlab.studies.study_table.mean_and_difference import Level, at_budget, checked_level, known_variant
from ctxlab.studies.study_table.score_columns import (
    KnownBetter,
    NumberUnit,
    chosen_score,
    known_column,
    refuse_no_shares,
)

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

USUAL_BASELINE, USUAL_ORACLE = "sliding", "oracle"


@dataclass(frozen=True, slots=True, eq=False)
class TableRow:
    """A variant at a budget. `mean` is None without a score, `difference` where there is none to the baseline.

    `labels` are the values of further columns that the table is made by, `also` the means of further columns.
    `settings` are those of the variant that aren't the defaults, as in `head_share=0.5`.
    """

    variant: str
    budget: int | None
    labels: Mapping[str, Any]
    mean: MeanScore | None
    difference: PairedDifference | None
    is_baseline: bool
    left_out: int
    also: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    worst_case: str = ""
    is_oracle: bool = False
    settings: str = ""

    @property
    def verdict(self) -> str:
        if self.is_baseline or self.is_oracle:
            return "baseline" if self.is_baseline else "oracle"
        return self.difference.verdict if self.difference is not None else "not compared"

    def as_row(self) -> dict[str, Any]:
        mean = self.mean.as_row() if self.mean else dict.fromkeys(("mean", "low", "high", "cases", "conversations"))
        numbers = {name: mean[name] for name in ("mean", "low", "high", "cases", "conversations")}
        difference = self.difference.as_row() if self.difference else {}
        names = {"variant": self.variant, "settings": self.settings, "budget": self.budget, **self.labels}
        also = {f"mean_{name}": value for name, value in self.also.items()}
        return {**names, **numbers, "left_out": self.left_out, **also, **difference, "verdict": self.verdict}


@dataclass(frozen=True, slots=True, eq=False)
class StudyTable:
    """Rows in the order of the frame, the baseline's first at each budget: nothing is ranked.

    `notes` say what the numbers rest on: tokenizer, cases and conversations, intervals, tests, what was left out.
    """

    score: str
    rows: tuple[TableRow, ...]
    baseline: str
    better: Better | None
    unit: Unit
    level: float
    notes: tuple[str, ...]
    summary: str

    def __repr__(self) -> str:
        score, baseline = plain(self.score, 40), plain(self.baseline, 40)
        return f"StudyTable({score!r}, {len(self.rows):,} rows, baseline {baseline!r})"

    def __str__(self) -> str:
        """The table in columns, at most 120 characters wide, with its summary below."""
        from ctxlab.studies.study_table.table_columns import table_columns

        return table_columns(self)

    @property
    def is_share(self) -> bool:
        """Whether the score is a share, which is shown as a number of a hundred."""
        return self.unit == "share"

    @property
    def budgets(self) -> tuple[int | None, ...]:
        return tuple(dict.fromkeys(row.budget for row in self.rows))

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.variant for row in self.rows))

    def frame(self) -> pd.DataFrame:
        """One row a variant and budget: mean, interval, difference to the baseline, p, effect, verdict.

        `conversations_needed` are those with which a difference as large as this one is found in 80 % of studies by a
        paired t test at the level that Holm asks of the smallest p at that budget, and no fewer than those from which
        on the exact test can tell anything apart there. It is missing where there is no spread to go by.
        """
        return frame_of([row.as_row() for row in self.rows], ("variant", "budget", "mean", "low", "high", "verdict"))

    def markdown(self) -> str:
        """The table and its notes to paste into a page."""
        from ctxlab.studies.study_table.table_text import table_markdown

        return table_markdown(self)

    @checked_arguments
    def figure(self, *, against: str = "budget", theme: ThemeName = "light", width: int | None = None) -> go.Figure:
        """Scores with their intervals by budget, or against the mean of another column, a line a variant.

        With a `width` in pixels, such as 340, it is for the column of a paper: names stand in a legend below, and what
        else stands around the plot is in `caption`.
        """
        from ctxlab.studies.study_table.scores_figure import scores_figure

        return scores_figure(self, against=against, theme=theme, width=width)

    @property
    def caption(self) -> str:
        """The sentence of result and all notes as one text, for the caption of a figure."""
        return " ".join([self.summary, *self.notes])

    @checked_arguments
    def pareto(self, *, cost: str = "tokens", budget: int | None = None, theme: ThemeName = "light") -> go.Figure:
        """Score against what it costs: the frontier filled and linked, what is dominated hollow."""
        from ctxlab.studies.study_table.pareto_figure import pareto_figure

        return pareto_figure(self, cost=cost, budget=budget, theme=theme)

    @checked_arguments
    def differences(self, *, budget: int | None = None, theme: ThemeName = "light") -> go.Figure:
        """Paired differences to the baseline with their intervals, a row each; open ones are hollow."""
        from ctxlab.studies.study_table.difference_figure import difference_figure

        return difference_figure(self, budget=budget, theme=theme)

    def _repr_html_(self) -> str:
        from ctxlab.studies.study_table.table_text import table_html

        return table_html(self)


@checked_arguments
def study_table(
    frame: pd.DataFrame,
    score: str | None = None,
    *,
    by: Sequence[str] = ("variant",),
    budget: int | None = None,
    baseline: str | None = None,
    oracle: str | None = None,
    unit: NumberUnit | None = None,
    better: KnownBetter = "auto",
    also: Sequence[str] | None = None,
    tokenizer: str | None = None,
    left_out: Sequence[str] | None = None,
    summaries: Sequence[str] | None = None,
    level: Level = 0.95,
    method: Method = "auto",
) -> StudyTable:
    """A study's frame as a table: a row for each variant and budget, compared with a baseline on the same cases.

    The score is by default `all_evidence`, or the only one that the frame has. The baseline is by default `sliding`
    where there is such a variant, else the first. The oracle, by default the variant `oracle`, is what nothing can
    beat: it is compared with none. `by` may name further columns (`kind`, a label). `also` are columns whose
    means are shown beside (by default `tokens`, where there is one). `unit` and `better` are by default those of the
    column, as in `mean_score`: of a column of which nothing is known neither more nor less is better. `tokenizer` and
    `left_out` (sentences) are named in the notes, by default those of the study's frame; `summaries` are the variants
    that keep summaries, by default those with "summar" in their name.
    """
    from ctxlab.studies.study_table.table_notes import table_notes, table_summary

    checked_level(level)
    score = chosen_score(frame, score)
    also = [name for name in ("tokens",) if name in frame.columns] if also is None else also
    groups = at_budget(cell_groups(frame, score, by=by, also=also), budget)
    names = list(dict.fromkeys(group.variant for group in groups))
    for name in (baseline, oracle):
        if name is not None:
            known_variant(groups, name)
    base = baseline or (USUAL_BASELINE if USUAL_BASELINE in names else next(iter(names), ""))
    extra = [name for name in dict.fromkeys(by) if name not in GROUPED]
    column = known_column(frame, score, unit=unit, better=better)
    refuse_no_shares(groups, column)
    made = [_row(group, base, column, extra, also, level, method) for group in groups]
    above = (oracle or USUAL_ORACLE) if base != (oracle or USUAL_ORACLE) else ""
    made = [replace(row, is_oracle=row.variant == above) for row in made]
    compared = _compared(groups, base, above, column, level, method)
    rows = [replace(row, difference=compared.get(i)) for i, row in enumerate(made)]
    rows = sorted(rows, key=lambda row: (_first(groups, row), not row.is_baseline))
    keeps = [name for name in names if "summar" in name.casefold()] if summaries is None else list(summaries)
    table = StudyTable(score, tuple(rows), base, column.better, column.unit, level, (), "")
    facts = FrameFacts.of_attrs(frame.attrs)
    notes = table_notes(
        table,
        tokenizer=facts.tokenizer if tokenizer is None else tokenizer,
        left_out=facts.left_out if left_out is None else left_out,
        summaries=keeps,
        failed=[pair for group in groups for pair in group.failed],
        without_score=[case for group in groups for case in group.without_score],
        titles={
            name: title
            for name in (score, *also)
            if (title := known_column(frame, name).title).replace(" ", "_") != name
        },
        record=facts.made_of,
    )
    return replace(table, notes=notes, summary=table_summary(table))


def _first(groups: Sequence[CellGroup], row: TableRow) -> int:
    """The place at which the frame meets a row's budget and labels."""
    place = (row.budget, *row.labels.values())
    return next(i for i, group in enumerate(groups) if group.place == place)


def _row(
    group: CellGroup,
    baseline: str,
    column: ScoreColumn,
    extra: Sequence[str],
    also: Sequence[str],
    level: float,
    method: Method,
) -> TableRow:
    bounds = SHARE if column.unit == "share" else None
    mean = mean_of(column.name, group.cells(), bounds=bounds, level=level, method=method)
    worst = min(group.scores, key=group.scores.__getitem__, default=None)
    return TableRow(
        variant=group.variant,
        budget=group.budget,
        labels=dict(zip(extra, group.values, strict=True)),
        mean=mean,
        difference=None,
        is_baseline=group.variant == baseline,
        left_out=len(group.failed) + len(group.without_score),
        also={name: group.mean_of(name) for name in also},
        worst_case=worst.case if worst is not None else "",
        settings=one_text(group.settings),
    )


def _compared(
    groups: Sequence[CellGroup],
    baseline: str,
    oracle: str,
    column: ScoreColumn,
    level: float,
    method: Method,
) -> dict[int, PairedDifference]:
    """Differences to the baseline by the group's number, corrected for all comparisons at the same budget."""
    bases = {group.place: group for group in groups if group.variant == baseline}
    found: dict[int, PairedDifference] = {}
    for i, group in enumerate(groups):
        base = bases.get(group.place)
        if base is None or base is group or group.variant == oracle:
            continue
        pair = (group.variant, group.scores), (base.variant, base.scores)
        made = difference_of(
            *pair,
            score=column.name,
            better=column.better,
            is_share=column.unit == "share",
            level=level,
            method=method,
        )
        if made is not None:
            found[i] = made
    corrected: dict[int, PairedDifference] = {}
    by_budget = sorted(found, key=lambda i: (groups[i].budget is not None, groups[i].budget or 0))
    for _, numbers in groupby(by_budget, key=lambda i: groups[i].budget):
        family = list(numbers)
        corrected |= dict(zip(family, with_holm([found[i] for i in family]), strict=True))
    return corrected
