"""Tool calls and their results: which belong together, and what becomes of one without the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ctxlab.context.context import Context, Dropped
from ctxlab.context.draft_message import Draft
from ctxlab.context.text_with_origins import Cause

ORPHAN_RESULT = ("orphan-result", "no call asks for it")
UNANSWERED_CALL = "unanswered-call"
SILENT_CALL = (UNANSWERED_CALL, "no result answers it and it says nothing else")


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
