"""The outcome of a study: its frame, facts about its cases, and the way back to each single build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.guessed_names import WithHints
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.theme import ThemeName
from ctxlab.display.views import shown_as
from ctxlab.errors import UnknownName, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import ProcessorFailed, Trace
from ctxlab.studies.study.batches import CaseSource, cases_of
from ctxlab.studies.study.case import Case
from ctxlab.studies.study.case_builds import CaseBuilds, trace_taken_from
from ctxlab.studies.study.cell_rows import sound_text
from ctxlab.studies.study.cell_table import CellTable, cells_frame
from ctxlab.studies.study.files_read import FilesRead
from ctxlab.studies.study.plan import Cell, StudyPlan
from ctxlab.studies.study.scorer import ScoreColumn
from ctxlab.studies.study.variant import Variant

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from ctxlab.studies.study_table.study_table import StudyTable


@dataclass(frozen=True, slots=True, eq=False)
class StudyResult(WithHints):
    """Cells of a study, a row each. `cases` is their number, `left_out` are numbers of cases by why they are not in it.

    `notes` say which strategies were left out, and which kept cells could not be read and were built again. `reused` is
    the number of cells that were kept in the run's folder already.
    """

    plan: StudyPlan
    cell_table: CellTable
    source: CaseSource
    cases: int
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    files: FilesRead = field(default_factory=FilesRead, repr=False)
    reused: int = 0

    def __repr__(self) -> str:
        facts = (
            f"{len(self):,} cells of {self.cases:,} cases in {self.conversations:,} conversations",
            f"{len(self.variants)} variants",
            f"tokens by {self.tokenizer}",
            *([f"{self.errors:,} errors"] if self.errors else []),
        )
        return f"StudyResult({', '.join(facts)})"

    def _repr_html_(self) -> str:
        seed = ("seed",) if len(self.plan.seeds) > 1 else ()
        settings = ("settings",) if any(self.cell_table.columns["settings"]) else ()
        names = [
            *("case", "variant"),
            *settings,
            "budget",
            *seed,
            *("tokens", "cut_messages"),
            *self.cell_table.scores,
            "error",
        ]
        rows = ([self.cell_table.columns[name][i] for name in names] for i in range(len(self)))
        out = [f"left out: {count:,} {reason}" for reason, count in self.left_out.items()]
        return heading(self) + html_table(names, rows, cells=40, of="cells") + lines([*out, *self.notes])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        return shown_as("study", self)

    def __len__(self) -> int:
        return len(self.cell_table)

    @property
    def variants(self) -> tuple[Variant, ...]:
        return self.plan.variants

    @property
    def budgets(self) -> tuple[int | None, ...]:
        return self.plan.budgets

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        """The columns that the scorers filled, with their units, and whether more is better."""
        return self.plan.columns

    @property
    def tokenizer(self) -> str:
        """The name of the tokenizer, or that each model's own counted."""
        return self.plan.tokenizer_name

    @property
    def made_of(self) -> Mapping[str, Any]:
        """The record of what made the cells, in `cells.parquet` too: versions, hashes, what was set."""
        return self.cell_table.facts.made_of

    @property
    def conversations(self) -> int:
        """Number of conversations, which are what intervals and tests resample."""
        return len(set(self.cell_table.columns["conversation"]))

    @property
    def errors(self) -> int:
        """Number of cells that have an error in place of scores."""
        return sum(error is not None for error in self.cell_table.columns["error"])

    def frame(self) -> pd.DataFrame:
        """One row a cell: case, conversation, kind, variant, budget, seed, labels, tokens, messages, error and scores.

        Rows are sorted by conversation, case, variant, budget and seed. The frame's `attrs` know the units of the
        scores, the tokenizer and what was left out, as does the frame that pandas reads from `cells.parquet`.
        """
        return cells_frame(self.cell_table)

    @checked_arguments
    def table(
        self,
        score: str | None = None,
        *,
        by: Sequence[str] = ("variant",),
        budget: int | None = None,
        baseline: str | None = None,
        oracle: str | None = None,
        also: Sequence[str] = (),
    ) -> StudyTable:
        """The mean of a score by variant and budget with its interval, and the difference to a baseline.

        The score is by default the first; `by`, `baseline` and `oracle` are those of `ctxlab.study_table`, `also` are
        columns whose means are shown beside those of `tokens`.
        """
        from ctxlab.studies.study_table.result_table import result_table

        return result_table(self, score, also=also, by=by, budget=budget, baseline=baseline, oracle=oracle)

    @checked_arguments
    def figure(
        self,
        score: str | None = None,
        *,
        against: str = "budget",
        theme: ThemeName = "light",
        width: int | None = None,
    ) -> go.Figure:
        """A score by budget, or against the mean of another column, with intervals; a line a variant.

        The score is by default the first. Of a study without scorers it is the share of messages that is sent. With a
        `width` in pixels it is for the column of a paper; `table(score).caption` has the text around it.
        """
        if score is None and against == "budget" and not self.columns:
            from ctxlab.studies.study.survey_figure import survey_figure

            return survey_figure(self, theme, width)
        table = self.table(score, also=[] if against == "budget" else [against])
        return table.figure(against=against, theme=theme, width=width)

    @checked_arguments
    def pareto(
        self,
        score: str | None = None,
        *,
        cost: str = "tokens",
        budget: int | None = None,
        theme: ThemeName = "light",
    ) -> go.Figure:
        """A score against what it costs, a point a variant and budget: the frontier filled, the rest hollow."""
        return self.table(score, also=[cost]).pareto(cost=cost, budget=budget, theme=theme)

    @checked_arguments
    def trace(self, case: str, variant: str, budget: int | None = None, *, seed: int | None = None) -> Trace:
        """The build of one cell, made again; of one that failed the run up to the failure.

        Without a budget, or a seed, it is the only one of the study. Raises UnknownName for a cell that there is not,
        WrongArgument where the cases can be read only once.
        """
        cell = Cell(self._variant(variant), self._only("budget", budget), self._only("seed", seed))
        builds = CaseBuilds(self.plan, self._case(case))
        try:
            return builds.trace(cell)
        except ProcessorFailed as problem:
            trace = trace_taken_from(problem)
            if trace is None:
                raise
            return trace

    def _variant(self, name: str) -> Variant:
        found = {variant.name: variant for variant in self.variants}
        if name not in found:
            raise UnknownName(f"the study has no variant {name!r}{did_you_mean(name, list(found))}")
        return found[name]

    def _only(self, name: str, value: int | None) -> Any:
        known: tuple[int | None, ...] = self.plan.budgets if name == "budget" else self.plan.seeds
        if value is None and len(known) == 1:
            return known[0]
        if value is None and value not in known:
            there = ", ".join(["none" if each is None else f"{each:,}" for each in known])
            raise WrongArgument(f"the study has several {name}s: {there}; say which, as in {name}={known[0]}")
        if value not in known:
            raise UnknownName(f"the study has no {name} {value}; there are: {', '.join(map(str, known))}")
        return value

    def _case(self, case: str) -> Case:
        if iter_once(self.source):
            raise WrongArgument("the cases of this study could be read only once; give a list, or a function of them")
        found = next((each for each in cases_of(self.source) if case in (each.id, sound_text(each.id))), None)
        if found is None:
            known = list(dict.fromkeys(self.cell_table.columns["case"]))
            raise UnknownName(f"the study has no case {case!r}{did_you_mean(case, known)}")
        if not isinstance(found, Case):
            raise WrongArgument(f"case {case!r} could not be made: {found.problem}")
        return cast("Case", self.files.case(found))


def iter_once(source: Any) -> bool:
    """Whether cases can be read only once, as those of a generator that was begun."""
    return not callable(source) and hasattr(source, "__next__")
