"""Edits by hand that one run has and the other doesn't."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.context import Context, Draft
from ctxlab.pipeline import Debugger, Trace
from ctxlab.pipeline.edits_by_hand import EditByHand, edits_in
from ctxlab.pipeline.explain.message_names import named
from ctxlab.studies.run_changes.change import RunChange


def edit_changes(before: Trace, after: Trace) -> Iterator[RunChange]:
    """A change for each edit that was made, and one for those that were taken back."""
    old, new = edits_in(before.steps), edits_in(after.steps)
    known, now = ({id(edit.made) for edit in edits} for edits in (old, new))
    gone = [edit for edit in old if id(edit.made) not in now]
    if gone:
        touched = [draft for edit in gone for draft in _touched(edit.made.before, edit.made.after)]
        yield RunChange(f"edit of {named(touched)} taken back" if touched else "edit taken back")
    for edit in new:
        if id(edit.made) not in known:
            yield RunChange(_label(edit), _code(before, after, edit))


def _touched(before: Context, after: Context) -> list[Draft]:
    """The messages that an edit rewrote, put in or took out."""
    was = {draft.key: draft for draft in before.drafts}
    there = {draft.key for draft in after.drafts}
    changed = [draft for draft in after.drafts if was.get(draft.key) is not draft]
    return [*changed, *(draft for draft in before.drafts if draft.key not in there)]


def _label(edit: EditByHand) -> str:
    touched = _touched(edit.made.before, edit.made.after)
    return f"{named(touched)} edited by hand" if touched else "edited by hand"


def _code(before: Trace, after: Trace, edit: EditByHand) -> str:
    """Code for other words in one message, where it gives this very run; empty for any other edit."""
    touched = _touched(edit.made.before, edit.made.after)
    ids = [draft.key for draft in edit.made.before.drafts]
    if len(touched) != 1 or ids != [draft.key for draft in edit.made.after.drafts]:
        return ""
    words, running = str(touched[0].text), [stage.id for stage in before.pipeline.running()]
    behind = edit.behind[-1] if edit.behind else None
    following = running[running.index(behind) + 1 :] if behind in running else running
    until = following[0] if following else None
    debugger = Debugger(before)
    debugger.run_until(until)
    if debugger.context.draft(touched[0].key) is None:
        return ""
    debugger.reword(touched[0].key, words)
    made = debugger.finished()
    if [str(draft.text) for draft in made.result.drafts] != [str(draft.text) for draft in after.result.drafts]:
        return ""
    lines = (
        "debugger = ctxlab.Debugger(run)",
        f"debugger.run_until({until!r})" if until is not None else "debugger.run()",
        f"debugger.reword({touched[0].key!r}, {words!r})",
        "run = debugger.finished()",
    )
    return "\n".join(lines)
