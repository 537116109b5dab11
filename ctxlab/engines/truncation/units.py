"""What can only go or stay together: one message, or an assistant's tool calls with their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxlab.context import Draft


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Positions of drafts, rising. `unanswered` are places in the message's calls; an `orphan` is a result alone."""

    at: tuple[int, ...]
    unanswered: tuple[int, ...] = ()
    orphan: bool = False

    @property
    def newest(self) -> int:
        return self.at[-1]


def newest_first(drafts: Sequence[Draft]) -> Iterator[Unit]:
    """Units of the drafts that may be cut (those that are not pinned), newest first, found as they are asked for.

    A result belongs to the nearest earlier unanswered call with its id: calls and results pair up like brackets, so
    walking backwards a call takes the nearest later result that waits. A unit comes up when its call is reached.
    """
    waiting: dict[str, list[int]] = {}
    for i in range(len(drafts) - 1, -1, -1):
        draft = drafts[i]
        if draft.pinned:
            continue
        if draft.role == "tool":
            waiting.setdefault(draft.result_of or "", []).append(i)
        elif draft.calls:
            yield _with_results(i, draft, waiting)
        else:
            yield Unit((i,))
    for i in sorted((i for stack in waiting.values() for i in stack), reverse=True):
        yield Unit((i,), orphan=True)


def _with_results(i: int, draft: Draft, waiting: dict[str, list[int]]) -> Unit:
    at = [i]
    unanswered: list[int] = []
    for place in range(len(draft.calls) - 1, -1, -1):
        stack = waiting.get(draft.calls[place].id)
        if stack:
            at.append(stack.pop())
        else:
            unanswered.append(place)
    return Unit(tuple(sorted(at)), tuple(unanswered))
