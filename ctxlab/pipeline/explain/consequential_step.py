"""The step of a run that is worth looking at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.pipeline.explain.step_changes import changes

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace


def most_consequential_step(trace: Trace) -> int | None:
    """The position of the step that failed, else that cut most for want of room, else that changed most messages.

    Of equal ones the first. What a step puts into an empty context is no change. None where nothing changed.
    """
    failed = next((i for i, step in enumerate(trace.steps) if step.failure is not None), None)
    if failed is not None:
        return failed
    cut = [_cut_for_want_of_room(step) for step in trace.steps]
    if any(cut):
        return cut.index(max(cut))
    changed = [_changed(step, trace) for step in trace.steps]
    return changed.index(max(changed)) if any(changed) else None


def _cut_for_want_of_room(step: Step) -> int:
    groups = step.after.dropped[len(step.before.dropped) :]
    return sum(len(group.drafts) for group in groups if group.needed is not None)


def _changed(step: Step, trace: Trace) -> int:
    """The number of messages that a step added, rewrote, merged, moved or dropped."""
    if not step.before.drafts or step.before.drafts is step.after.drafts:
        return 0
    found = changes(step, trace.services.tokenizer)
    dropped = sum(len(group.drafts) for group in found.dropped)
    return len(found.added) + len(found.rewritten) + len(found.merged) + len(found.moved) + dropped
