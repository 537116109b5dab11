"""The nearest change of a lore entry on trial: the run or the scan with it, its price, and what else fires with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.api.build import rebuild
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook import Decision, LoreScan, with_change
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.processors import WorldbookProcessor

STEP = WorldbookProcessor.id
MOST_NAMED = 6


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
    if trace is None or "message" in change:
        return LoreTrial(None, scan.with_change(decision.key))
    books = [held.book for held in with_change(scan.scan_input, change, of=decision.lore).books]
    settings = {f"{STEP}.{name}": value for name, value in change.get("settings", {}).items()}
    after = rebuild(trace, books=books, settings=settings)
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


@dataclass(frozen=True, slots=True, eq=False)
class ChangeEffect:
    """Everything that a change does: tokens of the prompt, or of the lore alone where no run was built with it.

    `own` is the entry's decision where it fires with the change or fired before it; `came` and `went` are the others.
    Their tokens, what stands around `messages` more or fewer of them (`around`), and what the change does to the rest
    of the prompt (`elsewhere`), add up to `tokens`.
    """

    tokens: int
    in_prompt: bool
    own: Decision | None
    came: tuple[Decision, ...]
    went: tuple[Decision, ...]
    more_dropped: int = 0
    keeps_out: bool = False
    messages: int = 0
    around: int = 0
    elsewhere: int = 0

    def as_data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "of": "prompt" if self.in_prompt else "lore",
            "own": self.own.tokens if self.own else None,
            "fires": {one.key: one.tokens for one in self.came},
            "no_longer": {one.key: one.tokens for one in self.went},
            "more_dropped": self.more_dropped,
            "around": self.around,
            "elsewhere": self.elsewhere,
        }

    def __str__(self) -> str:
        more = counted(abs(self.tokens), "token")
        way = "more" if self.tokens >= 0 else "fewer"
        start = f"{more} {way} in the prompt" if self.in_prompt else f"{more} of lore {way}"
        parts = [f"its own {self.own.tokens:,}"] if self.own is not None and self.own.tokens is not None else []
        with_it = "without" if self.keeps_out else "with"
        parts += [f"{with_it} it {_fire(self.came)} {_named(self.came)}"] if self.came else []
        parts += [f"no longer {_named(self.went)}"] if self.went else []
        if self.around:
            is_own = abs(self.messages) == 1 and not (self.came or self.went)
            whose = "its message" if is_own else counted(abs(self.messages), "message")
            parts.append(f"{abs(self.around):,} around {whose}")
        if self.more_dropped:
            noun = counted(abs(self.more_dropped), "message")
            parts.append(f"{noun} {'more' if self.more_dropped > 0 else 'fewer'} dropped")
        if self.elsewhere:
            way = "more" if self.elsewhere > 0 else "fewer"
            parts.append(f"{abs(self.elsewhere):,} {way} around messages and in the rest of the prompt")
        return f"{start}: {'; '.join(parts)}" if parts else start


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


def _fire(found: Sequence[Decision]) -> str:
    return "fires" if len(found) == 1 else "fire"


def _named(found: Sequence[Decision]) -> str:
    shown = [f"{one.title} ({one.tokens or 0:,})" for one in found[:MOST_NAMED]]
    more = len(found) - MOST_NAMED
    if more > 0:
        shown.append(f"{more:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
