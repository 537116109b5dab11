"""Changes of lore on trial: the run or the scan with one, its price, what else fires, and settings that do as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.context import Context
from ctxlab.engines.worldbook import Decision, LoreScan, with_change
from ctxlab.engines.worldbook.counterfactual.change_effect import ChangeEffect
from ctxlab.engines.worldbook.settings_for_all import first_with, least_depth
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.trace import run_of
from ctxlab.processors.lore_budget import lore_budget
from ctxlab.processors.worldbook_processor import WorldbookProcessor

STEP = WorldbookProcessor.id
KEY_GATES = ("no-key", "secondary-keys")


@dataclass(frozen=True, slots=True, eq=False)
class LoreTrial:
    """The lore with one change; `trace` is None where only the scan was made again."""

    trace: Trace | None
    scan: LoreScan


def trial_of(trace: Trace | None, scan: LoreScan, decision: Decision) -> LoreTrial:
    """The run built again with the changed book. A change that is a message is tried in the scan alone."""
    change = decision.nearest
    if not change:
        raise CtxlabError(f"no change is known for {decision.title!r}")
    if trace is None or change.message is not None:
        return LoreTrial(None, scan.with_change(decision.key))
    books = tuple([held.book for held in with_change(scan.scan_input, change, of=decision.lore).books])
    pipeline = trace.pipeline.with_settings({f"{STEP}.{name}": value for name, value in change.settings.items()})
    given = len(trace.start.notes) - len(trace.pipeline.warnings())
    context = Context(replace(trace.start.input, books=books), notes=trace.start.notes[:given])
    after = run_of(context, pipeline, trace.services, after=trace)
    found = after.result.report(LoreScan)
    if found is None:
        raise CtxlabError("with this change the run makes no scan of its lore")
    return LoreTrial(after, found)


def price_of(trial: LoreTrial, trace: Trace | None, scan: LoreScan) -> int | None:
    """Tokens that the prompt grows by, without a run those of the lore; None where that isn't known."""
    if trace is None:
        return trial.scan.spent_tokens - scan.spent_tokens
    if trial.trace is None or not (is_whole(trace) and is_whole(trial.trace)):
        return None
    return trial.trace.tokens - trace.tokens


def is_whole(trace: Trace) -> bool:
    """Whether every step of the run that is switched on was done, without an error."""
    enabled = sum(stage.enabled for stage in trace.pipeline.stages)
    return len(trace.steps) == enabled and all(step.error is None for step in trace.steps)


def effect_of(trace: Trace | None, scan: LoreScan, decision: Decision) -> ChangeEffect:
    """The effect of an entry's nearest change; of a run that isn't whole, and of a message, that on the lore alone.

    Raises CtxlabError where no change is known, or where the run can't be built with it.
    """
    trace = trace if trace is not None and is_whole(trace) else None
    return effect_between(trace, scan, trial_of(trace, scan, decision), decision)


def effect_between(trace: Trace | None, scan: LoreScan, trial: LoreTrial, decision: Decision) -> ChangeEffect:
    """Everything that differs between a run with its scan and those of a trial for an entry."""
    price = price_of(trial, trace, scan)
    was, now = {one.key for one in scan.fired}, {one.key for one in trial.scan.fired}
    after = {one.key: one for one in trial.scan.fired}
    own = decision if decision.fired else after.get(decision.key)
    came = tuple(one for one in trial.scan.fired if one.key not in was and one.key != decision.key)
    went = tuple(one for one in scan.fired if one.key not in now and one.key != decision.key)
    found = ChangeEffect(
        tokens=price if price is not None else trial.scan.spent_tokens - scan.spent_tokens,
        in_prompt=trace is not None and price is not None,
        own=own,
        came=came,
        went=went,
        keeps_out=decision.fired,
    )
    if trace is None or trial.trace is None or price is None:
        return found
    of_own = (own.tokens or 0) if own is not None and (decision.key in was) != (decision.key in now) else 0
    of_lore = _tokens(came) - _tokens(went) + (-of_own if decision.fired else of_own)
    dropped = _dropped(trial.trace) - _dropped(trace)
    messages = len(trial.trace.result.drafts) - len(trace.result.drafts)
    rest, around = price - of_lore, messages * trace.services.tokenizer.message_tokens
    is_around = rest == around and messages == len(came) - len(went) + (-1 if decision.fired else 1)
    return replace(
        found,
        more_dropped=dropped,
        messages=messages if is_around else 0,
        around=around if is_around else 0,
        elsewhere=0 if is_around else rest,
    )


def _tokens(found: Sequence[Decision]) -> int:
    return sum(one.tokens or 0 for one in found)


def _dropped(trace: Trace | None) -> int:
    groups = trace.result.dropped if trace is not None else ()
    return sum(len(group.drafts) for group in groups)


@dataclass(frozen=True, slots=True, eq=False)
class SettingForAll:
    """A setting of the worldbook step with which an entry fires, as `Trace.rerun` takes it, and all that it does."""

    name: str
    value: int
    effect: ChangeEffect
    budget: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        return {self.name: self.value}

    def __str__(self) -> str:
        return f"--set {self.name}={self.value}, for all entries{f': {self.budget}' if self.budget else ''}"

    def as_data(self) -> dict[str, Any]:
        return {"settings": self.settings, "said": str(self), "price": self.effect.as_data()}


def settings_that_fire(trace: Trace, scan: LoreScan, decision: Decision) -> tuple[SettingForAll, ...]:
    """The least scan depth and the least share for lore with which a blocked entry fires in a run of the whole.

    Only settings that decide for this entry and with which it fires are given: none for one that fires, for one with a
    depth of its own, where the budget is a cap's, and in a run that isn't whole. Of more than forty depths that bring
    a key into sight the first ones are tried, and the deepest.
    """
    if decision.fired or not is_whole(trace):
        return ()
    found: list[SettingForAll] = []
    for name, value in _candidates(trace, scan, decision):
        setting = f"{STEP}.{name}"
        try:
            after = trace.rerun({setting: value})
        except CtxlabError:  # with it there would be no prompt
            continue
        again = after.result.report(LoreScan)
        if again is None or not again[decision.key].fired:
            continue
        effect = effect_between(trace, scan, LoreTrial(after, again), decision)
        rules = again.scan_input.rules
        found.append(SettingForAll(setting, value, effect, _budget_change(scan, rules.budget_words, name)))
    return tuple(found)


def depth_is_the_settings(trace: Trace, decision: Decision) -> bool:
    """Whether the step's scan depth is that of an entry: neither the entry, its book nor the agent has its own."""
    agent, lore = trace.start.input.agent, decision.lore
    own = agent.worldbook_settings if agent else None
    of_agent = own.default_scan_depth if own else None
    return not lore.has_own_depth and of_agent is None


def _budget_change(scan: LoreScan, budget: str, name: str) -> str:
    if name != "budget_percent":
        return ""
    return f"a budget of {budget}, in place of {scan.scan_input.rules.budget_tokens or 0:,}"


def _candidates(trace: Trace, scan: LoreScan, decision: Decision) -> Iterator[tuple[str, int]]:
    if decision.gate in KEY_GATES and depth_is_the_settings(trace, decision):
        depth = least_depth(scan, decision)
        if depth is not None:
            yield "scan_depth", depth
    if decision.gate == "budget":
        percent = _least_percent(trace, scan, decision)
        if percent is not None:
            yield "budget_percent", percent


def _least_percent(trace: Trace, scan: LoreScan, decision: Decision) -> int | None:
    """The least whole share with which it fires; None where the budget isn't a share, or where not even all is enough.

    Every share is tried: a larger one may let others fire, which leave less for this one.
    """
    step = trace.pipeline.stage(STEP).processor
    if not isinstance(step, WorldbookProcessor):
        return None
    percent, cap = step.settings.budget_percent, step.settings.budget_cap_tokens
    rules = scan.scan_input.rules
    if not percent or rules.budget_tokens is None:
        return None
    shares: dict[int, int] = {}
    for share in range(int(percent) + 1, 101):
        tokens = lore_budget(trace.start.input, trace.services, percent=share, cap_tokens=cap).tokens
        if tokens is not None and tokens > rules.budget_tokens:
            shares.setdefault(tokens, share)
    at = first_with(scan.scan_input, decision, (replace(rules, budget_tokens=tokens) for tokens in shares))
    return None if at is None or at.budget_tokens is None else shares[at.budget_tokens]
