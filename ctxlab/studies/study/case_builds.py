"""Builds of one case under variants, budgets and seeds, in which what they have in common is built once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, ProcessorFailed, Trace
from ctxlab.processors import TokenLimiter
from ctxlab.studies.study.case import Case
from ctxlab.studies.study.plan import Cell, StudyPlan, refuse_own_options
from ctxlab.studies.study.variant import Variant

BUDGET = f"{TokenLimiter.id}.budget_tokens"
MOST_BASES = 48
"""Builds up to the limiter that are kept for one case: one at each leaf that a scorer looks at."""

_Base = Trace | Exception


class CaseBuilds:
    """Builds of one case. Each equals `ctxlab.build` with the options of case and variant, that budget and that seed.

    Up to the limiter there is one build for all variants that have the same options.
    """

    def __init__(self, plan: StudyPlan, case: Case) -> None:
        self.case = case
        self._plan = plan
        self._groups, self._rooms = _likes(plan)
        self._changed: dict[str, Case] = {}
        self._bases: OrderedDict[tuple[str, int, str | None], _Base] = OrderedDict()
        self._protected: OrderedDict[tuple[str, int, str | None], int] = OrderedDict()

    def case_of(self, variant: Variant) -> Case:
        """The case as a variant changes it."""
        if variant.change is None:
            return self.case
        if variant.name not in self._changed:
            self._changed[variant.name] = variant.change(self.case)
        return self._changed[variant.name]

    def trace(self, cell: Cell, leaf: str | None = None) -> Trace:
        """The build of a cell; with a leaf that of the conversation up to that message, without the question.

        Raises what `ctxlab.build` raises.
        """
        base = self._base(cell, leaf)
        settings = dict(cell.variant.settings)
        if cell.budget is not None:
            beside = self._protected_tokens(base, cell, leaf) if self._plan.budget_of == "history" else 0
            settings[BUDGET] = cell.budget + beside
        return base.rerun(settings)

    def _base(self, cell: Cell, leaf: str | None) -> Trace:
        """The build that cells have in common, without the settings of variants; raises its error each time."""
        variant = cell.variant
        key = (self._groups[variant.name], cell.seed, leaf)
        if key not in self._bases:
            try:
                self._bases[key] = self._built(cell, leaf)
            except Exception as problem:  # the error of every cell of the group, whatever a case does
                self._bases[key] = problem
        base = _recent(self._bases, key)
        if isinstance(base, Exception):
            raise base.with_traceback(None)
        return base

    def _built(self, cell: Cell, leaf: str | None) -> Trace:
        case = self.case_of(cell.variant)
        refuse_own_options(case.options, f"case {case.id!r}")
        layers = (self._plan.options, case.options, cell.variant.options)
        options: dict[str, Any] = {name: value for layer in layers for name, value in layer.items()}
        settings = {name: value for layer in layers for name, value in (layer.get("settings") or {}).items()}
        options |= {"seed": cell.seed, "settings": settings}
        if None not in self._plan.budgets:  # the limiter stops before it counts the history, which a rerun cuts anyway
            settings[BUDGET] = 1
        if leaf is not None or case.leaf is not None:
            options["leaf"] = leaf if leaf is not None else case.leaf
        if leaf is None and case.question is not None:
            options["pending"] = case.question
        if self._plan.tokenizer is not None:
            options["tokenizer"] = self._plan.tokenizer
        try:
            return self._plan.build(case.session, **options)
        except ProcessorFailed as problem:
            trace = trace_taken_from(problem)
            if trace is None:
                raise
            return before_failure(trace)

    def _protected_tokens(self, base: Trace, cell: Cell, leaf: str | None) -> int:
        """Tokens of what must stay under a variant, whatever the budget is."""
        key = (self._rooms[cell.variant.name], cell.seed, leaf)
        if key not in self._protected:
            self._protected[key] = protected_tokens(base, cell.variant.settings)
        return _recent(self._protected, key)


@lru_cache(maxsize=2)
def _likes(plan: StudyPlan) -> tuple[dict[str, str], dict[str, str]]:
    """Which variants have builds in common, and which as much that must stay."""
    return plan.groups(), plan.rooms()


def trace_taken_from(problem: Exception) -> Trace | None:
    """The run that an error ended, without which the error is not held by its own run: a ring that waits for the gc."""
    trace, problem.__traceback__ = getattr(problem, "trace", None), None
    if isinstance(problem, ProcessorFailed):
        problem.trace = None
    return trace


def before_failure(trace: Trace) -> Trace:
    """The steps of a run up to the one that failed, from which a rerun with other settings can go on."""
    at = next((i for i, step in enumerate(trace.steps) if step.failure is not None), len(trace.steps))
    return replace(trace, steps=trace.steps[:at])


def protected_tokens(base: Trace, settings: Mapping[str, Any]) -> int:
    """Tokens of what no budget cuts: the question, presets, tool definitions and the request itself."""
    try:
        least = base.rerun({**settings, BUDGET: 1})
    except BudgetTooSmall as problem:
        trace_taken_from(problem)
        return problem.least_budget
    except ProcessorFailed as problem:
        trace = trace_taken_from(problem)
        if trace is None:
            raise
        least = trace
    report = least.result.report(BudgetReport)
    return report.protected_tokens if report is not None else 0


def _recent(kept: OrderedDict[Any, Any], key: object) -> Any:
    """The value of a key, which is the last to go; those that were asked for longest ago go."""
    kept.move_to_end(key)
    if len(kept) > MOST_BASES:
        kept.popitem(last=False)
    return kept[key]


def at_leaves(builds: CaseBuilds, cell: Cell) -> Callable[[str], Trace]:
    """The build of a cell at other messages of its conversation; each is built once for all scorers of the cell."""
    found: dict[str, Trace] = {}

    def at(leaf: str) -> Trace:
        if leaf not in found:
            found[leaf] = builds.trace(cell, leaf)
        return found[leaf]

    return at
