"""What may be cut from a run, piece by piece, and the budget that each further piece needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ctxlab.context import Context
from ctxlab.engines.truncation import BudgetReport, newest_first
from ctxlab.pipeline import Step, Trace
from ctxlab.pipeline.explain.token_breakdown import LIMITER

AMPLE = 10**12
"""A budget that nothing exceeds."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What can only go or stay together, newest first, without what is protected.

    `ladder[n]` is the least budget for the prompt in which the newest `n` of them stay; the last keeps everything.
    `at` tells the unit of a message by its key.
    """

    ladder: tuple[int, ...]
    at: Mapping[str, int] = field(default_factory=dict[str, int])

    def __len__(self) -> int:
        return len(self.ladder) - 1


@dataclass(slots=True)
class Known:
    """The units that were asked for last: other budgets and other strategies leave them as they are."""

    before: Context | None = None
    counted: object = None
    units: Units | None = None

    def of(self, trace: Trace) -> Units | None:
        """The units of a run; None when it has no limiter."""
        step = limiter_step(trace)
        if step is None:
            return None
        settings = trace.pipeline.stage(LIMITER).processor.settings
        counted = (trace.services.tokenizer, _later_tokens(trace), getattr(settings, "overhead_tokens", None))
        if step.before is not self.before or counted != self.counted:
            self.before, self.counted, self.units = step.before, counted, _units(trace, step.before)
        return self.units


def limiter_step(trace: Trace) -> Step | None:
    """The step of a run that keeps to the budget; None when the run has none, or did not come to it."""
    return next((step for step in trace.steps if step.id == LIMITER), None)


def _units(trace: Trace, before: Context) -> Units | None:
    """Read off two runs of the limiter alone: one that keeps all, and one that keeps what must stay."""
    ample = _limited(trace, before, AMPLE)
    if ample is None:
        return None
    report = ample.report(BudgetReport)
    assert report is not None
    must = report.protected_tokens
    least = _limited(trace, before, max(1, must))
    kept = {draft.key for draft in least.drafts} if least is not None else set[str]()
    overhead = report.overhead_tokens
    counter = trace.services.tokenizer
    added = _later_tokens(trace) if overhead is None else overhead - counter.message_tokens
    ladder, at = [must], dict[str, int]()
    for unit in newest_first(ample.drafts):
        drafts = [ample.drafts[i] for i in unit.at]
        if not unit.orphan and not kept.issuperset(draft.key for draft in drafts):
            at.update((draft.key, len(ladder) - 1) for draft in drafts)
            ladder.append(ladder[-1] + sum(counter.count_draft(draft) + added for draft in drafts))
    return Units(tuple(ladder), at)


def _limited(trace: Trace, before: Context, tokens: int) -> Context | None:
    """What the limiter alone leaves of a context; None when it can't."""
    asked = {"budget_tokens": tokens, "reserve_tokens": 0, "strategy": "sliding", "retained_characters": 0}
    pipeline = trace.pipeline.with_settings({f"{LIMITER}.{name}": value for name, value in asked.items()})
    step = pipeline.step(pipeline.stage(LIMITER), before, trace.services)
    return step.after if step.failure is None and step.after.report(BudgetReport) else None


def _later_tokens(trace: Trace) -> int:
    return trace.pipeline.later_tokens(trace.pipeline.stage(LIMITER), trace.services)
