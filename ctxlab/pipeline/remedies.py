"""Remedies: the smallest change of settings that would have kept a message that a step dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ctxlab.context import Dropped
from ctxlab.context.step_report import Row, StepReport
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.service_calls import CallLog

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class LeastBudget:
    """The least budget above this run's that keeps a dropped message, in tokens as `budget_tokens` takes them.

    `whole_tokens` is the least that keeps it whole: less may keep only its head. `extra_tokens` and
    `extra_whole_tokens` are what these are above this run's.
    From `for_good` on every larger budget keeps it. Where one between drops it again, `lost_again_at` is the least
    that does, `kept_again_at` the least above that one that doesn't, and `gaps` the number of ranges that drop it.
    `with_keys` are dropped messages that come back only together with it.
    """

    tokens: int
    whole_tokens: int
    extra_tokens: int
    extra_whole_tokens: int
    for_good: int
    gaps: int = 0
    lost_again_at: int | None = None
    kept_again_at: int | None = None
    with_keys: tuple[str, ...] = ()

    @property
    def keeps_from_there_on(self) -> bool:
        """True if every larger budget keeps it too."""
        return self.lost_again_at is None

    def __str__(self) -> str:
        only_head = self.whole_tokens > self.tokens
        words = f"{counted(self.extra_tokens, 'more token')} would keep {'its head' if only_head else 'it'}"
        if only_head:
            words += f", {self.extra_whole_tokens:,} all of it"
        words += f": a budget of {self._ranges()}"
        if only_head and self.lost_again_at is None:
            words += f", or {self.whole_tokens:,}"
        elif only_head:
            words += f", and all of it from {self.whole_tokens:,} on"
        if self.with_keys:
            words += f"; with it {_named(self.with_keys)}"
        return words

    def _ranges(self) -> str:
        if self.lost_again_at is None:
            return f"{self.tokens:,} or more"
        most = self.lost_again_at - 1
        first = f"{self.tokens:,}" if most == self.tokens else f"{self.tokens:,} to {most:,}"
        between = f"; {self.gaps:,} gaps between" if self.gaps > 1 else ""
        return f"{first}, and for good from {self.for_good:,}{between}"

    def as_data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "whole_tokens": self.whole_tokens,
            "extra_tokens": self.extra_tokens,
            "extra_whole_tokens": self.extra_whole_tokens,
            "for_good": self.for_good,
            "gaps": self.gaps,
            "lost_again_at": self.lost_again_at,
            "kept_again_at": self.kept_again_at,
            "with_keys": list(self.with_keys),
        }


def _named(keys: Sequence[str]) -> str:
    shown = keys if len(keys) <= MOST_NAMED + 1 else keys[:MOST_NAMED]
    more = f" and {len(keys) - len(shown):,} more" if len(shown) < len(keys) else ""
    return ", ".join(shown) + more


@dataclass(frozen=True, slots=True)
class Remedy:
    """The smallest change of settings that keeps a dropped message, as `Trace.rerun` takes it, and a sentence.

    Without settings the sentence says why no change would keep it.
    """

    text: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    least_budget: LeastBudget | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def label(self) -> str:
        """The words of a button that makes the change; empty where there is none to make."""
        if not self.settings:
            return ""
        least = self.least_budget
        return "Keep its head" if least is not None and least.whole_tokens > least.tokens else "Keep it"

    @property
    def price(self) -> int | None:
        """Tokens by which the budget grows; None where the change isn't a larger budget."""
        return None if self.least_budget is None else self.least_budget.extra_tokens

    def as_data(self) -> dict[str, Any]:
        """The price as `{"tokens": 98, "of": "budget"}`, in the unit of other changes and with what grows by it."""
        price = None if self.price is None else {"tokens": self.price, "of": "budget"}
        return {"text": self.text, "label": self.label, "price": price, "able": bool(self.settings)}


BY_HAND = Remedy("no setting would keep it: a person took it out")


def remedies(trace: Trace, keys: Sequence[str]) -> dict[str, Remedy]:
    """The remedy for each of these messages, by key; messages that no step dropped are left out.

    Messages that one step dropped are looked up together, which shares the counting.
    """
    wanted = dict.fromkeys(keys)
    found: dict[str, Remedy] = {}
    for step in trace.steps:
        gone: dict[str, tuple[str, Dropped]] = {}
        for group in step.after.dropped[len(step.before.dropped) :]:
            for draft in group.drafts:
                if draft.key in wanted:
                    gone[draft.key] = draft.key, group
                for part in draft.merged:
                    if part.key in wanted:
                        gone[part.key] = draft.key, group
        if gone:
            own = {} if step.edited else _remedies_of(trace, step, [own for own, _ in gone.values()])
            found |= {key: own.get(known) or _unknown(step, group) for key, (known, group) in gone.items()}
    return found


def _remedies_of(trace: Trace, step: Step, keys: list[str]) -> Mapping[str, Remedy]:
    """Remedies from the step itself, run with the recorded answers of the services."""
    stage = trace.pipeline.stage(step.id)
    services = trace.pipeline.services_for(stage, trace.services.recorded_by(CallLog(list(step.calls))))
    return stage.processor.what_keeps(step.before, services, list(dict.fromkeys(keys)))


def drop_details(trace: Trace, step: Step, keys: Sequence[str]) -> Mapping[str, str]:
    """By key, what a step says of messages that it dropped beside the cause that they share with others."""
    if step.edited or not keys:
        return {}
    stage = trace.pipeline.stage(step.id)
    services = trace.pipeline.services_for(stage, trace.services.recorded_by(CallLog(list(step.calls))))
    return stage.processor.why_dropped(step.before, services, list(dict.fromkeys(keys)))


def rows_worked_out(trace: Trace, table: str) -> Sequence[Row] | None:
    """The rows of a table that a step works out when it is asked for; of several steps the last has it."""
    for step in reversed(trace.steps):
        stage = trace.pipeline.stage(step.id)
        if not (step.edited or step.skipped or step.failure):
            services = trace.pipeline.services_for(stage, trace.services.recorded_by(CallLog(list(step.calls))))
            rows = stage.processor.rows_of(table, step.before, services)
            if rows is not None:
                return rows
    return None


def columns_of_steps(trace: Trace, table: str) -> Sequence[str] | None:
    """The columns of a table by a step that ran, whether it left rows or not; None where no step has such a table."""
    done = [step.id for step in trace.steps if not (step.edited or step.skipped or step.failure)]
    found = (trace.pipeline.stage(id).processor.tables.get(table) for id in done)
    return next((columns for columns in found if columns is not None), None)


def rows_in_run(trace: Trace, report: StepReport) -> Sequence[Row]:
    """The rows of a report; where its nearest changes make the prompt longer, with the budget that each needs."""
    from ctxlab.pipeline.changes_in_budget import rows_in_budget

    return rows_in_budget(trace, report.rows()) if getattr(report, "changes_bring_in", False) else report.rows()


def _unknown(step: Step, group: Dropped) -> Remedy:
    if step.edited:
        return BY_HAND
    if group.needed is not None:
        return Remedy(f"{step.id} does not say what would keep it")
    return Remedy(f"no budget would keep it: {step.id} took it out, not for want of room")
