"""The conservation law: nothing is lost or changed without a cause. Held for every step, plugins too.

Taking a step back gives what was there before, character for character: a span that the step put gives back the spans
that it replaced, and a field that it changed has a `Change` with its value before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, get_args

from ctxlab.context import AssetRef, Cause, Change, Context, Draft, Dropped, Origin, Span, Text
from ctxlab.context.draft import SHARED_FIELDS, combined_fields
from ctxlab.context.tool_pairs import CallIds
from ctxlab.documents import MessageNode, Role
from ctxlab.errors import (
    DuplicateKey,
    InvalidDraft,
    LawBroken,
    UnexplainedChange,
    UnexplainedDrop,
    UnexplainedRewrite,
    UnpairedTool,
)

ROLES = frozenset(get_args(Role))
FIELDS = ("role", "origin", "calls", "result_of", "reasoning", "speaker", "pinned", "priority", "meta")
"""Fields of a draft that stay as they were unless a Change says otherwise; files and places are looked at apart."""
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


def check_cause(cause: object, processor: str, what: str, error: type[LawBroken]) -> None:
    """Raise `error` where a cause doesn't name the step that ran, with a rule and a reason."""
    if not isinstance(cause, Cause):
        raise error(f"{processor} {what} with {cause!r}, not a Cause")
    if cause.processor != processor:
        raise error(f"{processor} {what} in the name of {cause.processor!r}: a cause names the step that ran")
    if not cause.rule or not cause.reason:
        raise error(f"{processor} {what} for no reason: a cause has a rule and a reason")


def _nothing_recorded_is_lost(before: Context, after: Context, processor: str) -> None:
    if after.request is not before.request:
        raise LawBroken(f"{processor} replaced the input of the build; it stays as it is")
    for name in ("drafts", "dropped", "notes"):
        if not isinstance(getattr(after, name), tuple):
            raise LawBroken(f"{processor} left {name} as {type(getattr(after, name)).__name__}, not a tuple")
    if not _begins_with(after.dropped, before.dropped):
        raise UnexplainedDrop(f"{processor} forgot what earlier steps had dropped")
    if not _begins_with(after.notes, before.notes):
        raise LawBroken(f"{processor} took back a note of an earlier step; notes only grow")
    if after.shared is not before.shared:
        for key, value in before.shared.items():
            now = after.shared.get(key)
            if now is not value and now != value:
                raise LawBroken(
                    f"{processor} replaced {key!r}, which an earlier step left; what steps leave only grows"
                )


def _begins_with(row: tuple[Any, ...], start: tuple[Any, ...]) -> bool:
    return row is start or (len(row) >= len(start) and all(a is b for a, b in zip(row, start, strict=False)))


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
                _Heir(draft, ancestors, self.processor).hold(self.place)
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
                    f"{self.processor} lost {draft.key!r} ({_start(draft)!r}): drop it with a Cause, or name it in `merged`"
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
        spans = {id(span): draft for draft in new for span in _spans(draft)}
        for old in self.before.drafts:
            for span in _spans(old):
                if id(span) in spans:
                    copy = spans[id(span)]
                    raise DuplicateKey(f"{self.processor} copied {old.key!r} as {copy.key!r}: a text is sent once")
        for draft in new:
            self._names_its_writers(draft)
        self._come_once([draft for draft in new if draft.origin.kind in ONCE])
        for draft in new:
            if draft.origin.kind in IN_REQUEST and not self.after.request.holds(draft.origin):
                raise InvalidDraft(
                    f"{self.processor} made {draft.key!r} from {draft.origin.kind} {draft.origin.ref!r}, which is not there"
                )
        sent = set(map(id, self.made))
        for draft in new:
            if id(draft) not in sent and draft.origin.kind not in IN_REQUEST and not _is_signed(draft):
                raise InvalidDraft(f"{self.processor} drops {draft.key!r}, which was never there")

    def _names_its_writers(self, draft: Draft) -> None:
        """What nobody signed is of the message's own origin."""
        for span in _spans(draft):
            if span.cause is None and span.origin != draft.origin and span.origin.kind != "separator":
                raise UnexplainedRewrite(
                    f"{self.processor} made {draft.key!r} with {_short(span.text)!r} from {span.origin.kind} "
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
                    f"{self.processor} moved {draft.key!r} ({_start(draft)!r}) and gives no cause: use draft.moved"
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
                        f"{self.processor} left the {what} {id!r} without its other half: calls and results go together; "
                        f"`with_whole_pairs` takes what is left alone"
                    )


class _Heir:
    """A draft that was made of others: taking the step back gives them."""

    def __init__(self, draft: Draft, ancestors: Sequence[Draft], processor: str) -> None:
        self.draft, self.ancestors, self.processor = draft, ancestors, processor
        earlier = tuple([change for ancestor in ancestors for change in ancestor.changes])
        self.forgot = not _begins_with(draft.changes, earlier)
        self.changes: dict[str, Change] = {}
        for change in draft.changes[len(earlier) :]:
            self.changes.setdefault(change.field, change)

    def hold(self, place: dict[int, int]) -> None:
        if self.forgot:
            raise UnexplainedChange(f"{self.processor} forgot what earlier steps had changed of {self.draft.key!r}")
        for change in self.changes.values():
            what = f"changed {change.field} of {self.draft.key!r}"
            check_cause(change.cause, self.processor, what, UnexplainedChange)
        self.check_body()
        self._fields_are_kept()
        moved = self.changes.get("place")
        if moved is not None and moved.before != place[id(self.ancestors[0])]:
            raise UnexplainedChange(f"{self.processor} says that {self.draft.key!r} stood at {moved.before}; it didn't")

    # --- words and files

    def check_body(self) -> None:
        draft = self.draft
        if len(self.ancestors) == 1 and _are_the_same(draft.body, self.ancestors[0].body) and not self.changes:
            return
        known = {_story(span) for ancestor in self.ancestors for span in _spans(ancestor)}
        was = _layout(str(p) if isinstance(p, Text) else p for ancestor in self.ancestors for p in ancestor.body)
        back = _layout(self._taken_back(p, known) if isinstance(p, Text) else p for p in draft.body)
        self._check_before("files", tuple([asset for ancestor in self.ancestors for asset in ancestor.assets]))
        if was == back:
            return
        words, words_back = _words(was), _words(back)
        if words != words_back:
            raise UnexplainedRewrite(
                f"{self.processor} rewrote {draft.key!r} ({_start(self.ancestors[0])!r}) and forgot what stood there "
                f"({_difference(words, words_back)}): use splice or sub"
            )
        if "files" not in self.changes:
            raise UnexplainedChange(
                f"{self.processor} took or moved a file of {draft.key!r} ({_start(draft)!r}) and gives no cause: "
                f"use draft.with_body"
            )

    def _taken_back(self, text: Text, known: set[_Story]) -> str:
        """The text without what this step did to it: its spans give back what they replaced, each once.

        Slices of one span share what it replaced, so that is told by identity.
        """
        for span in text.spans:
            if _story(span) not in known:
                check_cause(
                    span.cause, self.processor, f"put {_short(span.text)!r} into {self.draft.key!r}", UnexplainedRewrite
                )
        out: list[str] = []
        given_back: set[int] = set()
        stack = list(reversed(text.spans))
        while stack:
            span = stack.pop()
            if _story(span) in known:
                out.append(span.text)
            elif span.was and id(span.was) not in given_back:
                given_back.add(id(span.was))
                stack.extend(reversed(span.was))
        return "".join(out)

    # --- fields

    def _fields_are_kept(self) -> None:
        if len(self.ancestors) == 1:
            (old,) = self.ancestors
            for name in FIELDS:
                self._check_field(name, getattr(old, name))
            return
        for name, value in combined_fields(self.ancestors).items():
            if name not in SHARED_FIELDS:
                self._check_field(name, value)
        self._check_field("origin", self.ancestors[0].origin)
        for name in SHARED_FIELDS:
            values = tuple([getattr(ancestor, name) for ancestor in self.ancestors])
            is_one = all(value == values[0] for value in values)
            self._check_field(name, values[0] if is_one else values)

    def _check_field(self, name: str, before: Any) -> None:
        now = getattr(self.draft, name)
        if not (now is before or now == before) and name not in self.changes:
            raise UnexplainedChange(
                f"{self.processor} changed {name} of {self.draft.key!r} from {_short(repr(before))} to "
                f"{_short(repr(now))} and gives no cause: use draft.changed"
            )
        self._check_before(name, before)

    def _check_before(self, name: str, before: Any) -> None:
        change = self.changes.get(name)
        if change is not None and not (change.before is before or change.before == before):
            raise UnexplainedChange(
                f"{self.processor} says that {name} of {self.draft.key!r} was {_short(repr(change.before))}; it wasn't"
            )


def words_are_kept(draft: Draft, old: Draft, processor: str) -> None:
    """Raise the law that is broken where taking back what a step did to a draft's words doesn't give the old ones."""
    _Heir(draft, [old], processor).check_body()


# --- the conversation


def hold_history(after: Context, *, processor: str) -> None:
    """Every message of the path is among the drafts or the dropped, as it is stored or changed with a cause.

    An empty root is no message. Raises the law that is broken.
    """
    request = after.request
    found = {
        draft.origin.ref: draft
        for drafts in (after.drafts, *(group.drafts for group in after.dropped))
        for draft in drafts
        if draft.origin.kind in ("node", "summary")
    }
    leaf = request.leaf_id
    nodes = request.session.path(leaf) if leaf is not None else ()
    keys = [*(node.parent_id for node in nodes[1:]), leaf]
    for key, node in zip(keys, nodes, strict=False):
        draft = found.get(str(key))
        if draft is not None:
            _Loaded(draft, node, processor).hold()
        elif not node.is_empty_root:
            raise UnexplainedDrop(f"{processor} left out message {key!r} ({_short(node.content)!r}) without a cause")
    if request.pending is not None:
        typed = next((draft for draft in after.drafts if draft.origin.kind == "pending"), None)
        if typed is None or str(typed.text) != str(request.pending.text):
            raise UnexplainedDrop(f"{processor} left out what was typed ({_short(str(request.pending.text))!r})")


class _Loaded:
    """A draft and the stored message that it was made of."""

    def __init__(self, draft: Draft, node: MessageNode, processor: str) -> None:
        self.draft, self.node, self.processor = draft, node, processor

    def hold(self) -> None:
        draft, node = self.draft, self.node
        if draft.text.spans and not self._has_the_words():
            self._fail("content", node.content, str(draft.text))
        elif not draft.text.spans and node.content:
            self._fail("content", node.content, "")
        if (node.attachments or draft.assets) and [a.id for a in draft.assets] != [
            a.id for a in node.attachments or ()
        ]:
            self._check("files", node.attachments, draft.assets)
        self._check("role", node.role, draft.role)
        self._check("speaker", node.speaker, draft.speaker)
        if node.metadata or node.model_extra or draft.calls or draft.result_of or draft.reasoning or draft.priority:
            self._check("calls", node.tool_calls, draft.calls)
            self._check("result_of", node.result_of, draft.result_of)
            self._check("reasoning", node.reasoning, draft.reasoning)
            self._check("priority", node.priority, draft.priority)
            self._check("meta", node.metadata or {}, draft.meta)

    def _has_the_words(self) -> bool:
        """Whether taking back what the step did gives what is stored."""
        spans = self.draft.text.spans
        if len(spans) == 1 and spans[0].cause is None:
            return spans[0].text is self.node.content or spans[0].text == self.node.content
        out: list[str] = []
        given_back: set[int] = set()
        stack = list(reversed(spans))
        while stack:
            span = stack.pop()
            if span.cause is None:
                out.append(span.text)
                continue
            check_cause(
                span.cause, self.processor, f"put {_short(span.text)!r} into {self.draft.key!r}", UnexplainedRewrite
            )
            if span.was and id(span.was) not in given_back:
                given_back.add(id(span.was))
                stack.extend(reversed(span.was))
        return "".join(out) == self.node.content

    def _check(self, name: str, stored: Any, now: Any) -> None:
        if stored is now or stored == now:
            return
        if not any(change.field == name and change.cause.processor == self.processor for change in self.draft.changes):
            self._fail(name, stored, now)

    def _fail(self, name: str, stored: Any, now: Any) -> None:
        raise UnexplainedChange(
            f"{self.processor} changed {name} of {self.draft.key!r} from {_short(repr(stored))} to {_short(repr(now))} "
            f"and gives no cause"
        )


# --- pieces

_Story = tuple[Origin, Cause | None, int]


def _story(span: Span) -> _Story:
    """What tells a span of an earlier step, or a slice of one, from one that was put since: who wrote it and why."""
    return span.origin, span.cause, id(span.was)


def _spans(draft: Draft) -> Iterator[Span]:
    return (span for part in draft.body if isinstance(part, Text) for span in part.spans)


def _layout(pieces: Iterable[str | AssetRef]) -> list[str | int]:
    """Words and files in order; neighbouring words as one, files by identity."""
    found: list[str | int] = []
    for piece in pieces:
        if not isinstance(piece, str):
            found.append(id(piece))
        elif piece and found and isinstance(last := found[-1], str):
            found[-1] = last + piece
        elif piece:
            found.append(piece)
    return found


def _words(layout: Iterable[str | int]) -> str:
    return "".join([piece for piece in layout if isinstance(piece, str)])


def _difference(was: str, back: str) -> str:
    """The first words that are not given back, or that are too many."""
    at = next((i for i, (a, b) in enumerate(zip(was, back, strict=False)) if a != b), min(len(was), len(back)))
    lost = was[at : at + 20]
    return f"{lost!r} at character {at}" if lost else f"{back[at : at + 20]!r} is there twice"


def _middles(old: tuple[Draft, ...], new: tuple[Draft, ...]) -> tuple[tuple[Draft, ...], tuple[Draft, ...], int]:
    """Both rows without the drafts that they share at the front and at the back, and how many those at the front are."""
    shortest = min(len(old), len(new))
    front = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), shortest)
    backwards = zip(reversed(old), reversed(new), strict=False)
    back = next((i for i, (a, b) in enumerate(backwards) if a is not b), shortest)
    back = min(back, shortest - front)
    return old[front : len(old) - back], new[front : len(new) - back], front


def _are_the_same(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    return a is b or (len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True)))


def _has_moved(draft: Draft, ancestors: Sequence[Draft]) -> bool:
    earlier = sum(len(ancestor.changes) for ancestor in ancestors)
    return any(change.field == "place" for change in draft.changes[earlier:])


def _is_signed(draft: Draft) -> bool:
    return all(span.cause is not None for span in _spans(draft))


def _twice(drafts: Iterable[Draft]) -> str:
    seen: set[str] = set()
    for draft in drafts:
        if draft.key in seen:
            return draft.key
        seen.add(draft.key)
    return ""


def _named(group: Dropped) -> str:
    return group.drafts[0].key if len(group.drafts) == 1 else f"{len(group.drafts)} drafts"


def _start(draft: Draft) -> str:
    return _short(str(draft.text))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
