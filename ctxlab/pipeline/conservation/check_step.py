"""The conservation law: nothing is lost or changed without a cause. Every step is checked, plugins too.

Taking a step back gives what was there before, character for character: a span that the step put gives back the spans
that it replaced, and a field that it changed has a `Change` with its value before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from operator import is_
from typing import get_args

from ctxlab.context import AssetRef, Context, Draft, Dropped, Text
from ctxlab.context.tool_pairs import CallIds
from ctxlab.display.short_texts import short
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
from ctxlab.pipeline.conservation.cause_is_valid import check_cause
from ctxlab.pipeline.conservation.undo_step import DerivedDraft, begins_with, first_words, spans_of

ROLES = frozenset(get_args(Role))
ONCE = frozenset({"node", "summary", "pending"})
"""Kinds of origin that only one message has."""
IN_REQUEST = frozenset({"node", "summary", "pending", "preset"})
"""Kinds of origin that the build's input must hold."""


def check_step(before: Context, after: object, *, processor: str) -> Context:
    """`after`, when it accounts for everything that `before` had; else raises the law that is broken.

    Compared by identity: a step that changes nothing costs nothing, and only gone or new drafts are looked at.
    """
    if after is before:
        return before
    if not isinstance(after, Context):
        raise LawBroken(f"{processor} returned {type(after).__name__}, not a Context")
    _nothing_recorded_is_lost(before, after, processor)
    if after.drafts is not before.drafts or len(after.dropped) > len(before.dropped):
        _Comparison(before, after, processor).check()
    return after


def _nothing_recorded_is_lost(before: Context, after: Context, processor: str) -> None:
    if after.input is not before.input:
        raise LawBroken(f"{processor} replaced the input of the build; it stays as it is")
    for name in ("drafts", "dropped", "reports", "notes"):
        if not isinstance(getattr(after, name), tuple):
            raise LawBroken(f"{processor} left {name} as {type(getattr(after, name)).__name__}, not a tuple")
    if not begins_with(after.dropped, before.dropped):
        raise UnexplainedDrop(f"{processor} forgot what earlier steps had dropped")
    if not begins_with(after.notes, before.notes):
        raise LawBroken(f"{processor} took back a note of an earlier step; notes only grow")
    if not begins_with(after.reports, before.reports):
        raise LawBroken(f"{processor} took back a report of an earlier step; what steps leave only grows")


class _Comparison:
    """The drafts before and after one step: kept, gone and made ones, and which made ones come from which gone ones."""

    def __init__(self, before: Context, after: Context, processor: str) -> None:
        self.before, self.after, self.processor = before, after, processor
        self.groups = after.dropped[len(before.dropped) :]
        self.out = [draft for group in self.groups for draft in group.drafts]
        self.old, self.new = _middles(before.drafts, after.drafts)
        found = _gone_and_made(self.old, self.new, [group.drafts for group in self.groups])
        self.drops_what_was_there = found is not None
        if found is not None:
            self.gone, self.made = found
            self.made_and_dropped: list[Draft] = []
        else:
            were, sent, out = set(map(id, self.old)), set(map(id, self.new)), set(map(id, self.out))
            self.gone = _those(self.old, were - sent - out)
            self.made = _those(self.new, sent - were)
            self.made_and_dropped = _those(self.out, out - were)
        self.odd = [draft for draft in (*self.made, *self.made_and_dropped) if not _is_one_text_of_its_own(draft)]
        self.holder = {part.key: draft for draft in self.gone for part in draft.parts}
        self.holder.update((draft.key, draft) for draft in self.gone)
        self.ancestors: dict[int, list[Draft]] = {}

    def check(self) -> None:
        self._drops_have_causes()
        self._drafts_are_sound()
        self._keys_are_unique()
        self._all_are_accounted_for()
        if self.ancestors:
            for draft in (*self.made, *self.made_and_dropped):
                if ancestors := self.ancestors.get(id(draft)):
                    DerivedDraft(draft, ancestors, self.processor).check(self.before.drafts.index)
        self._new_ones_are_honest()
        self._order_is_kept()
        self._pairs_are_whole()

    def _drops_have_causes(self) -> None:
        for group in self.groups:
            check_cause(group.cause, self.processor, f"drops {_named(group)}", UnexplainedDrop)

    def _drafts_are_sound(self) -> None:
        for draft in self.odd:
            if not isinstance(draft, Draft):  # pyright: ignore[reportUnnecessaryIsInstance]  (plugins are not checked)
                raise InvalidDraft(f"{self.processor} left {type(draft).__name__} among the drafts")
            if draft.role not in ROLES:
                raise InvalidDraft(f"{self.processor} gave {draft.key!r} the role {draft.role!r}, which is none")
            body = draft.body
            if type(body) is tuple and len(body) == 1 and type(body[0]) is Text:
                continue
            if not isinstance(body, tuple) or not all(isinstance(p, Text | AssetRef) for p in body):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidDraft(f"{self.processor} gave {draft.key!r} a body that isn't a tuple of texts and files")

    def _keys_are_unique(self) -> None:
        drafts = self.after.drafts
        is_another_row = bool(self.made) or len(set(map(id, self.new))) < len(self.new)
        if is_another_row and len({draft.key for draft in drafts}) < len(drafts):
            raise DuplicateKey(f"{self.processor} leaves two drafts with key {_twice(_keys(drafts))!r}")
        if not self.out or (self.drops_what_was_there and not self._brings_new_keys()):
            return
        sent, gone = set(_keys(drafts)), _keys(self.out)
        if not sent.isdisjoint(gone):
            both = next(key for key in gone if key in sent)
            raise DuplicateKey(f"{self.processor} both sends and drops {both!r}")
        if len(set(gone)) < len(gone):
            raise DuplicateKey(f"{self.processor} drops {_twice(gone)!r} twice")

    def _brings_new_keys(self) -> bool:
        """True if a made draft has a key that none of the gone drafts has; the old keys were unique."""
        return not set(_keys(self.made)).issubset(_keys(self.gone))

    def _all_are_accounted_for(self) -> None:
        """Every draft that is gone has one heir; an heir names its ancestors, with all their parts, and nobody else."""
        claimed: set[int] = set()
        for draft in (*self.made, *self.made_and_dropped):
            if not self.holder and not draft.merged:
                continue
            if found := self._ancestors_of(draft):
                self.ancestors[id(draft)] = found
            for ancestor in found:
                if id(ancestor) in claimed:
                    raise DuplicateKey(
                        f"{self.processor} put {ancestor.key!r} into two messages, {draft.key!r} among them"
                    )
                claimed.add(id(ancestor))
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
        for key in named if draft.merged and (ancestors or draft.key not in named) else ():
            if key not in known:
                raise InvalidDraft(
                    f"{self.processor} names {key!r} as a part of {draft.key!r}, which it is not made of"
                )

    # --- who came

    def _new_ones_are_honest(self) -> None:
        new = [draft for draft in (*self.made, *self.made_and_dropped) if id(draft) not in self.ancestors]
        if not new:
            return
        self._copy_nothing(new)
        for draft in self.odd:
            if id(draft) not in self.ancestors:
                self._names_its_writers(draft)
        self._come_once([draft for draft in new if draft.origin.kind in ONCE])
        build_input, nodes = self.after.input, self.after.input.session.nodes
        for draft in new:
            if not draft.merged and draft.origin.ref in nodes:
                continue
            for part in draft.parts:
                origin = part.origin
                if origin.kind in IN_REQUEST and origin.ref not in nodes and not build_input.holds(origin):
                    raise InvalidDraft(
                        f"{self.processor} made {part.key!r} from {origin.kind} {origin.ref!r}, which is not there"
                    )
        if self.made_and_dropped:
            sent = set(map(id, self.made))
            for draft in new:
                if draft.origin.kind not in IN_REQUEST and id(draft) not in sent and not _is_signed(draft):
                    raise InvalidDraft(f"{self.processor} drops {draft.key!r}, which was never there")

    def _copy_nothing(self, new: Sequence[Draft]) -> None:
        if not self.before.drafts:
            return
        spans = {id(span): draft for draft in new for span in spans_of(draft)}
        parts = chain.from_iterable([old.body for old in self.before.drafts])
        if spans.keys().isdisjoint(map(id, chain.from_iterable([p.spans for p in parts if isinstance(p, Text)]))):
            return
        for old in self.before.drafts:
            for span in spans_of(old):
                if id(span) in spans:
                    copy = spans[id(span)].key
                    raise DuplicateKey(f"{self.processor} copied {old.key!r} as {copy!r}: a text is sent once")

    def _names_its_writers(self, draft: Draft) -> None:
        """Raise UnexplainedRewrite for a span without a cause that is not of the draft's own origin, or a part's."""
        origin = draft.origin
        parts = {part.origin for part in draft.merged}
        for part in draft.body:
            for span in part.spans if isinstance(part, Text) else ():
                if span.cause is not None or span.origin is origin or span.origin == origin or span.origin in parts:
                    continue
                if span.origin.kind != "separator":
                    raise UnexplainedRewrite(
                        f"{self.processor} made {draft.key!r} with {short(span.text)!r} from {span.origin.kind} "
                        f"{span.origin.ref!r} and no cause"
                    )

    def _come_once(self, new: Sequence[Draft]) -> None:
        """One message of the conversation is one draft."""
        before = self.before
        if not new or (not (before.drafts or before.dropped) and len({draft.origin.ref for draft in new}) == len(new)):
            return
        there = {part.origin for draft in before.drafts for part in draft.parts}
        there.update(part.origin for group in before.dropped for draft in group.drafts for part in draft.parts)
        for draft in new:
            if draft.origin in there:
                raise DuplicateKey(
                    f"{self.processor} made {draft.key!r} of {draft.origin.ref!r}, which is there already"
                )
            there.add(draft.origin)

    # --- order, pairs

    def _order_is_kept(self) -> None:
        """Raise UnexplainedChange for a kept draft out of its order that has no Change of its place."""
        if not self.old:
            return
        made = set(map(id, self.made))
        old, at = self.old, 0
        if not self.ancestors and old == tuple([draft for draft in self.new if id(draft) not in made]):
            return
        for draft in self.new:
            place = draft
            if id(draft) in made:
                ancestors = self.ancestors.get(id(draft))
                if ancestors is None or _has_moved(draft, ancestors):
                    continue
                place = ancestors[0]
            try:
                at = old.index(place, at) + 1
            except ValueError:
                raise UnexplainedChange(
                    f"{self.processor} moved {draft.key!r} ({first_words(draft)!r}) and gives no cause: use draft.moved"
                ) from None

    def _pairs_are_whole(self) -> None:
        """A tool call and its result stay or go together."""
        if not self._touches_tools():
            return
        are = CallIds.of(self.after.drafts)
        if not (are.unanswered or are.orphans):
            return
        were = CallIds.of(self.before.drafts)
        for what, alone, had in (("call", are.unanswered, were.unanswered), ("result", are.orphans, were.orphans)):
            for id in alone - had:
                if id in were.answered:
                    raise UnpairedTool(
                        f"{self.processor} left the {what} {id!r} without its other half: calls and results "
                        "go together; `with_whole_pairs` takes what is left alone"
                    )

    def _touches_tools(self) -> bool:
        """True if tool calls or results came, went or changed where some were before."""
        if not any(draft.role == "tool" for draft in self.before.drafts):
            return False
        if any(draft.calls or draft.role == "tool" for draft in self.out):
            return True
        return any(_differ_in_tools(self.ancestors.get(id(draft), ()), draft) for draft in self.made)


# --- pieces


def _middles(old: tuple[Draft, ...], new: tuple[Draft, ...]) -> tuple[tuple[Draft, ...], tuple[Draft, ...]]:
    """Both rows without the drafts that they share at the front and at the back."""
    shortest = min(len(old), len(new))
    front = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), shortest)
    backwards = zip(reversed(old), reversed(new), strict=False)
    back = next((i for i, (a, b) in enumerate(backwards) if a is not b), shortest)
    back = min(back, shortest - front)
    return old[front : len(old) - back], new[front : len(new) - back]


def _gone_and_made(
    old: Sequence[Draft], new: Sequence[Draft], groups: Iterable[Sequence[Draft]]
) -> tuple[list[Draft], list[Draft]] | None:
    """The old drafts that are neither sent nor dropped, and the new ones that weren't there.

    None where a group that was dropped doesn't stand among the old ones in its order, each draft once: then it takes
    sets of all of them.
    """
    sent = set(map(id, new))
    runs = [group for group in groups if group]
    if not runs:
        were = set(map(id, old))
        return _those(old, were - sent), _those(new, sent - were)
    starts = {id(run[0]): run for run in runs}
    if len(starts) < len(runs):
        return None
    stayed: set[int] = set()
    gone: list[Draft] = []
    pending: dict[int, Iterator[Draft]] = {}
    rest: Iterator[Draft] = iter(())
    next_dropped: Draft | None = None
    behind = 0
    for at, draft in enumerate(old):
        if at < behind:
            continue
        if draft is next_dropped:
            next_dropped = next(rest, None)
        elif id(draft) in starts or id(draft) in pending:
            run = starts.pop(id(draft), None)
            if run is not None and next_dropped is None and _stands_in(old, run, at):
                behind = at + len(run)
                continue
            if next_dropped is not None:
                if id(next_dropped) in pending or id(next_dropped) in starts:
                    return None
                pending[id(next_dropped)] = rest
            rest = iter(run[1:]) if run is not None else pending.pop(id(draft))
            next_dropped = next(rest, None)
        elif id(draft) in sent:
            stayed.add(id(draft))
        else:
            gone.append(draft)
    if pending or starts or next_dropped is not None:
        return None
    return gone, _those(new, sent - stayed)


def _stands_in(old: Sequence[Draft], run: Sequence[Draft], at: int) -> bool:
    """Whether the drafts of a run follow each other there."""
    there = old[at : at + len(run)]
    return len(there) == len(run) and all(map(is_, there, run))


def _is_one_text_of_its_own(draft: object) -> bool:
    """Whether it is a draft as most are: not merged, with one text, all of whose words are of its own origin."""
    if type(draft) is not Draft or draft.merged or draft.role not in ROLES or type(draft.body) is not tuple:
        return False
    if len(draft.body) != 1 or type(text := draft.body[0]) is not Text or len(text.spans) != 1:
        return False
    return text.spans[0].origin is draft.origin


def _differ_in_tools(ancestors: Sequence[Draft], draft: Draft) -> bool:
    if len(ancestors) != 1:
        return bool(draft.calls) or draft.role == "tool"
    (old,) = ancestors
    return old.calls is not draft.calls or old.role != draft.role or old.result_of != draft.result_of


def _those(drafts: Iterable[Draft], ids: set[int]) -> list[Draft]:
    return [draft for draft in drafts if id(draft) in ids] if ids else []


def _keys(drafts: Collection[Draft]) -> list[str]:
    """The keys of drafts and of the parts that they were merged of, each of a draft once."""
    parts = [part.key for draft in drafts if draft.merged for part in draft.merged if part.key != draft.key]
    return [draft.key for draft in drafts] + parts


def _has_moved(draft: Draft, ancestors: Sequence[Draft]) -> bool:
    earlier = sum(len(ancestor.changes) for ancestor in ancestors)
    return any(change.field == "place" for change in draft.changes[earlier:])


def _is_signed(draft: Draft) -> bool:
    return all(span.cause is not None for span in spans_of(draft))


def _twice(keys: Iterable[str]) -> str:
    seen: set[str] = set()
    return next((key for key in keys if key in seen or seen.add(key)), "")


def _named(group: Dropped) -> str:
    return group.drafts[0].key if len(group.drafts) == 1 else f"{len(group.drafts)} drafts"
