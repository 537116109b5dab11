"""Tool calls and their results: which belong together, and what becomes of one without the other."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, count
from string import ascii_letters
from typing import Any, cast

from ctxlab.context.context import Context, Dropped
from ctxlab.context.draft_message import Draft
from ctxlab.context.text_with_origins import Cause
from ctxlab.display.short_texts import counted, first_of
from ctxlab.documents import ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.replay_artifacts import ARTIFACTS, artifacts_of
from ctxlab.lazy_dataclass import dataclass

ORPHAN_RESULT = ("orphan-result", "no call asks for it")
UNANSWERED_CALL = "unanswered-call"
SILENT_CALL = (UNANSWERED_CALL, "no result answers it and it says nothing else")

NO_ID = "call_1"
"""The id that a call without one gets, if no earlier call has it; tokenizers count an answer to no id as this."""
NO_NAME = "unknown_tool"
"""The name that a call of a tool without one gets; tokenizers count a blank name as this."""


@dataclass(frozen=True, slots=True, eq=False)
class ToolUnit:
    """Positions of an assistant's message and of the results of its calls; `unanswered` are places in its calls.

    A message without calls is a unit by itself. An `orphan` is a result without its call.
    """

    at: tuple[int, ...]
    unanswered: tuple[int, ...] = ()
    orphan: bool = False

    @property
    def newest(self) -> int:
        return self.at[-1]


def units_newest_first(drafts: Sequence[Draft]) -> Iterator[ToolUnit]:
    """The drafts in units, newest first, computed one by one.

    A result belongs to the nearest earlier unanswered call with its id: calls and results pair up like brackets, so
    walking backwards a call takes the nearest later result that waits. A unit comes up when its call is reached.
    """
    waiting: dict[str, list[int]] = {}
    for i in range(len(drafts) - 1, -1, -1):
        draft = drafts[i]
        if draft.role == "tool":
            waiting.setdefault(draft.result_of or "", []).append(i)
        elif draft.calls:
            yield _with_results(i, draft, waiting)
        else:
            yield ToolUnit((i,))
    for i in sorted((i for stack in waiting.values() for i in stack), reverse=True):
        yield ToolUnit((i,), orphan=True)


def _with_results(i: int, draft: Draft, waiting: dict[str, list[int]]) -> ToolUnit:
    at = [i]
    unanswered: list[int] = []
    for place in range(len(draft.calls) - 1, -1, -1):
        stack = waiting.get(draft.calls[place].id)
        if stack:
            at.append(stack.pop())
        else:
            unanswered.append(place)
    return ToolUnit(tuple(sorted(at)), tuple(unanswered))


@dataclass(frozen=True, slots=True)
class CallIds:
    """Ids of tool calls by what became of them; an id is there as often as it is used."""

    answered: Counter[str] = field(default_factory=Counter[str])
    unanswered: Counter[str] = field(default_factory=Counter[str])
    orphans: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def of(cls, drafts: Iterable[Draft]) -> CallIds:
        tools = [draft for draft in drafts if draft.calls or draft.role == "tool"]
        found = cls()
        for unit in units_newest_first(tools):
            first = tools[unit.at[0]]
            if unit.orphan:
                found.orphans[first.result_of or ""] += 1
                continue
            for place, call in enumerate(first.calls):
                (found.unanswered if place in unit.unanswered else found.answered)[call.id] += 1
        return found


def with_whole_pairs(ctx: Context, processor: str) -> Context:
    """The context without results that have no call and without calls that have no result, pinned or not.

    A call is taken off its message; a message that is left with no words and no files goes whole. Each has a cause.
    """
    tools = [draft for draft in ctx.drafts if draft.calls or draft.role == "tool"]
    if _are_paired(tools):
        return ctx
    broken = [unit for unit in units_newest_first(tools) if unit.orphan or unit.unanswered]
    gone: dict[Cause, list[Draft]] = {}
    mended: dict[int, Draft] = {}
    for unit in reversed(broken):
        draft = tools[unit.at[0]]
        if unit.orphan:
            gone.setdefault(Cause(processor, *ORPHAN_RESULT), []).append(draft)
            continue
        whole = without_unanswered(draft, unit, processor)
        if whole is None:
            gone.setdefault(Cause(processor, *SILENT_CALL), []).append(draft)
        else:
            mended[id(draft)] = whole
            ctx = ctx.note("warning", f"{draft.key}: {whole.changes[-1].cause.reason}", processor=processor)
    out = {id(draft) for drafts in gone.values() for draft in drafts}
    kept = [mended.get(id(draft), draft) for draft in ctx.drafts if id(draft) not in out]
    return ctx.arrange(kept, dropped=[Dropped(tuple(drafts), cause) for cause, drafts in gone.items()])


def _are_paired(drafts: Iterable[Draft]) -> bool:
    """Whether every result has an earlier call of its id for itself, and every call a result."""
    waiting: dict[str, int] = {}
    for draft in drafts:
        if draft.role != "tool":
            for call in draft.calls:
                waiting[call.id] = waiting.get(call.id, 0) + 1
        elif left := waiting.get(draft.result_of or ""):
            waiting[draft.result_of or ""] = left - 1
        else:
            return False
    return not any(waiting.values())


def without_unanswered(draft: Draft, unit: ToolUnit, processor: str) -> Draft | None:
    """The message without its calls that nothing answers; None where it would be left with nothing to say."""
    calls = tuple([call for place, call in enumerate(draft.calls) if place not in unit.unanswered])
    if not (calls or str(draft.text).strip() or draft.assets):
        return None
    gone = ", ".join([draft.calls[place].id for place in sorted(unit.unanswered)])
    return draft.changed(Cause(processor, UNANSWERED_CALL, f"nothing answers {gone}; not sent"), calls=calls)


# --- calls and results in the form that vendors demand


def with_sendable_pairs(
    ctx: Context, processor: str, tokens_of: Callable[[str], int], *, start: Context | None = None
) -> Context:
    """The context with whole pairs: every call has a name and an id of its own, its result comes right behind it.

    Results stand behind their call's message in the order of the calls, and what stood between comes after them. A new
    id depends only on earlier messages and has no more tokens than the old one. Every change has a cause, and there is
    a note for each kind of them. `start` is the context before the step, where that has done something before this.
    """
    before = (start or ctx).drafts
    ctx = with_whole_pairs(ctx, processor)
    if not any(draft.calls for draft in ctx.drafts):
        return ctx
    return _with_results_behind(_with_own_ids(_with_names(ctx, processor), processor, tokens_of), processor, before)


def _with_names(ctx: Context, processor: str) -> Context:
    """Every call with the name of a tool."""
    cause = Cause(processor, "missing-name", f"its call names no tool; it is sent as a call of {NO_NAME}")
    named = {
        id(draft): draft.changed(cause, calls=tuple(map(_with_name, draft.calls)))
        for draft in ctx.drafts
        if any(not call.name.strip() for call in draft.calls)
    }
    if not named:
        return ctx
    keys = [draft.key for draft in named.values()]
    ctx = ctx.edit(lambda draft: named.get(id(draft), draft))
    words = f"{counted(len(keys), 'message')} had calls that name no tool, now {NO_NAME}: {first_of(keys)}"
    return ctx.note("warning", words, processor=processor, keys=keys)


def _with_name(call: ToolCall) -> ToolCall:
    return call if call.name.strip() else replace(call, name=NO_NAME)


def _with_own_ids(ctx: Context, processor: str, tokens_of: Callable[[str], int]) -> Context:
    """Every call with an id that no earlier call has, on both sides of the pair."""
    drafts = ctx.drafts
    tools = [draft for draft in drafts if draft.calls or draft.role == "tool"]
    ids = [call.id for draft in tools for call in draft.calls]
    if all(map(str.strip, ids)) and len(set(ids)) == len(ids):
        return ctx
    new_ids = NewIds(tokens_of)
    changed: dict[int, Draft] = {}
    repeated: list[str] = []
    missing: list[str] = []
    for unit in sorted(units_newest_first(tools), key=lambda unit: unit.at[0]):
        asked = tools[unit.at[0]]
        own = [new_ids.of(call.id) for call in asked.calls]
        if all(call.id == new for call, new in zip(asked.calls, own, strict=True)):
            continue
        calls = tuple([replace(call, id=new) for call, new in zip(asked.calls, own, strict=True)])
        renamed = [call.id for call, new in zip(asked.calls, own, strict=True) if call.id != new]
        (repeated if any(map(str.strip, renamed)) else missing).append(asked.key)
        cause = _of_new_id(processor, *renamed)
        changed[id(asked)] = asked.changed(cause, calls=calls, meta=_following(asked, own))
        for at, new in zip(_answers(asked.calls, unit, tools), own, strict=True):
            if at is not None:
                answer = tools[at]
                cause = _of_new_id(processor, answer.result_of or "")
                changed[id(answer)] = answer.changed(cause, result_of=new)
    ctx = ctx.edit(lambda draft: changed.get(id(draft), draft))
    for keys, had in ((repeated, "calls with the id of an earlier one"), (missing, "calls without an id")):
        if keys:
            words = f"{counted(len(keys), 'message')} had {had}, which have ids of their own now: {first_of(keys)}"
            ctx = ctx.note("warning", words, processor=processor, keys=keys)
    return ctx


def _following(draft: Draft, new_ids: Sequence[str]) -> Mapping[str, Any]:
    """The metadata, in which blocks that are sent with a call name it by its new id."""
    new: dict[str, str] = {}
    for call, id in zip(draft.calls, new_ids, strict=True):
        new.setdefault(call.id, id)
    changed = [(old, id) for old, id in new.items() if old != id]
    if not any(old in (one.before, one.on) for one in artifacts_of(draft.meta) for old, _ in changed):
        return draft.meta
    artifacts = [_with_new_place(one, new) for one in draft.meta[ARTIFACTS]]
    return FrozenDict({**draft.meta, ARTIFACTS: artifacts})


def _with_new_place(stored: Any, new: Mapping[str, str]) -> Any:
    if not isinstance(stored, Mapping):
        return stored
    fields = cast("Mapping[str, Any]", stored)
    places = {name: new[fields[name]] for name in ("before", "on") if fields.get(name) in new}
    return {**fields, **places}


def _of_new_id(processor: str, *was: str) -> Cause:
    repeated = [shown for shown in was if shown.strip()]
    if repeated:
        return Cause(processor, "repeated-id", f"an earlier call has the id {', '.join(dict.fromkeys(repeated))}")
    return Cause(processor, "missing-id", "the call has no id")


def _answers(calls: Sequence[ToolCall], unit: ToolUnit, drafts: Sequence[Draft]) -> list[int | None]:
    """The position of each call's result; those of one id in the order of the calls."""
    waiting: dict[str, deque[int]] = {}
    for i in unit.at[1:]:
        waiting.setdefault(drafts[i].result_of or "", deque()).append(i)
    return [(waiting[call.id].popleft() if waiting.get(call.id) else None) for call in calls]


class NewIds:
    """Ids of calls, each given once: the call's own where no earlier call has it, else a similar one.

    A similar one ends in a number and is as long, `call_1` becomes `call_2`; it never has more tokens than the old one
    unless all such numbers are used up.
    """

    def __init__(self, tokens_of: Callable[[str], int]) -> None:
        self._tokens_of = tokens_of
        self._given: set[str] = set()
        self._similar: dict[str, Iterator[str]] = {}

    def of(self, id: str) -> str:
        old = id if id.strip() else NO_ID
        if old in self._given:
            similar = self._similar.setdefault(old, self._cheap(old))
            old = next(new for new in similar if new not in self._given)
        self._given.add(old)
        return old

    def _cheap(self, old: str) -> Iterator[str]:
        most = self._tokens_of(old)
        cheap = (new for new in _of_like_length(old) if self._tokens_of(new) <= most)
        return chain(cheap, (f"{old}_{n}" for n in count(2)))


MOST_LIKE = 10_000


def _of_like_length(old: str) -> Iterator[str]:
    """The id with its end replaced by a number; of a short one numbers of three figures too, which are one token."""
    for n in range(2, min(MOST_LIKE, 10 ** max(3, len(old)))):
        yield old[: max(0, len(old) - len(str(n)))] + str(n)
    yield from ascii_letters


def _with_results_behind(ctx: Context, processor: str, before: Sequence[Draft]) -> Context:
    """Every result behind its call's message; `before` are the drafts before the step."""
    drafts = ctx.drafts
    places = [i for i, draft in enumerate(drafts) if draft.calls or draft.role == "tool"]
    tools = [drafts[i] for i in places]
    answers: dict[int, list[int]] = {}
    for unit in units_newest_first(tools):
        if len(unit.at) > 1:
            found = _answers(tools[unit.at[0]].calls, unit, tools)
            answers[places[unit.at[0]]] = [places[at] for at in found if at is not None]
    if all(at == list(range(i + 1, i + 1 + len(at))) for i, at in answers.items()):
        return ctx
    place = {draft.key: i for i, draft in enumerate(before)}
    results = {i for at in answers.values() for i in at}
    cause = Cause(processor, "result-order", "results come right behind their calls, in the order of the calls")
    arranged: list[Draft] = []
    moved: list[str] = []
    for i, draft in enumerate(drafts):
        if i in results:
            continue
        arranged.append(draft)
        stays = True  # those that follow the call without a gap; one behind a gap passes what is in it
        for expected, at in enumerate(answers.get(i, ()), start=i + 1):
            result = drafts[at]
            stays = stays and at == expected
            if not stays:
                result = result.moved(place[result.key], cause)
                moved.append(result.key)
            arranged.append(result)
    words = f"{counted(len(moved), 'result')} stood apart from the calls and now come behind them: {first_of(moved)}"
    return ctx.arrange(arranged).note("warning", words, processor=processor, keys=moved)
