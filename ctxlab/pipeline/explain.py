"""The life of a message: what each step did to it, and why."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ctxlab.context import Cause, Context, Draft, Dropped, Span, Text
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.pipeline.changes import moved_keys
from ctxlab.pipeline.parts import pieces, seam_cause
from ctxlab.pipeline.telling import done_by, span_story

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace

EventKind = Literal["added", "rewritten", "changed", "moved", "merged", "dropped"]


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One thing that happened to a message: in which step, and in words."""

    step: str
    kind: EventKind
    text: str
    before: Draft | None = None
    after: Draft | None = None
    cause: Cause | None = None

    def __repr__(self) -> str:
        return f"Event({self.step}: {self.kind}, {self.text})"


@dataclass(frozen=True, slots=True, eq=False)
class Life:
    """Everything that happened to one message, in order; `draft` is what became of it, None when it was dropped."""

    key: str
    events: tuple[Event, ...]
    draft: Draft | None

    def __repr__(self) -> str:
        return f"Life({self.key!r}, {len(self.events)} events, {'sent' if self.draft else 'dropped'})"

    def __str__(self) -> str:
        lines = [self.key]
        lines += [f"  {event.step}: {event.text}" for event in self.events]
        lines.append("  it is sent" if self.draft else "  it is not sent")
        return "\n".join(lines)


def life(trace: Trace, key: str) -> Life:
    """What every step did to the message of this key."""
    events: list[Event] = []
    if _holder(trace.start, key) is not None:
        events.append(Event("start", "added", "was there from the start", None, _holder(trace.start, key)))
    for step in trace.steps:
        events.extend(_events(step, key))
    if not events:
        known = list(dict.fromkeys(d.key for step in trace.steps for d in step.after.drafts))
        raise CtxlabError(f"no step had a message {key!r}{did_you_mean(key, known[:2000])}")
    return Life(key, tuple(events), _holder(trace.result, key))


def _events(step: Step, key: str) -> Iterator[Event]:
    before, after = _holder(step.before, key), _holder(step.after, key)
    for group in step.after.dropped[len(step.before.dropped) :]:
        for draft in group.drafts:
            if key in (draft.key, *(part.key for part in draft.merged)):
                yield Event(step.id, "dropped", _drop_words(group), before or draft, None, group.cause)
                return
    if after is None:
        if before is not None:  # only a person's edit may do that
            yield Event(step.id, "dropped", "taken out by hand", before)
        return
    if after is before:
        yield from _moved(step, after)
        return
    if before is None:
        yield Event(step.id, "added", _added_words(step, after), None, after, _first_cause(after.text))
        return
    if len(after.merged) > len(before.merged):
        others = [part.key for part in after.merged if part.key != key]
        yield Event(step.id, "merged", f"merged with {', '.join(others[:6])}", before, after, seam_cause(after))
        return
    if after.text is not before.text and str(after.text) != str(before.text):
        yield Event(step.id, "rewritten", _rewrite_words(before, after), before, after, _newest_cause(before, after))
    else:
        yield Event(step.id, "changed", _field_words(before, after), before, after)


def _holder(ctx: Context, key: str) -> Draft | None:
    return ctx.draft(key)


def _moved(step: Step, draft: Draft) -> Iterator[Event]:
    """A move is only told of a message that must be lifted out so that the others stand as they stood."""
    if step.before.drafts is step.after.drafts:
        return
    old, new = [d.key for d in step.before.drafts], [d.key for d in step.after.drafts]
    was, now = old.index(draft.key), new.index(draft.key)
    if old[: was + 1] == new[: now + 1]:
        return
    there, here = set(old), set(new)
    if draft.key in moved_keys([k for k in old if k in here], [k for k in new if k in there]):
        yield Event(step.id, "moved", f"moved from place {was + 1} to {now + 1}", draft, draft)


def _drop_words(group: Dropped) -> str:
    words = f"dropped: {group.cause}"
    if group.needed is not None and group.left is not None and group.cause.reason == "":
        words += f": needed {group.needed}, left {group.left}"
    return words


def _added_words(step: Step, draft: Draft) -> str:
    at = step.after.drafts.index(draft) + 1 if draft in step.after.drafts else 0
    cause = _first_cause(draft.text)
    reason = f" ({cause.reason})" if cause and cause.processor == step.id and cause.reason else ""
    place = draft.meta.get("placed") if draft.meta else None
    where = f", {place}" if place else ""
    return f"added as message {at}{where}{reason}"


def _rewrite_words(before: Draft, after: Draft) -> str:
    cause = _newest_cause(before, after)
    rule = f" by {cause}" if cause else ""
    return f"rewritten{rule}: {len(before.text)} -> {len(after.text)} characters"


def _field_words(before: Draft, after: Draft) -> str:
    names = [
        name
        for name in ("role", "calls", "result_of", "reasoning", "name", "pinned", "meta")
        if getattr(before, name) != getattr(after, name)
    ]
    if names == ["role"]:
        return f"role changed from {before.role} to {after.role}"
    return f"changed: {', '.join(names) or 'provenance'}"


def _first_cause(text: Text) -> Cause | None:
    return next((span.cause for span in text.spans if span.cause), None)


def _newest_cause(before: Draft, after: Draft) -> Cause | None:
    old = {id(span) for span in before.text.spans}
    return next((span.cause for span in after.text.spans if span.cause and id(span) not in old), None)
