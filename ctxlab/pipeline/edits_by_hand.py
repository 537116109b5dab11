"""Edits that a person made between two steps, made again on a run in which an earlier step has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxlab.context import Context, Draft, Dropped, Text
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.conservation.undo_step import FIELDS
from ctxlab.pipeline.explain.message_names import message_name
from ctxlab.pipeline.manual_edit import HAND, edited_text, respelled, with_causes

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step


@dataclass(frozen=True, slots=True, eq=False)
class EditByHand:
    """An edit and its place: the steps that had run before it, in their order."""

    made: Step
    behind: tuple[str, ...]


def edits_in(steps: Sequence[Step], *, kept: int = 0) -> tuple[EditByHand, ...]:
    """The edits of a run from a position on, as they were first made."""
    found: list[EditByHand] = []
    behind: list[str] = []
    for i, step in enumerate(steps):
        if not step.edited:
            behind.append(step.id)
        elif i >= kept:
            found.append(EditByHand(step.first_made or step, step.behind or tuple(behind)))
    return tuple(found)


def steps_kept(steps: Sequence[Step], running: Sequence[str], *, shared: int) -> int:
    """The number of steps that another pipeline leaves as they are: the `shared` first, and edits in their places."""
    edits = iter(edits_in(steps))
    done = 0
    for i, step in enumerate(steps):
        if step.failure is not None:
            return i
        if step.edited:
            if _place(next(edits), running) != done:
                return i
        elif done == shared:
            return i
        else:
            done += 1
    return len(steps)


def edits_due(edits: Sequence[EditByHand], running: Sequence[str], *, done: int) -> list[EditByHand]:
    """The edits that follow the steps done, by number, of those that a pipeline runs.

    The place of an edit is behind the last step that ran before it and that runs here too.
    """
    return [edit for edit in edits if _place(edit, running) == done]


def _place(edit: EditByHand, running: Sequence[str]) -> int:
    places = {id: i + 1 for i, id in enumerate(running)}
    return next((places[id] for id in reversed(edit.behind) if id in places), 0)


def made_again(edits: Sequence[EditByHand], ctx: Context) -> list[Step]:
    """The edits as steps, one after another; what of them can't be made again here is a note of the step.

    A message is edited again where it has the very words and fields that were edited; a message that was put in goes
    behind the one that it stood behind. Of an edit that is lost the step changes nothing.
    """
    steps: list[Step] = []
    for edit in edits:
        step = edit.made if ctx is edit.made.before else _Again(edit.made, ctx).step()
        step = replace(step, behind=edit.behind)
        steps.append(step)
        ctx = step.after
    return steps


class _Again:
    """One edit, made again on another context."""

    def __init__(self, made: Step, ctx: Context) -> None:
        self.made, self.ctx = made, ctx
        self.was = {draft.key: draft for draft in made.before.drafts}
        self.lost: list[str] = []

    def step(self) -> Step:
        before, after = self.made.before, self.made.after
        ctx = self._dropped(self._rewritten(self.ctx))
        ctx = self._put_in(ctx)
        ctx = self._ordered(ctx)
        if after.input is not before.input:
            self._lose("the edit of the build's input by hand", "only the messages are edited again")
        reports, notes = after.reports[len(before.reports) :], after.notes[len(before.notes) :]
        ctx = replace(ctx, reports=(*ctx.reports, *reports)) if reports else ctx
        ctx = with_causes(self.ctx, ctx) if ctx is not self.ctx else ctx
        noted = ctx.noted([*notes, *self._notes()])
        first = self.made if self.lost else None
        return replace(self.made, id=HAND, before=self.ctx, after=noted, first_made=first)

    def _notes(self) -> Iterator[Note]:
        for text in dict.fromkeys(self.lost):
            yield Note("warning", text, HAND)

    def _lose(self, what: str, why: str) -> None:
        self.lost.append(f"{what} is lost: {why}")

    # --- what was changed of messages

    def _rewritten(self, ctx: Context) -> Context:
        """With the words and fields that were edited, where the message is as it was then."""
        edited = {draft.key: draft for draft in self.made.after.drafts if self.was.get(draft.key, draft) is not draft}
        if not edited:
            return ctx
        there = {draft.key: draft for draft in ctx.drafts}
        found: dict[str, Draft] = {}
        for key, new in edited.items():
            old, now = self.was[key], there.get(key)
            if not _is_another(old, new):
                continue  # it was moved
            what = f"the edit of {message_name(old)} by hand"
            if now is None:
                self._lose(what, _why_absent(key, ctx))
            elif len(new.merged) > len(old.merged):
                self._lose(what, "what it was joined with may have changed")
            elif differs := _difference(old, new, now):
                self._lose(what, _no_longer(differs))
            else:
                found[key] = _edited_alike(old, new, now)
        return ctx.edit(lambda draft: found.get(draft.key, draft))

    def _dropped(self, ctx: Context) -> Context:
        """Without the messages that were taken out."""
        known = set(map(id, self.made.before.dropped))
        for group in self.made.after.dropped:
            if id(group) in known:
                continue
            there = {draft.key: draft for draft in ctx.drafts}
            gone: list[Draft] = []
            for draft in group.drafts:
                now, old = there.get(draft.key), self.was.get(draft.key, draft)
                what = f"taking out {message_name(old)} by hand"
                if now is None:
                    self._lose(what, _why_absent(draft.key, ctx))
                elif differs := _difference(old, None, now):
                    self._lose(what, _no_longer(differs))
                else:
                    gone.append(now)
            if gone:
                out = set(map(id, gone))
                kept = [draft for draft in ctx.drafts if id(draft) not in out]
                ctx = ctx.arrange(kept, dropped=[Dropped(tuple(gone), group.cause)])
        return ctx

    # --- what was put in, and the order

    def _put_in(self, ctx: Context) -> Context:
        """With messages that the edit wrote, or put back, each behind the one that it stood behind."""
        after = self.made.after.drafts
        for i, draft in enumerate(after):
            if draft.key in self.was:
                continue
            is_put_back = self._was_dropped(draft.key)
            if any(each.key == draft.key for each in ctx.drafts):
                if not is_put_back:
                    self._lose(f"{message_name(draft)}, put in by hand,", "a message of that key is there already")
                continue
            gone = (each for group in ctx.dropped for each in group.drafts if each.key == draft.key)
            put = next(gone, None) if is_put_back else draft
            if put is None:
                self._lose(f"putting back {message_name(draft)} by hand", "the message isn't there any more")
                continue
            ctx = _without_dropped(ctx, draft.key)
            ctx = ctx.insert(_place_behind(after, i, ctx.drafts), put)
        return ctx

    def _was_dropped(self, key: str) -> bool:
        return any(draft.key == key for group in self.made.before.dropped for draft in group.drafts)

    def _ordered(self, ctx: Context) -> Context:
        """In the order of the edit, where the same messages stand in the same row as then."""
        stayed = {draft.key: None for draft in self.made.after.drafts if draft.key in self.was}
        if list(stayed) == [key for key in self.was if key in stayed]:
            return ctx
        wanted = [draft.key for draft in self.made.after.drafts]
        there = {draft.key: draft for draft in ctx.drafts}
        if [draft.key for draft in self.ctx.drafts] != list(self.was) or set(there) != set(wanted):
            self._lose("the order by hand", "other messages stand there now")
            return ctx
        return ctx.arrange([there[key] for key in wanted])


def _is_another(old: Draft, new: Draft) -> bool:
    """Whether more than the place of a message was changed."""
    return old.body is not new.body or old.merged != new.merged or any(map(_changed_in(old, new), FIELDS))


def _changed_in(old: Draft, new: Draft) -> Callable[[str], bool]:
    return lambda name: getattr(old, name) != getattr(new, name)


def _difference(old: Draft, new: Draft | None, now: Draft) -> str:
    """The fields of a message that aren't as they were when it was edited; empty when all that the edit touched are."""
    if _shape(old) != _shape(now):
        return "its text"
    if [part.key for part in old.merged] != [part.key for part in now.merged]:
        return "its parts"
    fields = [name for name in FIELDS if new is not None and getattr(old, name) != getattr(new, name)]
    return next((f"its {name.replace('_', ' ')}" for name in fields if getattr(old, name) != getattr(now, name)), "")


def _no_longer(what: str) -> str:
    return f"{what} {'are' if what.endswith('s') else 'is'} not what {'they were' if what.endswith('s') else 'it was'}"


def _shape(draft: Draft) -> list[tuple[str, str]]:
    """The words of the texts and the ids of the files of a body, in their order."""
    return [("text", str(part)) if isinstance(part, Text) else ("file", part.id) for part in draft.body]


def _edited_alike(old: Draft, new: Draft, now: Draft) -> Draft:
    """The message as it is now with the words and the fields of the edited one; causes of fields come later."""
    fields: dict[str, Any] = {n: getattr(new, n) for n in FIELDS if getattr(old, n) != getattr(new, n)}
    now = replace(now, **fields) if fields else now
    if old.body is new.body:
        return now
    kinds = [[kind if kind == "text" else id for kind, id in _shape(draft)] for draft in (old, new)]
    if kinds[0] != kinds[1]:
        return respelled(now, replace(now, body=new.body))
    pairs = zip(now.body, new.body, strict=True)
    body = [edited_text(a, str(b)) if isinstance(a, Text) and isinstance(b, Text) else a for a, b in pairs]
    return replace(now, body=tuple(body))


def _why_absent(key: str, ctx: Context) -> str:
    for group in ctx.dropped:
        if any(part.key == key for draft in group.drafts for part in (draft, *draft.merged)):
            return f"it is taken out before, by {group.cause.processor}"
    if any(part.key == key for draft in ctx.drafts for part in draft.merged):
        return "it is part of another message there"
    return "the message isn't there any more"


def _without_dropped(ctx: Context, key: str) -> Context:
    groups = [
        group
        if all(draft.key != key for draft in group.drafts)
        else replace(group, drafts=tuple([draft for draft in group.drafts if draft.key != key]))
        for group in ctx.dropped
    ]
    if all(new is old for new, old in zip(groups, ctx.dropped, strict=True)):
        return ctx
    return replace(ctx, dropped=tuple([group for group in groups if group.drafts]))


def _place_behind(row: Sequence[Draft], at: int, drafts: Sequence[Draft]) -> int:
    """The place of a message of one row in another: behind the nearest one before it, else before the next one."""
    places = {draft.key: i for i, draft in enumerate(drafts)}
    for draft in reversed(row[:at]):
        if draft.key in places:
            return places[draft.key] + 1
    return next((places[draft.key] for draft in row[at + 1 :] if draft.key in places), len(drafts))
