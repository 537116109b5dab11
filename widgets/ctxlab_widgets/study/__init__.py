"""A study: its variants with their intervals, what they cost, and the way down to the run of a single case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.studies.study import StudyResult
from ctxlab.studies.study.cell_rows import sentence_of
from ctxlab.studies.study_table import StudyTable
from ctxlab.studies.study_table.study_table import USUAL_BASELINE
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.study.payload import choices_json, view_json
from ctxlab_widgets.study.picked import cases_json, picked_json
from ctxlab_widgets.study.study_cells import StudyCells, cells_of, extras_of
from ctxlab_widgets.study.tables import BudgetTable, StudyTables

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab_widgets.study.study_page import StudyPage

MOST_PICKED = 2
NO_BUILDS = "these cells can't be built again: pass the result of ctxlab.Study(...).run(), which knows the cases"


class Study(Widget):
    """The variants of a study at one budget: means with intervals, differences to a baseline, scores against costs.

    `result` is what `ctxlab.Study(...).run()` gives, its frame, or the folder that it was kept in. A case that is
    opened is built again: its run is `trace`, which is shown below the table. Two picked variants are compared.

    >>> Study(study.run())  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    budget = traitlets.Int(None, allow_none=True).tag(sync=True)
    """The budget of the cells that are shown; None where cells have none."""
    kind = traitlets.Unicode("").tag(sync=True)
    """The kind of the cases that are shown; empty for all."""
    score = traitlets.Unicode("").tag(sync=True)
    """The column that is compared, such as `all_evidence`."""
    baseline = traitlets.Unicode("").tag(sync=True)
    """The variant that all others are compared with."""
    cost = traitlets.Unicode("").tag(sync=True)
    """The column to the right in the plot, such as `tokens`; one of which less is better."""
    picked: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Up to two variants whose cases are listed; of two the difference is told."""
    chosen: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Variants that the rectangle in the plot holds; empty when there is none, and all are shown alike."""
    listed = traitlets.Bool(False).tag(sync=True)
    """Whether the cases of what is picked are listed."""
    selected_case = traitlets.Unicode("").tag(sync=True)
    """Id of the case that was opened last; empty when none."""
    selected_variant = traitlets.Unicode("").tag(sync=True)
    """The variant under which it was opened."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run of the case that was opened; None when none was."""
    compared: traitlets.Dict[str, Trace] = traitlets.Dict()
    """The runs of one case by variant, when two were opened beside one another."""
    opened = traitlets.Unicode("").tag(sync=True)
    """A sentence on what was opened and where it is shown; empty when nothing was."""
    can_build = traitlets.Bool(False).tag(sync=True)
    """Whether cases can be opened: of a frame or a folder they can't be built again."""
    view = traitlets.Unicode("").tag(sync=True)
    """Rows, frontier and what they rest on, as JSON; empty when there is no study."""
    choices = traitlets.Unicode("").tag(sync=True)
    """Budgets, scores, baselines and costs as JSON."""
    pair = traitlets.Unicode("").tag(sync=True)
    """Sentences on the picked variants, as JSON; empty when none is picked."""
    cases = traitlets.Unicode("").tag(sync=True)
    """The listed cases as JSON; empty when none are."""

    _page: StudyPage | None = None

    @checked_arguments
    def __init__(
        self,
        result: StudyResult | pd.DataFrame | str | Path | None = None,
        *,
        score: str | None = None,
        budget: int | None = None,
        baseline: str | None = None,
        cost: str | None = None,
    ) -> None:
        self._cells: StudyCells | None = None if result is None else cells_of(result)
        self._tables = StudyTables(self._cells) if self._cells is not None else None
        self._is_ready = False
        self._drawn: tuple[object, ...] = ()
        super().__init__()
        if self._cells is not None and len(self._cells.frame):
            self._begin(self._cells, score, budget, baseline, cost)
        self.can_build = self._cells is not None and self._cells.result is not None
        self._is_ready = True
        self.show()

    def __repr__(self) -> str:
        return f"Study({self._cells.result!r})" if self._cells and self._cells.result else "Study()"

    @property
    def page(self) -> StudyPage:
        """The study, and below it the run that is opened: what a notebook shows of it."""
        if self._page is None:
            from ctxlab_widgets.study.study_page import StudyPage

            self._page = StudyPage(self)
        return self._page

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.page._repr_mimebundle_(**options)

    @property
    def table(self) -> StudyTable:
        """The table that is shown; raises CtxlabError when there is none."""
        return self._shown().table

    # --- commands

    def pick(self, variant: str) -> None:
        """Pick a variant, or put it back; of three the one that was picked first goes."""
        self._known("variant", variant, self._held().variants)
        picked = [each for each in self.picked if each != variant]
        self.picked = picked if len(picked) < len(self.picked) else [*picked, variant][-MOST_PICKED:]

    def open_case(self, case: str, variant: str, seed: int | None = None) -> Trace:
        """Build a cell again and show its run. Without a seed it is the only one of the study."""
        run = self._run_of(case, variant, seed)
        self.compared = {}
        self.selected_case, self.selected_variant = case, variant
        self.trace = run
        self.opened = self._where(f"{plain(case, 60)} under {plain(variant, 60)}", "StepDebugger(widget.trace)")
        return run

    def compare(self, case: str | None = None, seed: int | None = None) -> dict[str, Trace]:
        """The runs of a case under the two picked variants side by side, by default of the first that differs."""
        if len(self.picked) != MOST_PICKED:
            raise CtxlabError("pick two variants first")
        if case is None:
            rows = cases_json(self._shown(), self.picked)["rows"]
            if not rows:
                raise CtxlabError("the two differ in no case: name one")
            case, seed = str(rows[0]["case"]), rows[0]["seed"]
        runs = {variant: self._run_of(case, variant, seed) for variant in self.picked}
        self.selected_case, self.selected_variant = case, self.picked[0]
        self.trace = None
        self.compared = runs
        self.opened = self._where(f"{plain(case, 60)} under both", "Compare(widget.compared)")
        return runs

    def close(self) -> None:
        page, self._page = self._page, None
        super().close()
        if page is not None:
            page.close()

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "budget", "value": int(value) | (None as value)} if not isinstance(value, bool):
                self.budget = value
            case {"command": "score" | "baseline" | "cost" | "kind" as name, "value": str(value)}:
                setattr(self, name, value)
            case {"command": "pick", "variant": str(variant)}:
                self.pick(variant)
            case {"command": "unpick"}:
                self.picked = []
            case {"command": "cases"}:
                self.listed = not self.listed
            case {"command": "open", "case": str(case), "variant": str(variant), "seed": int(seed) | (None as seed)}:
                self.open_case(case, variant, seed)
            case {"command": "compare"}:
                self.compare()
            case {"command": "compare_case", "case": str(case), "seed": int(seed) | (None as seed)}:
                self.compare(case, seed)
            case {"command": "copy"}:
                extras = [each.name for each in extras_of(self._held(), self.score, self.cost)]
                self.send({"copied": self._shown().copied(extras)})
            case _:
                raise self._wrong_command(message)

    # --- what is shown

    def show(self) -> None:
        cells = self._cells
        if not self._is_ready or cells is None or not self.score:
            return
        shown = self._shown()
        with self.hold_sync():
            drawn = (shown, self.cost, self.kind)
            if self._drawn != drawn:
                self._drawn = drawn
                self.view = as_json(view_json(shown, self.cost, self.budget, self.kind))
                self.choices = as_json(choices_json(cells))
            picked = [each for each in self.picked if each in shown.groups and shown.groups[each].scores]
            self.pair = as_json(picked_json(shown, picked)) if picked else ""
            self.cases = as_json(cases_json(shown, picked)) if picked and self.listed else ""

    def _begin(
        self, cells: StudyCells, score: str | None, budget: int | None, baseline: str | None, cost: str | None
    ) -> None:
        """The first choices: what is given, else the largest budget, the usual baseline, prices before tokens."""
        if not cells.scores:
            return
        costs = [each.name for each in cells.costs]
        prices = [each.name for each in cells.scores if each.unit == "usd" and each.name in costs]
        names = cells.variants
        budgets = [each for each in cells.budgets if each is not None]
        with self.hold_trait_notifications():
            self.budget = budget if budget is not None else (budgets[-1] if budgets else None)
            self.score = score or cells.scores[0].name
            self.baseline = baseline or (USUAL_BASELINE if USUAL_BASELINE in names else names[0])
            self.cost = cost or next(iter([*prices, *costs]), "")

    def _shown(self) -> BudgetTable:
        self._held()
        if self._tables is None or not self.score:
            raise CtxlabError("the study has no scores that are numbers; Study(..., scorers=[...]) takes some")
        return self._tables.table(self.score, self.budget, self.baseline, self.kind)

    def _held(self) -> StudyCells:
        if self._cells is None:
            raise CtxlabError("there is no study: pass the result of ctxlab.Study(...).run()")
        return self._cells

    def _run_of(self, case: str, variant: str, seed: int | None) -> Trace:
        result = self._held().result
        if result is None:
            raise CtxlabError(NO_BUILDS)
        try:
            return result.trace(case, variant, self.budget, seed=seed)
        except CtxlabError:
            raise
        except Exception as problem:  # a case, or a step of somebody's, raises whatever it does
            raise CtxlabError(f"{plain(case, 60)} can't be built: {sentence_of(problem)}") from problem

    def _where(self, what: str, code: str) -> str:
        return f"{what} is below." if self._page is not None else f"{what} is in Python: {code} shows it."

    def _known(self, what: str, name: str, names: Sequence[str]) -> None:
        if name not in names:
            raise CtxlabError(f"the study has no {what} {plain(name, 40)!r}{nearest(name, names)}")

    # --- values that Python or the page sets

    @traitlets.validate("score", "baseline", "cost", "kind")
    def _known_name(self, proposal: Mapping[str, Any]) -> str:
        what, name = str(proposal["trait"].name), str(proposal["value"])
        cells = self._held()
        names = {
            "score": [each.name for each in cells.scores],
            "baseline": list(cells.variants),
            "cost": [each.name for each in cells.costs],
            "kind": list(cells.kinds),
        }
        if name or what not in ("cost", "kind"):
            self._known(what, name, names[what])
        return name

    @traitlets.validate("budget")
    def _known_budget(self, proposal: Mapping[str, Any]) -> int | None:
        value: int | None = proposal["value"]
        budgets = self._held().budgets
        if value not in budgets:
            there = ", ".join("none" if each is None else f"{each:,}" for each in budgets)
            raise CtxlabError(
                f"the study has no budget {'None' if value is None else f'{value:,}'}; there are: {there}"
            )
        return value

    @traitlets.validate("picked", "chosen")
    def _known_variants(self, proposal: Mapping[str, Any]) -> list[str]:
        names: list[str] = list(dict.fromkeys(proposal["value"]))
        known = self._held().variants
        for name in names:
            self._known("variant", name, known)
        if proposal["trait"].name == "picked" and len(names) > MOST_PICKED:
            raise WrongArgument("picked takes up to two variants")
        return names

    @traitlets.observe("budget", "kind", "score", "baseline", "cost", "picked", "listed")
    def _on_change(self, change: Mapping[str, Any]) -> None:
        if not self._is_ready:
            return
        if change["name"] == "picked":
            self.listed = self.listed and bool(self.picked)
        self.error = ""
        self.show()
