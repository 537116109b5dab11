"""The conservation law: nothing is lost without a cause. Held for every step, plugins too."""

from __future__ import annotations

from ctxlab.context import Context, Draft, Text
from ctxlab.errors import DuplicateKey, LawBroken, UnexplainedDrop, UnexplainedRewrite


def hold(before: Context, after: object, *, processor: str) -> Context:
    """`after`, when it accounts for everything that `before` had; else raises the law that is broken.

    Compared by identity: a step that changes nothing costs nothing, and only gone or new drafts are looked at.
    """
    if not isinstance(after, Context):
        raise LawBroken(f"{processor} returned {type(after).__name__}, not a Context")
    if after.dropped[: len(before.dropped)] != before.dropped:
        raise UnexplainedDrop(f"{processor} forgot what earlier steps had dropped")
    if after.drafts is before.drafts:
        return after
    old, new = _middles(before.drafts, after.drafts)
    accounted = {id(draft) for group in after.dropped[len(before.dropped) :] for draft in group.drafts}
    accounted.update(map(id, new))
    gone = [draft for draft in old if id(draft) not in accounted]
    known = set(map(id, old))
    made = [draft for draft in new if id(draft) not in known]
    if made or len(new) > len(old):
        _keys_are_unique(after.drafts, processor)
    if gone:
        _account_for(gone, made, before, after, processor)
    return after


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


def _account_for(gone: list[Draft], made: list[Draft], before: Context, after: Context, processor: str) -> None:
    by_key = {draft.key: draft for draft in made}
    holder = {part.key: draft for draft in made for part in draft.merged}
    dropped = {draft.key: draft for group in after.dropped[len(before.dropped) :] for draft in group.drafts}
    remembered: dict[int, set[object]] = {}
    for draft in gone:
        heir = by_key.get(draft.key) or holder.get(draft.key) or dropped.get(draft.key)
        if heir is None:
            raise UnexplainedDrop(
                f"{processor} lost {draft.key!r} ({_start(draft)!r}): drop it with a Cause, or name it in `merged`"
            )
        if not _kept(draft, heir, remembered):
            raise UnexplainedRewrite(
                f"{processor} rewrote {draft.key!r} ({_start(draft)!r}) and forgot what stood there: use splice or sub"
            )


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
