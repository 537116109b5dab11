"""The conservation law: nothing is lost without a cause. Held for every step, plugins too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ctxlab.context import Cause, Context, Draft, Dropped, Text
from ctxlab.documents import Note
from ctxlab.errors import DuplicateKey, LawBroken, UnexplainedDrop, UnexplainedRemoval, UnexplainedRewrite


def hold(before: Context, after: object, *, processor: str) -> Context:
    """`after`, when it accounts for everything that `before` had; else raises the law that is broken.

    Compared by identity: a step that changes nothing costs nothing, and only gone or new drafts are looked at.
    """
    if not isinstance(after, Context):
        raise LawBroken(f"{processor} returned {type(after).__name__}, not a Context")
    if after.dropped[: len(before.dropped)] != before.dropped:
        raise UnexplainedDrop(f"{processor} forgot what earlier steps had dropped")
    dropped = after.dropped[len(before.dropped) :]
    _causes_are_given(dropped, processor)
    if after.drafts is before.drafts:
        return after
    old, new = _middles(before.drafts, after.drafts)
    accounted = {id(draft) for group in dropped for draft in group.drafts}
    accounted.update(map(id, new))
    gone = [draft for draft in old if id(draft) not in accounted]
    known = set(map(id, old)) if new else set[int]()
    made = [draft for draft in new if id(draft) not in known]
    if made or len(set(map(id, new))) < len(new):
        _keys_are_unique(after.drafts, processor)
    if gone:
        taken_out = [draft for group in dropped for draft in group.drafts]
        changed = _account_for(gone, made, taken_out, processor)
        _name_every_part(gone, after, dropped, processor)
        if changed:
            _keep_files_and_calls(gone, changed, [*made, *taken_out], after.notes[len(before.notes) :], processor)
    return after


def _causes_are_given(dropped: Iterable[Dropped], processor: str) -> None:
    for group in dropped:
        if not isinstance(group.cause, Cause):  # pyright: ignore[reportUnnecessaryIsInstance]  (plugins are not checked)
            raise UnexplainedDrop(f"{processor} drops {len(group.drafts)} drafts with {group.cause!r}, not a Cause")


def _middles(old: tuple[Draft, ...], new: tuple[Draft, ...]) -> tuple[tuple[Draft, ...], tuple[Draft, ...]]:
    """Both rows without the drafts that they share at the front and at the back."""
    shortest = min(len(old), len(new))
    front = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), shortest)
    backwards = zip(reversed(old), reversed(new), strict=False)
    back = next((i for i, (a, b) in enumerate(backwards) if a is not b), shortest)
    back = min(back, shortest - front)
    return old[front : len(old) - back], new[front : len(new) - back]


def _keys_are_unique(drafts: tuple[Draft, ...], processor: str) -> None:
    if len({draft.key for draft in drafts}) == len(drafts):
        return
    seen: set[str] = set()
    for draft in drafts:
        if draft.key in seen:
            raise DuplicateKey(f"{processor} leaves two drafts with key {draft.key!r}")
        seen.add(draft.key)


def _account_for(gone: list[Draft], made: list[Draft], dropped: list[Draft], processor: str) -> list[Draft]:
    """Find the heir of each and compare their words; gives those whose files or calls are not where they were."""
    by_key = {draft.key: draft for draft in made}
    missing = {draft.key for draft in gone if draft.key not in by_key}
    holder = _holders(missing, (*dropped, *made)) if missing else {}
    remembered: dict[int, set[object]] = {}
    changed: list[Draft] = []
    for draft in gone:
        heir = by_key.get(draft.key) or holder.get(draft.key)
        if heir is None:
            raise UnexplainedDrop(
                f"{processor} lost {draft.key!r} ({_start(draft)!r}): drop it with a Cause, or name it in `merged`"
            )
        if not _kept(draft, heir, remembered):
            raise UnexplainedRewrite(
                f"{processor} rewrote {draft.key!r} ({_start(draft)!r}) and forgot what stood there: use splice or sub"
            )
        if not _carries_the_same(draft, heir):
            changed.append(draft)
    return changed


def _holders(keys: set[str], drafts: Iterable[Draft]) -> dict[str, Draft]:
    """Which of the drafts has one of the keys, or a part that has it."""
    found: dict[str, Draft] = {}
    for draft in drafts:
        if draft.merged:
            found.update((part.key, draft) for part in draft.merged if part.key in keys)
        if draft.key in keys:
            found[draft.key] = draft
    return found


def _name_every_part(gone: list[Draft], after: Context, dropped: Iterable[Dropped], processor: str) -> None:
    """What was merged before is still named by some draft, so that its life can be told to the end."""
    merged = [(part.key, draft) for draft in gone for part in draft.merged]
    if not merged:
        return
    there = (*after.drafts, *(draft for group in dropped for draft in group.drafts))
    named = {part.key for draft in there for part in draft.parts}
    for key, draft in merged:
        if key not in named:
            raise UnexplainedDrop(f"{processor} lost {key!r}, a part of {draft.key!r}: name it in `merged`")


def _carries_the_same(draft: Draft, heir: Draft) -> bool:
    """Whether the heir has its files and calls, by identity."""
    if draft.calls is heir.calls and draft.body is heir.body:
        return True
    if not draft.calls and not draft.assets:
        return True
    return draft.calls is heir.calls and [*map(id, draft.assets)] == [*map(id, heir.assets)]


def _keep_files_and_calls(
    gone: list[Draft], changed: list[Draft], there: list[Draft], notes: Sequence[Note], processor: str
) -> None:
    """What goes along with words goes along with some message still, or the step says what became of it."""
    waiting = {draft.key for draft in changed}
    settled = {draft.key for draft in gone if (draft.calls or draft.assets) and draft.key not in waiting}
    carriers = [draft for draft in there if draft.key not in settled]
    for what, ids in (("file", _files), ("call", _calls)):
        had, have = (Counter(id for draft in drafts for id in ids(draft)) for drafts in (changed, carriers))
        lost = had - have
        for draft in changed if lost else ():
            for id in ids(draft):
                if id in lost and not _is_told(id, there, notes):
                    raise UnexplainedRemoval(
                        f"{processor} took {what} {id!r} from {draft.key!r} ({_start(draft)!r}) and says nothing of "
                        f"it: put a text in its place whose origin has its id, or name it in a note"
                    )


def _files(draft: Draft) -> Iterator[str]:
    return (asset.id for asset in draft.assets)


def _calls(draft: Draft) -> Iterator[str]:
    return (call.id for call in draft.calls)


def _is_told(id: str, there: Iterable[Draft], notes: Iterable[Note]) -> bool:
    """Whether words stand in its place, such as what was heard in it, or a note names it."""
    if any(id in note.text or id in map(str, note.details.values()) for note in notes):
        return True
    return any(origin.ref == id for draft in there for origin in draft.text.origins())


def _kept(draft: Draft, heir: Draft, remembered: dict[int, set[object]]) -> bool:
    """Whether every origin that the draft's text had is in the heir's spans or in what they replaced."""
    if _same_texts(draft, heir):
        return True
    if id(heir) not in remembered:
        remembered[id(heir)] = {origin for part in heir.body if isinstance(part, Text) for origin in part.origins()}
    known = remembered[id(heir)]
    return all(origin in known for part in draft.body if isinstance(part, Text) for origin in part.origins())


def _same_texts(draft: Draft, heir: Draft) -> bool:
    return draft.body is heir.body or (
        len(draft.body) == len(heir.body) and all(a is b for a, b in zip(draft.body, heir.body, strict=True))
    )


def _start(draft: Draft) -> str:
    text = str(draft.text)
    return text if len(text) <= 30 else text[:27] + "..."
