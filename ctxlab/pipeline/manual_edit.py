"""A person's edit between two steps, completed with the causes that the conservation law asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxlab.context import AssetRef, Cause, Change, Context, Draft, Dropped, Edit, Text
from ctxlab.errors import LawBroken
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.conservation.undo_step import FIELDS, check_text

HAND = "edit"
"""The step id of a person's edit, in traces and causes."""

RULE = "by hand"
TAKEN_OUT = Cause(HAND, RULE, "taken out in the debugger")
CHANGED = Cause(HAND, RULE, "changed in the debugger")
MOVED = Cause(HAND, RULE, "moved in the debugger")


def with_causes(before: Context, after: Context) -> Context:
    """The edited context with a cause 'edit' for every drop, rewritten text, changed field and moved draft."""
    old = {draft.key: draft for draft in before.drafts}
    drafts = [_explained(old[d.key], d) if d.key in old and old[d.key] is not d else d for d in after.drafts]
    drafts = _moved(before.drafts, drafts)
    known = set(map(id, before.dropped))  # a person may also put back what a step has dropped
    groups = [group if id(group) in known else _signed(group) for group in after.dropped]
    there = {part.key for draft in drafts for part in draft.parts}
    there |= {part.key for group in groups for draft in group.drafts for part in draft.parts}
    lost = tuple([draft for draft in before.drafts if any(part.key not in there for part in draft.parts)])
    if lost:
        groups.append(Dropped(lost, TAKEN_OUT))
    same = len(drafts) == len(after.drafts) and all(a is b for a, b in zip(drafts, after.drafts, strict=True))
    return replace(after, drafts=after.drafts if same else tuple(drafts), dropped=tuple(groups))


def reworded(draft: Draft, words: str) -> Draft:
    """The message with other words by hand, its files where they are; the same object where the words are the same.

    `words` are those of all its texts, as `draft.text` joins them.
    """
    was = str(draft.text)
    if words == was:
        return draft
    texts = [part for part in draft.body if isinstance(part, Text)]
    if not texts:
        return replace(draft, body=(Text.of(words, draft.origin, CHANGED), *draft.body))
    if len(texts) == 1:
        return draft.edit_text(lambda text: edited_text(text, words))
    start, back = _common_ends(was, words)
    new, end = words[start : len(words) - back], len(was) - back
    body: list[Text | AssetRef] = []
    at = 0
    for part in draft.body:
        if isinstance(part, Text):
            if at and part.spans and part.spans[0].origin.kind != "separator":
                at += 1  # the newline with which `draft.text` joins them
            stop = at + len(part)
            if start <= stop and at <= end:
                part, new = part.splice([Edit(max(start - at, 0), min(end, stop) - at, new, CHANGED)]), ""
            at = stop
        body.append(part)
    return replace(draft, body=tuple(body))


def _signed(group: Dropped) -> Dropped:
    cause = group.cause
    if cause.processor == HAND and cause.rule and cause.reason:
        return group
    return replace(group, cause=Cause(HAND, cause.rule or RULE, cause.reason or TAKEN_OUT.reason))


def _explained(old: Draft, new: Draft) -> Draft:
    """The changed draft with a Change for each field, and its text as an edit of what stood there."""
    known = {change.field for change in new.changes[len(old.changes) :]}
    changes = [
        Change(name, getattr(old, name), CHANGED)
        for name in FIELDS
        if name not in known and getattr(old, name) != getattr(new, name)
    ]
    new = replace(new, changes=(*new.changes, *changes)) if changes else new
    if len(new.merged) > len(old.merged):
        return new
    try:
        check_text(new, old, HAND)
    except LawBroken:
        return respelled(old, new)
    return new


def respelled(old: Draft, new: Draft) -> Draft:
    """The old body edited to say what the new one says; files as they are in the new one."""
    if _shape(old.body) == _shape(new.body):
        pairs = zip(old.body, new.body, strict=True)
        body = [edited_text(a, str(b)) if isinstance(a, Text) and isinstance(b, Text) else b for a, b in pairs]
        return replace(new, body=tuple(body))
    texts = Text([span for part in old.body if isinstance(part, Text) for span in part.spans])
    words = "".join([str(part) for part in new.body if isinstance(part, Text)])
    change = Change("files", old.assets, CHANGED)
    return replace(new, body=(edited_text(texts, words), *new.assets), changes=(*new.changes, change))


def _shape(body: Sequence[Text | AssetRef]) -> list[int | None]:
    return [None if isinstance(part, Text) else id(part) for part in body]


def edited_text(old: Text, words: str) -> Text:
    """The old text with the stretch replaced in which the words differ, by hand."""
    was = str(old)
    start, back = _common_ends(was, words)
    return old.splice([Edit(start, len(was) - back, words[start : len(words) - back], CHANGED)])


def _common_ends(was: str, words: str) -> tuple[int, int]:
    """The number of characters that two texts share at the front, and of the rest at the back."""
    shortest = min(len(was), len(words))
    start = next((i for i in range(shortest) if was[i] != words[i]), shortest)
    back = next((i for i in range(shortest - start) if was[-1 - i] != words[-1 - i]), shortest - start)
    return start, back


def _moved(before: Sequence[Draft], drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; each moved one gets a Change of its place."""
    place = {draft.key: i for i, draft in enumerate(before)}
    stay = [draft.key for draft in drafts if draft.key in place]
    lifted = set(moved_keys(sorted(stay, key=place.__getitem__), stay))
    explained = {d.key for d in drafts if d.key in lifted and d.changes and d.changes[-1].field == "place"}
    return [d.moved(place[d.key], MOVED) if d.key in lifted - explained else d for d in drafts]
