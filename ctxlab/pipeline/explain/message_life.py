"""The life of a message: what each step did to it, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from ctxlab.context import Cause, Context, Draft, Text
from ctxlab.context.file_words import file_changes
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.explain.message_names import key_with_id
from ctxlab.pipeline.explain.text_versions import TAKEN_OUT_BY_HAND, edit_causes
from ctxlab.pipeline.remedies import BY_HAND, LeastBudget, Remedy, drop_details, remedies
from ctxlab.prompt.merged_parts import is_seam, pieces

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace

MOST_KEYS = 6
"""So many messages are listed, the rest are counted."""

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
    _remedy: Callable[[], Remedy | None] = field(default=lambda: None, repr=False)

    def __repr__(self) -> str:
        return f"Life({self.name!r}, {counted(len(self.events), 'event')}, {'sent' if self.draft else 'dropped'})"

    def __str__(self) -> str:
        shown = [self.name]
        shown += [f"  {event.step}: {event.text}" for event in self.events]
        shown.append(f"  {self.outcome}")
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import life_html

        return life_html(self)

    @property
    def name(self) -> str:
        """The key; of a preset the id by which its file has it first, as in `main (preset:0)`."""
        first = self.events[0].after if self.events else None
        return key_with_id(first) if first is not None and first.key == self.key else self.key

    @property
    def outcome(self) -> str:
        """Whether it is sent; of a message that isn't, what would have kept it, or why nothing would."""
        if self.draft is not None:
            return "it is sent"
        return f"it is not sent; {self.remedy}" if self.remedy else "it is not sent"

    @property
    def remedy(self) -> Remedy | None:
        """The change that would have kept a dropped message, found at first use; None for one that is sent."""
        return self._remedy()

    @property
    def least_budget(self) -> LeastBudget | None:
        """The least budget above this run's that keeps a dropped message; None where no budget would.

        `remedy` says why not.
        """
        return self.remedy.least_budget if self.remedy else None


def life(trace: Trace, key: str) -> Life:
    """The events of every step for the message of this key, or with this id where one message alone has it."""
    events: list[Event] = []
    if _holder(trace.start, key) is not None:
        events.append(Event("start", "added", "was there from the start", None, _holder(trace.start, key)))
    for step in trace.steps:
        events.extend(_with_details(trace, step, event) for event in _events(step, key))
    if not events:
        origins = {draft.key: draft.origin for step in trace.steps for draft in step.after.drafts}
        known = list(origins)
        full = [each for each in known if each.partition(":")[2] == key]
        full = full or [each for each, origin in origins.items() if origin.kind == "preset" and origin.ref == key]
        if len(full) == 1:
            return life(trace, full[0])
        near = f"; did you mean {' or '.join(map(repr, full))}?" if full else did_you_mean(key, known[:2000])
        raise CtxlabError(f"no step had a message {key!r}{near}")
    draft = _holder(trace.result, key)
    if draft is not None:
        return Life(key, tuple(events), draft)
    return Life(key, tuple(events), None, cache(lambda: remedies(trace, [key]).get(key, BY_HAND)))


def _with_details(trace: Trace, step: Step, event: Event) -> Event:
    """Sentence of the step on a message that it dropped, beside the cause that it shares with others."""
    if event.kind != "dropped" or event.before is None or event.cause is None:
        return event
    more = drop_details(trace, step, [event.before.key]).get(event.before.key)
    return replace(event, text=f"{event.text}; {more}") if more else event


def _events(step: Step, key: str) -> Iterator[Event]:
    before, after = _holder(step.before, key), _holder(step.after, key)
    known = set(map(id, step.before.dropped))
    for group in step.after.dropped:
        for draft in group.drafts if id(group) not in known else ():
            if key in (draft.key, *(part.key for part in draft.merged)):
                yield Event(step.id, "dropped", f"dropped: {group.cause}", before or draft, None, group.cause)
                return
    if after is None:
        if before is not None:  # only a person's edit may do that
            yield Event(step.id, "dropped", "taken out by hand", before, None, TAKEN_OUT_BY_HAND)
        return
    if before is None:
        cause = _written_for(after)
        yield Event(step.id, "added", _added_words(step, key, after, cause), None, after, cause)
        if after.changes:
            names = ", ".join(dict.fromkeys(change.field for change in after.changes))
            cause = after.changes[0].cause
            yield Event(step.id, "changed", f"changed: {names} ({cause.reason})", None, after, cause)
        return
    if after is not before:
        yield from _changed(step, key, before, after)
    yield from _moved(step, before, after)


def _changed(step: Step, key: str, before: Draft, after: Draft) -> Iterator[Event]:
    joined, parted = _keys_only_in(after, before), _keys_only_in(before, after)
    if joined:
        yield Event(step.id, "merged", f"merged with {_listed(joined)}", before, after, _merge_cause(step, after))
        return
    if parted:  # by a person's hand
        yield Event(step.id, "changed", f"no longer merged with {_listed(parted)}", before, after)
        return
    old, new = _alone(before, key), _alone(after, key)
    if str(old.text) != str(new.text):
        every = edit_causes(step, before, after)
        causes = [cause for cause in every if after.key == key or cause in _causes_in(new.text)]
        if not new.text:  # a part whose words are all gone keeps no span that could name what took them
            causes = every
        words = _rewrite_words(old, new, causes, by_hand=step.edited)
        yield Event(step.id, "rewritten", words, old, new, causes[0] if causes else None)
    fields = _field_words(before, after)
    if fields:
        cause = next((c.cause for c in after.changes[len(before.changes) :] if c.field != "place"), None)
        reason = f" ({cause.reason})" if cause is not None else ""
        yield Event(step.id, "changed", f"{fields}{reason}", before, after, cause)


def _holder(ctx: Context, key: str) -> Draft | None:
    return ctx.draft(key)


def _alone(draft: Draft, key: str) -> Draft:
    """A part of a merged message with its own words; the message itself where it goes by this key."""
    if draft.key == key or not draft.merged:
        return draft
    piece = next(piece for piece in pieces(draft) if piece.part.key == key)
    return replace(draft, key=key, body=(piece.text, *draft.assets), origin=piece.part.origin, merged=())


def _moved(step: Step, before: Draft, after: Draft) -> Iterator[Event]:
    """The move of a message, if it is one of the fewest whose removal leaves the others in the same order."""
    if step.before.drafts is step.after.drafts:
        return
    old, new = [d.key for d in step.before.drafts], [d.key for d in step.after.drafts]
    if before.key not in new or after.key != before.key:
        return
    was, now = old.index(before.key), new.index(after.key)
    if old[: was + 1] == new[: now + 1]:
        return
    there, here = set(old), set(new)
    if after.key in moved_keys([k for k in old if k in here], [k for k in new if k in there]):
        cause = next((change.cause for change in reversed(after.changes) if change.field == "place"), None)
        yield Event(step.id, "moved", f"moved from place {was + 1} to {now + 1}", before, after, cause)


def _added_words(step: Step, key: str, draft: Draft, cause: Cause | None) -> str:
    at = next(i for i, other in enumerate(step.after.drafts, start=1) if other is draft)
    reason = f" ({cause.reason})" if cause and cause.processor == step.id and cause.reason else ""
    requested = str(draft.placement or "")
    where = f", asked for {requested}" if requested else ""
    what = "added as" if draft.key == key else "added as a part of"
    return f"{what} message {at}{where}{reason}"


def _written_for(draft: Draft) -> Cause | None:
    """The cause of a new message itself, not of later changes to some of its words."""
    text = draft.text
    while text.made_by is not None:
        text = text.made_by.before
    only = text.spans[0] if len(text.spans) == 1 else None
    return only.cause if only is not None and not only.was else None


def _keys_only_in(draft: Draft, other: Draft) -> list[str]:
    known = {part.key for part in other.parts}
    return [part.key for part in draft.parts if part.key not in known]


def _listed(keys: list[str]) -> str:
    more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS + 1 else ""
    return ", ".join(keys[:MOST_KEYS] if more else keys) + more


def _merge_cause(step: Step, whole: Draft) -> Cause | None:
    """The cause of the first seam that this step put in; seams of earlier merges are in the messages before."""
    there = {id(span) for draft in step.before.drafts for span in draft.text.spans if is_seam(span)}
    return next((span.cause for span in whole.text.spans if is_seam(span) and id(span) not in there), None)


def _rewrite_words(before: Draft, after: Draft, causes: Sequence[Cause], *, by_hand: bool) -> str:
    who = " by hand" if by_hand else ""
    if causes:
        more = f" and {len(causes) - 1} more" if len(causes) > 1 else ""
        who = f" by {causes[0]}{more}"
    return f"rewritten{who}: {len(before.text)} -> {len(after.text)} characters"


def _causes_in(text: Text) -> set[Cause]:
    """All causes that had a hand in a text."""
    found: set[Cause] = set()
    stack, met = list(text.spans), set[int]()
    while stack:
        span = stack.pop()
        if span.cause is not None:
            found.add(span.cause)
        if id(span.was) not in met:
            met.add(id(span.was))
            stack.extend(span.was)
    return found


FIELDS = ("calls", "pinned", "priority", "reasoning", "result_of", "speaker", "meta", "placement")


def _field_words(before: Draft, after: Draft) -> str:
    """The fields besides the words that differ, as a clause; empty when none do."""
    names = [name for name in FIELDS if getattr(before, name) != getattr(after, name)]
    files = ""
    if [*map(id, before.assets)] != [*map(id, after.assets)]:
        files = file_changes(before, after) or "changed: files"
    if before.origin != after.origin or _only_its_past_differs(before.text, after.text):
        names.append("provenance")
    changed = f"changed: {', '.join(names)}" if names else ""
    role = f"role changed from {before.role} to {after.role}" if before.role != after.role else ""
    return "; ".join(part for part in (role, changed, files) if part)


def _only_its_past_differs(before: Text, after: Text) -> bool:
    if before is after or str(before) != str(after):
        return False
    return len(before.spans) != len(after.spans) or not all(
        old is new or (old.text == new.text and old.same_provenance(new))
        for old, new in zip(before.spans, after.spans, strict=True)
    )
