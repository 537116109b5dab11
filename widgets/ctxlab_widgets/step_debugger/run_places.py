"""Places in a run: how far it came, where a step of another run stands in it, what two runs share."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.pipeline import Debugger, Step, Trace


def debugger_at(trace: Trace, position: int) -> Debugger:
    debugger = Debugger(trace)
    for _ in trace.steps[:position]:
        debugger.step()
    return debugger


def place_in(run: Trace, done: Sequence[Step]) -> int | None:
    """The position in a run behind the step that was done last in another; None where it has no such step."""
    if not done:
        return 0
    last = next((step for step in reversed(done) if not step.edited), None)
    behind = len(done) - done.index(last) - 1 if last else len(done)
    ids = [None if step.edited else step.id for step in run.steps]
    if last is not None and last.id not in ids:
        return None
    at = 0 if last is None else ids.index(last.id) + 1
    while behind and at < len(ids) and ids[at] is None:
        at, behind = at + 1, behind - 1
    return at


def is_finished(trace: Trace) -> bool:
    return sum(not step.edited for step in trace.steps) == len(trace.pipeline.running())


def is_prefix(seen: Trace | None, trace: Trace) -> bool:
    """Whether what was shown last holds this run already, so that only the position moves."""
    return (
        seen is not None
        and seen.pipeline is trace.pipeline
        and seen.start is trace.start
        and len(seen.steps) >= len(trace.steps)
        and all(a is b for a, b in zip(seen.steps, trace.steps, strict=False))
    )


def is_same_run(a: Trace, b: Trace) -> bool:
    return is_prefix(a, b) and len(a.steps) == len(b.steps)


def is_same_conversation(a: Trace, b: Trace) -> bool:
    """Whether two runs are of the same conversation at the same place, so that comparing them says something."""
    return a.start.input.session is b.start.input.session and a.start.input.leaf_id == b.start.input.leaf_id


def steps_only_in(run: Trace, old: Trace) -> list[str]:
    known = {id(step) for step in old.steps}
    return [step.id for step in run.steps if id(step) not in known and not step.edited]
