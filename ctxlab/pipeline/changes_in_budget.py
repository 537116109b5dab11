"""Changes of settings that make a prompt longer, tried: where they don't fit the budget, the one that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ctxlab.context.step_report import PromptLimit, Row
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.failures import BudgetTooSmall

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

AROUND_TOKENS = 50
"""Tokens around one more piece of text, generously; with twice its own it is never longer."""

_tried: WeakKeyDictionary[Trace, dict[str, ChangeInBudget]] = WeakKeyDictionary()
"""By run the changes that were tried of it, by their settings: a table that is asked for again builds nothing."""
Rerun = Callable[[Mapping[str, Any]], object]


@dataclass(frozen=True, slots=True)
class ChangeInBudget:
    """Settings for `Trace.rerun` and what they change, in words, both with the budget that they need."""

    settings: Mapping[str, Any]
    words: str = ""


def change_in_budget(
    trace: Trace, settings: Mapping[str, Any], words: str = "", *, rerun: Rerun | None = None
) -> ChangeInBudget:
    """The change as it is where the run with it can be built, else with the least budget that holds what must stay.

    `rerun` is taken instead of the trace's own, such as one that remembers.
    """
    if not settings:
        return ChangeInBudget(settings, words)
    try:
        (rerun or trace.rerun)(settings)
    except BudgetTooSmall as problem:
        budget = _budget_of(trace) or problem.budget
        with_budget = {**settings, f"{problem.processor}.budget_tokens": problem.least_budget}
        raised = f"budget {budget:,} → {problem.least_budget:,}"
        return ChangeInBudget(with_budget, "; ".join(filter(None, (words, raised))))
    except CtxlabError:  # trying it says why
        return ChangeInBudget(settings, words)
    return ChangeInBudget(settings, words)


def rows_in_budget(trace: Trace, rows: Iterable[Row]) -> list[Row]:
    """Rows whose `nearest` are settings that bring in more of `content`, each with the budget that it needs."""
    rows = list(rows)
    if _surely_fits(trace, rows):
        return rows
    tried = _tried.setdefault(trace, {})
    found: list[Row] = []
    for row in rows:
        settings = row["nearest"]
        if settings:
            name = repr(settings)
            if name not in tried:
                tried[name] = change_in_budget(trace, settings, row["remedy"])
            row = {**row, "nearest": dict(tried[name].settings), "remedy": tried[name].words}
        found.append(row)
    return found


def _surely_fits(trace: Trace, rows: list[Row]) -> bool:
    """Whether the budget is none, or holds all contents, whatever goes around them."""
    budget = _budget_of(trace)
    if budget is None:
        return all(step.failure is None for step in trace.steps)
    count = trace.services.tokenizer.count
    more = sum([2 * count(row.get("content") or "") + AROUND_TOKENS for row in rows])
    return trace.tokens + more <= budget


def _budget_of(trace: Trace) -> int | None:
    return next((each.budget_tokens for each in trace.result.reports if isinstance(each, PromptLimit)), None)
