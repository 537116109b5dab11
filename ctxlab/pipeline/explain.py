"""Which step did this, and why: the life of a message, and the story of every character."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from ctxlab.context import Cause, Context, Draft, Span, Text
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.pipeline.changes import moved_keys
from ctxlab.pipeline.parts import pieces, seam_cause
from ctxlab.pipeline.remedy import BY_HAND, LeastBudget, Remedy, remedies
from ctxlab.pipeline.telling import done_by, span_story

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace

EventKind = Literal["added", "rewritten", "changed", "moved", "merged", "dropped"]
State = Literal["sent", "dropped", "replaced"]


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
    _remedy: Callable[[], Remedy | None] = field(default=lambda: None, repr=False)

    def __repr__(self) -> str:
        return f"Life({self.key!r}, {len(self.events)} events, {'sent' if self.draft else 'dropped'})"

    def __str__(self) -> str:
        lines = [self.key]
        lines += [f"  {event.step}: {event.text}" for event in self.events]
        lines.append(f"  {self.outcome}")
        return "\n".join(lines)

    @property
    def outcome(self) -> str:
        """Whether it is sent; of a message that isn't, what would have kept it, or why nothing would."""
        if self.draft is not None:
            return "it is sent"
        return f"it is not sent; {self.remedy}" if self.remedy else "it is not sent"

    @property
    def remedy(self) -> Remedy | None:
        """What would have kept a dropped message, worked out when it is first asked for; None of one that is sent."""
        return self._remedy()

    @property
    def least_budget(self) -> LeastBudget | None:
        """The least budget above this run's that keeps a dropped message; None where no budget would.

        `remedy` says why not.
        """
        return self.remedy.least_budget if self.remedy else None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Characters `start` up to `end` of one message's text, the spans that cover them, and what became of them.

    Replaced words are counted in the text that stood there instead. `part` is the key of the part of a merged message
    that they belong to, the first one where they belong to several; of any other message it is its own key.
    """

    key: str
    state: State
    start: int
    end: int
    spans: tuple[Span, ...]
    cause: Cause | None = None
    part: str = ""

    def __repr__(self) -> str:
        return f"Place({self.key!r}, {self.state}, {self.start}:{self.end})"

    def __str__(self) -> str:
        named = self.key if self.part in ("", self.key) else f"{self.part}, in the merged {self.key},"
        lines = [f"{named} characters {self.start}-{self.end}: {_state(self)}"]
        for span in self.spans:
            lines += ["  " + line for line in span_story(span)]
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
    draft = _holder(trace.result, key)
    if draft is not None:
        return Life(key, tuple(events), draft)
    return Life(key, tuple(events), None, cache(lambda: remedies(trace, [key]).get(key, BY_HAND)))


def _events(step: Step, key: str) -> Iterator[Event]:
    before, after = _holder(step.before, key), _holder(step.after, key)
    for group in step.after.dropped[len(step.before.dropped) :]:
        for draft in group.drafts:
            if key in (draft.key, *(part.key for part in draft.merged)):
                yield Event(step.id, "dropped", f"dropped: {group.cause}", before or draft, None, group.cause)
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


def places(trace: Trace, words: str) -> tuple[Place, ...]:
    """Where the words stand: sent first, then dropped, then replaced."""
    if not words:
        return ()
    sent = [place for draft in trace.result.drafts for place in _in_draft(draft, words, "sent", None)]
    gone = [
        place
        for group in trace.result.dropped
        for draft in group.drafts
        for place in _in_draft(draft, words, "dropped", group.cause)
    ]
    cut = [draft for group in trace.result.dropped for draft in group.drafts]
    replaced = [place for draft in (*trace.result.drafts, *cut) for place in _replaced(draft, words)]
    return (*sent, *gone, *replaced)


def _in_draft(draft: Draft, words: str, state: State, cause: Cause | None) -> Iterator[Place]:
    text = draft.text
    whole = str(text)
    at = whole.find(words)
    part_at = _part_at(draft) if at >= 0 else None
    while at >= 0 and part_at is not None:
        end = at + len(words)
        yield Place(draft.key, state, at, end, text.cut(at, end).spans, cause, part_at(at))
        at = whole.find(words, at + 1)


def _part_at(draft: Draft) -> Callable[[int], str]:
    """Which part of a message a character belongs to; a seam belongs to the part before."""
    found = [piece for piece in pieces(draft) if piece.text]
    starts, keys = [piece.start for piece in found], [piece.part.key for piece in found]
    return lambda at: keys[max(0, bisect_right(starts, at) - 1)] if keys else draft.key


def _replaced(draft: Draft, words: str) -> Iterator[Place]:
    """The words inside what was replaced, looked for in each run of replaced spans, then in the text as it once was."""
    stack = [(span.was, span.cause, span) for span in draft.text.spans if span.was]
    seen: set[int] = set()
    found: list[tuple[Place, Span]] = []
    while stack:
        was, cause, stands = stack.pop(0)
        if id(was) in seen:
            continue
        seen.add(id(was))
        place = _in_older(draft, Text(was), words, cause)
        if place is not None:
            found.append((place, stands))
        stack.extend((span.was, span.cause, stands) for span in was if span.was)
    if seen and not found and words not in str(draft.text):
        found.extend(_in_first(draft, words))
    if found:
        part_of = {id(span): piece.part.key for piece in pieces(draft) for span in piece.text.spans}
        yield from (replace(place, part=part_of.get(id(stands), draft.key)) for place, stands in found)


def _in_older(draft: Draft, older: Text, words: str, cause: Cause | None) -> Place | None:
    at = str(older).find(words)
    if at < 0:
        return None
    end = at + len(words)
    return Place(draft.key, "replaced", at, end, older.cut(at, end).spans, cause)


def _in_first(draft: Draft, words: str) -> Iterator[tuple[Place, Span]]:
    """The words in the text as it was first written, with what replaced the first part of them."""
    written = list(_first_written(draft.text.spans))
    place = _in_older(draft, Text(old for _, old in written), words, None)
    if place is None:
        return
    at = 0
    for span, old in written:
        at += len(old.text)
        if at > place.start and span.was and span.cause is not None:
            yield replace(place, cause=span.cause), span
            return


def _first_written(spans: tuple[Span, ...]) -> Iterator[tuple[Span, Span]]:
    """Each span, with what stood there before anything was replaced; parts of one span share what they replaced."""
    seen: set[int] = set()

    def before(span: Span) -> Iterator[Span]:
        if not span.was:
            yield span
        elif id(span.was) not in seen:
            seen.add(id(span.was))
            for older in span.was:
                yield from before(older)

    return ((span, old) for span in spans for old in before(span))


def _state(place: Place) -> str:
    if place.state == "sent":
        return "sent"
    return f"{place.state} by {done_by(place.cause)}" if place.cause else place.state
