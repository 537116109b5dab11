"""Changes on trial: the run or the scan with the nearest change of an entry, its price, and what it did in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ctxlab
from ctxlab import Trace
from ctxlab.engines.worldbook import Decision, LoreScan, with_change
from ctxlab.errors import CtxlabError
from ctxlab.processors import WorldbookProcessor

STEP = WorldbookProcessor.id
MOST_NAMED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """The lore with one change; `trace` is None where only the scan was made again."""

    trace: Trace | None
    scan: LoreScan


def scan_of(trace: Trace) -> LoreScan | None:
    """The scan that a run left, with what it was made from; None where it made none."""
    return trace.result.report(LoreScan)


def trial_of(trace: Trace | None, scan: LoreScan, decision: Decision) -> Trial:
    """The run built again with the changed book. A change that is a message is tried in the scan alone."""
    change = decision.nearest
    if not change:
        raise CtxlabError(f"no change is known for {decision.title!r}")
    if trace is None or "message" in change:
        return Trial(None, scan.with_change(decision.key))
    books = [held.book for held in with_change(scan.scan_input, change, of=decision.lore).books]
    settings = {f"{STEP}.{name}": value for name, value in change.get("settings", {}).items()}
    after = ctxlab.rebuild(trace, books=books, settings=settings)
    found = scan_of(after)
    if found is None:
        raise CtxlabError("with this change the run makes no scan of its lore")
    return Trial(after, found)


def price_of(trial: Trial, trace: Trace | None, scan: LoreScan) -> int | None:
    """Tokens that the prompt grows by, without a run those of the lore; None where that isn't known."""
    if trace is None:
        return trial.scan.spent_tokens - scan.spent_tokens
    if trial.trace is None or not (_is_whole(trace) and _is_whole(trial.trace)):
        return None
    return trial.trace.tokens - trace.tokens


def turned(before: LoreScan, after: LoreScan) -> str:
    """The entries that fire now and didn't, and those that don't any more."""
    was, now = {one.key for one in before.fired}, {one.key for one in after.fired}
    came = [one.title for one in after.fired if one.key not in was]
    went = [one.title for one in before.fired if one.key not in now]
    parts = [f"fires now: {_named(came)}" if came else "", f"no longer: {_named(went)}" if went else ""]
    words = "; ".join(filter(None, parts)) or "nothing else fires"
    return f"{words[:1].upper()}{words[1:]}."


def scan_effect(before: LoreScan, after: LoreScan, *, in_run: bool) -> str:
    """The effect of a change on a scan, where no run was built again."""
    tokens = after.spent_tokens - before.spent_tokens
    more = f"{tokens:+,}" if tokens else "±0"
    noun = "token" if abs(tokens) == 1 else "tokens"
    return f"{more} {noun} of lore" + ("; only the scan was made again, the run is as it was" if in_run else "")


def _is_whole(trace: Trace) -> bool:
    enabled = sum(stage.enabled for stage in trace.pipeline.stages)
    return len(trace.steps) == enabled and all(step.error is None for step in trace.steps)


def _named(titles: Sequence[str]) -> str:
    more = len(titles) - MOST_NAMED
    return ", ".join(titles[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
