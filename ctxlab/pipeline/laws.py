"""The conservation law: nothing is lost or changed without a cause. Held for every step, plugins too.

Taking a step back gives what was there before, character for character: a span that the step put gives back the spans
that it replaced, and a field that it changed has a `Change` with its value before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from ctxlab.context import AssetRef, Context, Draft, Dropped, Text
from ctxlab.context.tool_pairs import CallIds
from ctxlab.documents import Role
from ctxlab.errors import (
    DuplicateKey,
    InvalidDraft,
    LawBroken,
    UnexplainedChange,
    UnexplainedDrop,
    UnexplainedRewrite,
    UnpairedTool,
)
from ctxlab.pipeline.step_back import Heir, begins_with, check_cause, first_words, short, spans_of

ROLES = frozenset(get_args(Role))
ONCE = frozenset({"node", "summary", "pending"})
"""Kinds of origin that only one message has."""
IN_REQUEST = frozenset({"node", "summary", "pending", "preset"})
"""Kinds of origin that the build's input must hold."""


def hold(before: Context, after: object, *, processor: str) -> Context:
    """`after`, when it accounts for everything that `before` had; else raises the law that is broken.

    Compared by identity: a step that changes nothing costs nothing, and only gone or new drafts are looked at.
    """
    if after is before:
        return before
    if not isinstance(after, Context):
        raise LawBroken(f"{processor} returned {type(after).__name__}, not a Context")
    _nothing_recorded_is_lost(before, after, processor)
    if after.drafts is not before.drafts or len(after.dropped) > len(before.dropped):
        _Comparison(before, after, processor).hold()
    return after


def _nothing_recorded_is_lost(before: Context, after: Context, processor: str) -> None:
    if after.request is not before.request:
        raise LawBroken(f"{processor} replaced the input of the build; it stays as it is")
    for name in ("drafts", "dropped", "notes"):
        if not isinstance(getattr(after, name), tuple):
            raise LawBroken(f"{processor} left {name} as {type(getattr(after, name)).__name__}, not a tuple")
    if not begins_with(after.dropped, before.dropped):
        raise UnexplainedDrop(f"{processor} forgot what earlier steps had dropped")
    if not begins_with(after.notes, before.notes):
        raise LawBroken(f"{processor} took back a note of an earlier step; notes only grow")
    if after.shared is not before.shared:
        for key, value in before.shared.items():
            now = after.shared.get(key)
            if now is not value and now != value:
                raise LawBroken(
                    f"{processor} replaced {key!r}, which an earlier step left; what steps leave only grows"
                )


class _Comparison:
    """The drafts before and after one step: who stayed, who went, who came, and who came from whom."""

    def __init__(self, before: Context, after: Context, processor: str) -> None:
        self.before, self.after, self.processor = before, after, processor
        self.groups = after.dropped[len(before.dropped) :]
        self.out = [draft for group in self.groups for draft in group.drafts]
        self.old, self.new, self.skipped = _middles(before.drafts, after.drafts)
        self.place = {id(draft): i for i, draft in enumerate(self.old, self.skipped)}
        present = set(map(id, self.new))
        dropped = set(map(id, self.out))
        self.gone = [draft for draft in self.old if id(draft) not in present and id(draft) not in dropped]
        self.made = [draft for draft in self.new if id(draft) not in self.place]
        self.made_and_dropped = [draft for draft in self.out if id(draft) not in self.place]
        self.holder = {part.key: draft for draft in self.gone for part in draft.parts}
        self.holder.update((draft.key, draft) for draft in self.gone)
        self.ancestors: dict[int, list[Draft]] = {}

    def hold(self) -> None:
        self._drops_have_causes()
        self._drafts_are_sound()
        self._keys_are_unique()
        self._all_are_accounted_for()
        for draft in (*self.made, *self.made_and_dropped):
            if ancestors := self.ancestors[id(draft)]:
                Heir(draft, ancestors, self.processor).hold(self.place)
        self._new_ones_are_honest()
        self._order_is_kept()
        self._pairs_are_whole()

    def _drops_have_causes(self) -> None:
        for group in self.groups:
            check_cause(group.cause, self.processor, f"drops {_named(group)}", UnexplainedDrop)

    def _drafts_are_sound(self) -> None:
        for draft in (*self.made, *self.made_and_dropped):
            if not isinstance(draft, Draft):  # pyright: ignore[reportUnnecessaryIsInstance]  (plugins are not checked)
                raise InvalidDraft(f"{self.processor} left {type(draft).__name__} among the drafts")
            if draft.role not in ROLES:
                raise InvalidDraft(f"{self.processor} gave {draft.key!r} the role {draft.role!r}, which is none")
            if not isinstance(draft.body, tuple) or not all(isinstance(p, Text | AssetRef) for p in draft.body):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidDraft(f"{self.processor} gave {draft.key!r} a body that isn't a tuple of texts and files")

    def _keys_are_unique(self) -> None:
        drafts = self.after.drafts
        if self.made or len(set(map(id, self.new))) < len(self.new):
            keys = {draft.key for draft in drafts}
            if len(keys) < len(drafts):
                raise DuplicateKey(f"{self.processor} leaves two drafts with key {_twice(drafts)!r}")
        if not self.out:
            return
        sent = {draft.key for draft in drafts}
        sent.update(part.key for draft in drafts for part in draft.merged)
        gone: set[str] = set()
        for draft in self.out:
            for key in dict.fromkeys((draft.key, *(part.key for part in draft.merged))):
                if key in sent:
                    raise DuplicateKey(f"{self.processor} both sends and drops {key!r}")
                if key in gone:
                    raise DuplicateKey(f"{self.processor} drops {key!r} twice")
                gone.add(key)

    def _all_are_accounted_for(self) -> None:
        """Every draft that is gone has one heir; an heir names its ancestors, with all their parts, and nobody else."""
        claimed: dict[int, Draft] = {}
        for draft in (*self.made, *self.made_and_dropped):
            found = self.ancestors[id(draft)] = self._ancestors_of(draft)
            for ancestor in found:
                if id(ancestor) in claimed:
                    raise DuplicateKey(
                        f"{self.processor} put {ancestor.key!r} into two messages, {draft.key!r} among them"
                    )
                claimed[id(ancestor)] = draft
        for draft in self.gone:
            if id(draft) not in claimed:
                raise UnexplainedDrop(
                    f"{self.processor} lost {draft.key!r} ({first_words(draft)!r}): drop it with a Cause, "
                    "or name it in `merged`"
                )

    def _ancestors_of(self, draft: Draft) -> list[Draft]:
        """The gone drafts that this one is made of, in the order of its parts."""
        found: dict[int, Draft] = {}
        own = self.holder.get(draft.key)
        if own is not None and (not draft.merged or own.key not in {part.key for part in draft.merged}):
            found[id(own)] = own
        for part in draft.merged:
            ancestor = self.holder.get(part.key)
            if ancestor is not None:
                found[id(ancestor)] = ancestor
        ancestors = list(found.values())
        self._check_parts(draft, ancestors)
        return ancestors

    def _check_parts(self, draft: Draft, ancestors: Sequence[Draft]) -> None:
        are_merged = len(ancestors) > 1 or any(ancestor.merged for ancestor in ancestors)
        if not draft.merged and not are_merged:
            return
        named = {part.key: part.origin for part in draft.parts}
        known = {part.key: part.origin for ancestor in ancestors for part in ancestor.parts}
        for key, origin in known.items():
            if key not in named:
                raise UnexplainedDrop(f"{self.processor} lost {key!r}, a part of {draft.key!r}: name it in `merged`")
            if named[key] != origin:
                raise UnexplainedChange(f"{self.processor} changed the origin of {key!r}, a part of {draft.key!r}")
        for key in named if draft.merged else ():
            if key not in known:
                raise InvalidDraft(
                    f"{self.processor} names {key!r} as a part of {draft.key!r}, which it is not made of"
                )

    # --- who came

    def _new_ones_are_honest(self) -> None:
        new = [draft for draft in (*self.made, *self.made_and_dropped) if not self.ancestors[id(draft)]]
        if not new:
            return
        spans = {id(span): draft for draft in new for span in spans_of(draft)}
        for old in self.before.drafts:
            for span in spans_of(old):
                if id(span) in spans:
                    copy = spans[id(span)]
                    raise DuplicateKey(f"{self.processor} copied {old.key!r} as {copy.key!r}: a text is sent once")
        for draft in new:
            self._names_its_writers(draft)
        self._come_once([draft for draft in new if draft.origin.kind in ONCE])
        for draft in new:
            if draft.origin.kind in IN_REQUEST and not self.after.request.holds(draft.origin):
                raise InvalidDraft(
                    f"{self.processor} made {draft.key!r} from {draft.origin.kind} {draft.origin.ref!r}, "
                    "which is not there"
                )
        sent = set(map(id, self.made))
        for draft in new:
            if id(draft) not in sent and draft.origin.kind not in IN_REQUEST and not _is_signed(draft):
                raise InvalidDraft(f"{self.processor} drops {draft.key!r}, which was never there")

    def _names_its_writers(self, draft: Draft) -> None:
        """What nobody signed is of the message's own origin."""
        for span in spans_of(draft):
            if span.cause is None and span.origin != draft.origin and span.origin.kind != "separator":
                raise UnexplainedRewrite(
                    f"{self.processor} made {draft.key!r} with {short(span.text)!r} from {span.origin.kind} "
                    f"{span.origin.ref!r} and no cause"
                )

    def _come_once(self, new: Sequence[Draft]) -> None:
        """One message of the conversation is one draft."""
        if not new:
            return
        there = {part.origin for draft in self.before.drafts for part in draft.parts}
        there.update(part.origin for group in self.before.dropped for draft in group.drafts for part in draft.parts)
        for draft in new:
            if draft.origin in there:
                raise DuplicateKey(
                    f"{self.processor} made {draft.key!r} of {draft.origin.ref!r}, which is there already"
                )
            there.add(draft.origin)

    # --- order, pairs

    def _order_is_kept(self) -> None:
        """What stays, stays in its order; what is moved has a Change of its place."""
        highest = -1
        for draft in self.new:
            place = self.place.get(id(draft))
            if place is None:
                ancestors = self.ancestors[id(draft)]
                if not ancestors or _has_moved(draft, ancestors):
                    continue
                place = self.place[id(ancestors[0])]
            if place < highest:
                raise UnexplainedChange(
                    f"{self.processor} moved {draft.key!r} ({first_words(draft)!r}) and gives no cause: use draft.moved"
                )
            highest = place

    def _pairs_are_whole(self) -> None:
        """A tool call and its result stay or go together."""
        touched = (*self.gone, *self.made, *self.out)
        if not any(draft.calls or draft.role == "tool" for draft in touched):
            return
        were, are = CallIds.of(self.before.drafts), CallIds.of(self.after.drafts)
        for what, alone, had in (
            ("call", are.unanswered, were.unanswered),
            ("result", are.orphans, were.orphans),
        ):
            for id in alone - had:
                if id in were.answered:
                    raise UnpairedTool(
                        f"{self.processor} left the {what} {id!r} without its other half: calls and results "
                        "go together; `with_whole_pairs` takes what is left alone"
                    )


# --- pieces


def _middles(old: tuple[Draft, ...], new: tuple[Draft, ...]) -> tuple[tuple[Draft, ...], tuple[Draft, ...], int]:
    """Both rows without the drafts that they share at both ends, and how many those at the front are."""
    shortest = min(len(old), len(new))
    front = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), shortest)
    backwards = zip(reversed(old), reversed(new), strict=False)
    back = next((i for i, (a, b) in enumerate(backwards) if a is not b), shortest)
    back = min(back, shortest - front)
    return old[front : len(old) - back], new[front : len(new) - back], front


def _has_moved(draft: Draft, ancestors: Sequence[Draft]) -> bool:
    earlier = sum(len(ancestor.changes) for ancestor in ancestors)
    return any(change.field == "place" for change in draft.changes[earlier:])


def _is_signed(draft: Draft) -> bool:
    return all(span.cause is not None for span in spans_of(draft))


def _twice(drafts: Iterable[Draft]) -> str:
    seen: set[str] = set()
    for draft in drafts:
        if draft.key in seen:
            return draft.key
        seen.add(draft.key)
    return ""


def _named(group: Dropped) -> str:
    return group.drafts[0].key if len(group.drafts) == 1 else f"{len(group.drafts)} drafts"
