"""A cut that stays put for a while."""

from __future__ import annotations

from itertools import accumulate
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.block_starts import block_starts
from ctxlab.engines.truncation.least_room import Kept, KeptRange, KeptRooms, Runs, room_for_share
from ctxlab.engines.truncation.strategy import Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """When the room is full, drop the oldest units down to a share of it, then let the conversation grow again.

    So the prompt begins with the same messages for many turns, which a vendor's prefix cache rewards; sliding moves the
    beginning at every turn. Where the cut lies is found by letting the conversation grow from its first message.
    """

    name: ClassVar[str] = "block"
    traits: ClassVar[Traits] = Traits(keeps_one_end=True, main_setting="block_share", step=0.05)
    block_share: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Block share",
            description="Share of the room that block drops down to when it is full.",
        ),
    ] = 0.5

    def cut(self, window: Window) -> Verdict:
        units = list(window.units())[::-1]
        costs = [window.cost(unit) for unit in units]
        share = int(window.capacity * self.block_share)
        start = total = 0
        full: _Full | None = None
        for i, needed in enumerate(costs):
            total += needed
            if total <= window.capacity:
                continue
            border = Border(needed, window.capacity - total + needed, units[i].at)
            while start < i and total > share:
                total -= costs[start]
                start += 1
            full = _Full(i, start, border)
            if total > window.capacity:  # it doesn't fit alone either
                start, total = i + 1, 0
        reasons = _reasons(window, units, full, share) if full else ()
        free = [i for i in range(start, len(units)) if not window.is_protected(units[i])]
        spent = sum(costs[i] for i in free)
        crowded_out: Border | None = None
        gone = 0
        while spent > window.left:  # a protected message from before the cut takes room too
            crowded_out = Border(spent, window.left, units[free[gone]].at)
            spent -= costs[free[gone]]
            gone += 1
        free = free[gone:]
        if crowded_out is not None:
            reasons += _reasons_for_want_of_room(window, crowded_out)
        border = full.border if full else None
        return Verdict(frozenset(at for i in free for at in units[i].at), {}, border, spent, reasons)

    def kept(self, window: Window, unit: Unit) -> Kept:
        if self.block_share == 1:  # the oldest go one by one, as many as there must
            return Kept(unit.at, (KeptRange(window.cost_up_to(unit, Window.free_units)),))
        return Kept(unit.at, window.shared(self._rooms)[unit])

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        """The rooms in which the prompt begins before each unit that is asked for and holds all that is newer."""
        units = list(window.units())[::-1]
        sums = [0, *accumulate(map(window.cost, units))]
        newer = sum(window.cost(unit) for unit in units if not window.is_protected(unit))
        least: dict[int, int] = {}
        for place, unit in enumerate(units):
            if not window.is_protected(unit):
                if window.is_asked(unit):
                    least[place] = max(window.left + 1, newer)
                newer -= window.cost(unit)
        oldest, newest = min(least), max(least)
        # With a share that holds the oldest and all that is newer, no cut ever passes it; with all tokens none comes.
        enough = min(room_for_share(sums[-1] - sums[oldest], self.block_share), sums[-1])
        protected = window.capacity - window.left
        first = least[newest] + protected
        found = block_starts(sums, self.block_share, least=first, most=max(first, enough), newest=newest)
        begins = (found.first - protected).tolist()
        by_start: dict[int, list[int]] = {}
        for i, start in enumerate(found.start.tolist()):
            by_start.setdefault(start, []).append(i)
        kept = Runs()
        rooms: dict[Unit, KeptRooms] = {}
        for place in range(newest + 1):  # of each more stretches keep it than of the one before
            for i in by_start.get(place, ()):
                kept.add(i)
            if place in least:
                rooms[units[place]] = kept.rooms(begins, least[place])
        return rooms

    def describe(self) -> str:
        return (
            "counts everything; keeps an unbroken end that starts at the same message for many turns; loses the start"
        )


class _Full(NamedTuple):
    """The last time that the room was full: with which unit, at which one it began afterwards, what was lacking."""

    unit: int
    start: int
    border: Border


def _reasons(window: Window, units: list[Unit], full: _Full, share: int) -> tuple[Reason, ...]:
    border = full.border
    last, capacity = window.name(border.at[0]), f"{window.capacity:,}"
    if border.needed > window.capacity:
        alone = Border(border.needed, window.capacity, border.at)
        needed = f"{needed_by(border)} needed {counted(border.needed, 'token')}".strip()
        own = Reason(f"{needed}, the whole room has {capacity}", border.at, alone)
        older = f"older than {last}, which needed {border.needed:,} where the whole room has {capacity}"
        return own, Reason(older, range(border.at[0]), alone)
    filled = f"filled the room of {counted(window.capacity, 'token')}"
    if full.start == full.unit:
        return (Reason(f"older than {last}, which {filled}", range(border.at[0]), border),)
    first = units[full.start].at[0]
    words = (
        f"older than {window.name(first)}: when {last} {filled}, the oldest went until the rest fitted into {share:,}"
    )
    return (Reason(words, range(first), border),)


def _reasons_for_want_of_room(window: Window, border: Border) -> tuple[Reason, ...]:
    what = "it and the newer ones that may go"
    own = Reason(border.own_words(what), border.at, border)
    older = f"older than {window.name(border.at[0])}, which with the newer ones that may go {border.words()}"
    return own, Reason(older, range(border.at[0]), border)
