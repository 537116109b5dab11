"""A cut that stays put for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxlab.engines.truncation.strategy import Border, Verdict, Window


@dataclass(frozen=True, slots=True)
class Block:
    """When the room is full, drop the oldest units down to a share of it, then let the conversation grow again.

    So the prompt begins with the same messages for many turns, which a vendor's prefix cache rewards; sliding moves the
    beginning at every turn. Where the cut lies is found by letting the conversation grow from its first message.
    """

    name: ClassVar[str] = "block"
    block_share: float = 0.5

    def cut(self, window: Window) -> Verdict:
        units = list(window.units())[::-1]
        costs = [window.cost(unit) for unit in units]
        start = total = 0
        border: Border | None = None
        for i, needed in enumerate(costs):
            total += needed
            if total <= window.capacity:
                continue
            border = Border(needed, window.capacity - total + needed, units[i].at)
            while start < i and total > window.capacity * self.block_share:
                total -= costs[start]
                start += 1
            if total > window.capacity:  # it doesn't fit alone either
                start, total = i + 1, 0
        free = [i for i in range(start, len(units)) if not window.is_protected(units[i])]
        spent = sum(costs[i] for i in free)
        gone = 0
        while spent > window.left:  # a protected message from before the cut takes room too
            border = border or Border(spent, window.left)
            spent -= costs[free[gone]]
            gone += 1
        free = free[gone:]
        return Verdict(frozenset(at for i in free for at in units[i].at), border=border, spent=spent)

    def describe(self) -> str:
        return (
            "counts everything; keeps an unbroken end that starts at the same message for many turns; loses the start"
        )
