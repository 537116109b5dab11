"""Changes on trial in words: what fires with one and what doesn't any more, and the tokens of the lore."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab import Trace
from ctxlab.engines.worldbook import LoreScan

MOST_NAMED = 4


def scan_of(trace: Trace) -> LoreScan | None:
    """The scan that a run left, with what it was made from; None where it made none."""
    return trace.result.report(LoreScan)


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


def _named(titles: Sequence[str]) -> str:
    more = len(titles) - MOST_NAMED
    return ", ".join(titles[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
