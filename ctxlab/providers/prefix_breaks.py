"""Changes in front of the first new message, from one run to the next, with the steps that made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ctxlab.context import AssetRef, Context, Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Step, Trace
from ctxlab.pipeline.alignment import moved_keys

OF_HISTORY = frozenset({"node", "pending", "summary"})
PENDING = "pending"


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """A message before the first new one that is no longer as it was; `step` is the one that changed it.

    `key` is "" for what is no message, and `step` where it was no step: another conversation, other tools.
    """

    key: str
    step: str
    reason: str

    def as_data(self) -> dict[str, Any]:
        return {"key": self.key, "step": self.step, "reason": self.reason}


def prefix_breaks(old: Trace, new: Trace) -> tuple[PrefixBreak, ...]:
    """The messages in front of the first new one that changed, moved, came or went, in the order of the new run."""
    return tuple(_Comparison(old, new).breaks())


class _Run:
    """A run whose messages are found by key after each step; `names` are keys that they have in the other run."""

    def __init__(self, trace: Trace, names: Mapping[str, str]) -> None:
        self.trace, self.names = trace, names
        self.steps = {step.id: step for step in trace.steps}
        self._of: dict[int, dict[str, tuple[int, Draft]]] = {}

    def at(self, ctx: Context) -> dict[str, tuple[int, Draft]]:
        """The messages of a state by key, with their places."""
        found = self._of.get(id(ctx))
        if found is None:
            names = self.names
            found = {names.get(draft.key, draft.key): (at, draft) for at, draft in enumerate(ctx.drafts)}
            self._of[id(ctx)] = found
        return found

    def after(self, step_id: str, key: str) -> Draft | None:
        step = self.steps.get(step_id)
        found = self.at(step.after).get(key) if step else None
        return found[1] if found else None

    @cached_property
    def result(self) -> dict[str, tuple[int, Draft]]:
        return self.at(self.trace.result)

    @cached_property
    def dropped(self) -> dict[str, tuple[str, str]]:
        """The step that left a message out, and its reason, by key."""
        return {
            self.names.get(draft.key, draft.key): (group.cause.processor, group.cause.reason or group.cause.rule)
            for group in self.trace.result.dropped
            for draft in group.drafts
        }

    @cached_property
    def known(self) -> frozenset[str]:
        """Every message that was there after any step."""
        keys = {key for ctx in (self.trace.start, *(step.after for step in self.trace.steps)) for key in self.at(ctx)}
        return frozenset(keys | self.dropped.keys())

    def first_step_with(self, key: str) -> Step | None:
        return next(
            (s for s in self.trace.steps if key in self.at(s.after) and key not in self.at(s.before)),
            None,
        )

    def first_step_without(self, key: str) -> Step | None:
        return next((s for s in self.trace.steps if key in self.at(s.before) and key not in self.at(s.after)), None)


class _Comparison:
    """Two runs, and the messages of both by the key that they have in the new one."""

    def __init__(self, old: Trace, new: Trace) -> None:
        self.old, self.new = _Run(old, _stored_pending(old, new)), _Run(new, {})
        drafts = new.result.drafts
        known = self.old.known
        new_ones = (at for at, d in enumerate(drafts) if d.origin.kind in OF_HISTORY and d.key not in known)
        self.first_new = next(new_ones, len(drafts))

    def breaks(self) -> Iterator[PrefixBreak]:
        moved = self._moved()
        for key, (at, draft) in self.new.result.items():
            was = self.old.result.get(key)
            if was is not None and _state(was[1]) != _state(draft):
                yield self._changed(key)
            elif was is not None and key in moved:
                by, behind = moved[key]
                yield self._moved_break(key, by, behind=behind)
            elif was is None and at < self.first_new:
                yield self._came(key)
        for key in self.old.result:
            if key not in self.new.result:
                yield self._went(key)

    def _moved(self) -> dict[str, tuple[str, bool]]:
        """Messages of both runs that moved: by each one that it has passed, and whether it stands behind that now.

        Those behind the first new message have passed it. Of the others the fewest that can have moved are told.
        """
        here, there = self.new.result, self.old.result
        kept = [key for key in here if key in there]
        front = [key for key in kept if here[key][0] < self.first_new]
        in_front = set(front)
        moved = set(moved_keys([key for key in there if key in in_front], front))
        stay = [key for key in front if key not in moved]
        new = self.new.trace.result.drafts
        found = {key: (new[self.first_new].key, True) for key in kept if here[key][0] > self.first_new}
        for key in moved:
            at = here[key][0]
            by = next(other for other in stay if (here[other][0] < at) != (there[other][0] < there[key][0]))
            found[key] = (by, here[by][0] < at)
        return found

    def _changed(self, key: str) -> PrefixBreak:
        for step in self.new.trace.steps:
            there, was = self.new.after(step.id, key), self.old.after(step.id, key)
            if there is None and was is None:
                continue
            if there is None or was is None or _state(there) != _state(was):
                found = there or was
                is_loaded = (
                    found is not None and found.origin.kind in OF_HISTORY and key not in self.new.at(step.before)
                )
                reason = "what is stored of it isn't what it was" if is_loaded else _reason(found, step.id)
                return PrefixBreak(key, step.id, reason)
        return PrefixBreak(key, "", "it isn't what it was")

    def _moved_break(self, key: str, by: str, *, behind: bool) -> PrefixBreak:
        is_new = by not in self.old.result
        now, before = ("behind", "in front of") if behind else ("in front of", "behind")
        reason = f"it stands {now} {by} now, " + ("which is new" if is_new else f"{before} which it stood")
        for step in self.new.trace.steps:
            places = self.new.at(step.after)
            if key in places and by in places and (places[by][0] < places[key][0]) == behind:
                place = self.new.result[key][1].placement
                asked = f"; it was asked for at {place}" if place is not None and str(place) else ""
                return PrefixBreak(key, step.id, reason + asked)
        return PrefixBreak(key, "", reason)

    def _came(self, key: str) -> PrefixBreak:
        if key in self.old.dropped:
            step, why = self.old.dropped[key]
            return PrefixBreak(key, step, f"it was left out before: {why}")
        merged = self.old.first_step_without(key) if key in self.old.known else None
        if merged is not None:
            whole = _merged_into(key, merged)
            return PrefixBreak(
                key, merged.id, f"it was a part of {whole} before" if whole else "it was left out before"
            )
        found = self.new.first_step_with(key)
        if found is None:
            return PrefixBreak(key, "", "it wasn't there before")
        return PrefixBreak(key, found.id, "this step puts it here; the request before didn't have it")

    def _went(self, key: str) -> PrefixBreak:
        if key in self.new.dropped:
            step, why = self.new.dropped[key]
            return PrefixBreak(key, step, f"it is left out now: {why}")
        found = self.new.first_step_without(key)
        if found is not None:
            whole = _merged_into(key, found)
            return PrefixBreak(key, found.id, f"it is a part of {whole} now" if whole else "it is left out now")
        put = self.old.first_step_with(key)
        if put is not None and self.old.result[key][1].origin.kind not in OF_HISTORY:
            return PrefixBreak(key, put.id, "this step had put it there; it isn't in this request")
        return PrefixBreak(key, "", "it is no message of this run")


def _merged_into(key: str, step: Step) -> str:
    """The message of which another one is a part after a step; "" for none."""
    return next((d.key for d in step.after.drafts if any(part.key == key for part in d.merged)), "")


def _stored_pending(old: Trace, new: Trace) -> dict[str, str]:
    """The key of the message that the pending one of the old run has become."""
    pending = next((draft for draft in old.result.drafts if draft.key == PENDING), None)
    if pending is None or any(draft.key == PENDING for draft in new.start.drafts):
        return {}
    known = {draft.key for step in old.steps for draft in step.after.drafts}
    for draft in new.result.drafts:
        if draft.origin.kind == "node" and draft.key not in known:
            return {PENDING: draft.key} if _state(draft) == _state(pending) else {}
    return {}


def _reason(draft: Draft | None, step: str) -> str:
    """Why a step wrote what is in a message, from the causes of its characters."""
    causes = [span.cause for span in draft.text.spans if span.cause is not None] if draft else []
    mine = [cause for cause in causes if cause.processor == step]
    said = next((cause.reason or cause.rule for cause in mine if cause.reason or cause.rule), "")
    return f"this step wrote into it: {said}" if said else "after this step it is another than in the request before"


def _state(draft: Draft) -> tuple[Any, ...]:
    """Everything of a message that is sent, to be compared."""
    files: Sequence[Any] = [part.as_data() for part in draft.body if isinstance(part, AssetRef)]
    own = draft.meta.get("reasoningArtifacts") if draft.meta else None
    return draft.role, str(draft.text), files, draft.calls, draft.result_of, draft.reasoning, draft.speaker, own
