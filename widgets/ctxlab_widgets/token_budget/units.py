"""Units that may be cut from a run, and the budget that each further one needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ctxlab.context import Context
from ctxlab.engines.truncation import BudgetReport, UnitCosts
from ctxlab.errors import UnknownProcessor
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Step, Trace
from ctxlab.processors import TokenLimiter


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Messages that can only go or stay together, newest first, without protected ones.

    `ladder[n]` is the least budget for the prompt in which the newest `n` of them stay; the last keeps everything.
    `at` tells the unit of a message by its key.
    """

    ladder: tuple[int, ...]
    at: Mapping[str, int] = field(default_factory=dict[str, int])

    def __len__(self) -> int:
        return len(self.ladder) - 1


@dataclass(slots=True)
class UnitsCache:
    """The units that were asked for last: other budgets and other strategies leave them as they are."""

    before: Context | None = None
    counted: tuple[object, ...] = ()
    units: Units | None = None

    def of(self, trace: Trace) -> Units | None:
        """The units of a run; None when it has no limiter."""
        step = limiter_step(trace)
        costs = _costs(trace, step) if step is not None else None
        if step is None or costs is None:
            return None
        counted = (trace.services.tokenizer, costs.cost_of.added_tokens)
        if step.before is not self.before or counted != self.counted:
            self.before, self.counted, self.units = step.before, counted, _units(costs)
        return self.units


def limiter_step(trace: Trace) -> Step | None:
    """The step of a run that keeps to the budget; None when the run has none, or did not come to it."""
    return next((step for step in trace.steps if step.id == TokenLimiter.id), None)


def _costs(trace: Trace, step: Step) -> UnitCosts | None:
    """Costs of the limiter's units; where nothing limits the run, those it would have."""
    report = next((report for report in step.reports if isinstance(report, BudgetReport)), None)
    if report is not None:
        return report.costs
    try:
        stage = trace.pipeline.stage(step.id)
    except UnknownProcessor:
        return None
    limiter, services = stage.processor, trace.pipeline.services_for(stage, trace.services)
    return limiter.unit_costs(step.before, services) if isinstance(limiter, TokenLimiter) else None


def _units(costs: UnitCosts) -> Units:
    ladder, at = [costs.protected_tokens], dict[str, int]()
    for unit in costs:
        at.update(dict.fromkeys(unit.keys, len(ladder) - 1))
        ladder.append(ladder[-1] + unit.tokens)
    return Units(tuple(ladder), at)
