"""Units, which can only go or stay whole (a message, or tool calls with their results), and the tokens of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.context.portable_pickles import by_fields
from ctxlab.context.tool_pairs import ToolUnit as Unit
from ctxlab.context.tool_pairs import units_newest_first, without_unanswered
from ctxlab.lazy_dataclass import dataclass


def newest_first(drafts: Sequence[Draft]) -> Iterator[Unit]:
    """Units of the drafts that may be cut, newest first, found as they are asked for: none of them is pinned.

    Blocks of examples are none: they are kept as far as they fit after the history.
    """
    for unit in units_newest_first(drafts):
        place = drafts[unit.at[0]].placement
        if place is not None and place.block is not None:
            continue
        if not (drafts[unit.at[0]].pinned if len(unit.at) == 1 else any(drafts[i].pinned for i in unit.at)):
            yield unit


@dataclass(frozen=True, slots=True)
class UnitCost:
    """Messages that can only go or stay together, by key, and their tokens."""

    keys: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class MessageCost:
    """Tokens of a message under a budget: those of the draft, and those that later steps may add to it."""

    count: Callable[[Draft], int]
    added_tokens: int

    def __call__(self, draft: Draft) -> int:
        return self.count(draft) + self.added_tokens

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "count")


@dataclass(frozen=True, slots=True, eq=False)
class UnitCosts:
    """The tokens of what must stay, and, counted when they are asked for, those of every unit that may go.

    `drafts` are those before the cut; `protected` are the positions of those that must stay, whose tokens, with what
    the request itself needs, are `protected_tokens`.
    """

    drafts: tuple[Draft, ...]
    protected: frozenset[int]
    protected_tokens: int
    cost_of: MessageCost

    def __repr__(self) -> str:
        return f"UnitCosts({len(self.drafts)} drafts, {len(self.protected)} of them protected)"

    def __iter__(self) -> Iterator[UnitCost]:
        """The units that may go, newest first; calls that nothing answers are taken off as the limiter does."""
        for unit in newest_first(self.drafts):
            if unit.orphan or self.protected.issuperset(unit.at):
                continue
            drafts: list[Draft | None] = [self.drafts[i] for i in unit.at]
            if unit.unanswered:
                drafts[0] = without_unanswered(self.drafts[unit.at[0]], unit, "")
            whole = [draft for draft in drafts if draft is not None]
            if len(whole) == len(drafts):
                yield UnitCost(tuple([draft.key for draft in whole]), sum(map(self.cost_of, whole)))
