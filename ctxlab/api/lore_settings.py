"""Settings for all entries that make a blocked one fire, each tried in a run of its own, with that run's price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.api.lore_change import ChangeEffect, LoreTrial, effect_between, is_whole
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.engines.worldbook.settings_for_all import first_with, least_depth
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.processors import WorldbookProcessor
from ctxlab.processors.lore_budget import lore_budget

STEP = WorldbookProcessor.id
KEY_GATES = ("no-key", "secondary-keys")


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
