"""A cut that stays put for a while."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRooms, Runs, room_for_share
from ctxlab.engines.truncation.strategy import Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit

FEW = 16
"""Units that are asked for one by one; the rooms of all are found at once for more, at the cost of some thirty."""


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
        asked = window.shared(_Asked)
        asked.times += 1
        return Kept(unit.at, self._rooms_of(window, unit) if asked.times <= FEW else window.shared(self._rooms)[unit])

    def _rooms_of(self, window: Window, unit: Unit) -> KeptRooms:
        """The rooms in which the prompt begins before one unit and holds all that is newer."""
        row = window.shared(_Row.of)
        place = next(i for i, each in enumerate(row.units) if each is unit)
        # With a share that holds it and all that is newer, no cut ever passes it.
        sure = room_for_share(row.sums[-1] - row.sums[place], self.block_share)
        begins, starts = self._stretches(row.sums, window, place, sure)
        kept = Runs()
        for i, start in enumerate(starts):
            if start <= place:
                kept.add(i)
        newer = sum(window.cost(each) for each in row.units[place:] if not window.is_protected(each))
        return kept.rooms(begins, max(window.left + 1, newer))

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        """Rooms of each unit that may go, walked once: from the oldest unit on more of them keep it."""
        units, sums = window.shared(_Row.of)
        begins, starts = self._stretches(sums, window, len(units), FOREVER)
        by_start: dict[int, list[int]] = {}
        for i, start in enumerate(starts):
            by_start.setdefault(start, []).append(i)
        kept = Runs()
        newer = sum(window.cost(unit) for unit in units if not window.is_protected(unit))
        found: dict[Unit, KeptRooms] = {}
        for place, unit in enumerate(units):
            for i in by_start.get(place, ()):
                kept.add(i)
            if not window.is_protected(unit):
                found[unit] = kept.rooms(begins, max(window.left + 1, newer))
                newer -= window.cost(unit)
        return found

    def _stretches(self, sums: list[int], window: Window, place: int, sure: int) -> tuple[list[int], list[int]]:
        """Stretches of rooms above the window's by their first room, and the unit at which the prompt begins there.

        `sums[n]` are the tokens of the oldest n units. Of a prompt that begins behind `place` just one such unit is
        told; the last stretch is the one with a capacity of `sure`. Most cuts on the way are the same in the next.
        """
        protected, room = window.capacity - window.left, window.left + 1
        begins: list[int] = []
        starts: list[int] = []
        cuts: dict[int, _Cut] = {}
        while True:
            capacity, changes = room + protected, FOREVER
            at: int | None = 0
            start = 0
            while at is not None:
                start = at
                if start > place:
                    break
                cut = cuts.get(start)
                if cut is None or cut.until <= capacity:
                    cut = cuts[start] = self._next_cut(sums, capacity, start)
                changes = min(changes, cut.until)
                at = cut.start
            begins.append(room)
            starts.append(start)
            if changes == FOREVER or capacity >= sure:
                return begins, starts
            room = min(changes, sure) - protected

    def _next_cut(self, sums: list[int], capacity: int, start: int) -> _Cut:
        """The unit at which the prompt begins after the room was next full."""
        full = bisect_right(sums, sums[start] + capacity) - 1
        if full == len(sums) - 1:
            return _Cut(None, FOREVER)
        with_it = sums[full + 1]
        until = with_it - sums[start]
        begins = bisect_left(sums, with_it - int(capacity * self.block_share), start, full)
        if begins > start:
            until = min(until, room_for_share(with_it - sums[begins - 1], self.block_share))
        alone = with_it - sums[begins]
        return _Cut(begins, until) if alone <= capacity else _Cut(full + 1, min(until, alone))

    def describe(self) -> str:
        return (
            "counts everything; keeps an unbroken end that starts at the same message for many turns; loses the start"
        )


class _Row(NamedTuple):
    """The units from the oldest on, and the tokens of the oldest n of them."""

    units: list[Unit]
    sums: list[int]

    @classmethod
    def of(cls, window: Window) -> _Row:
        units = list(window.units())[::-1]
        return cls(units, [0, *accumulate(map(window.cost, units))])


class _Asked:
    """The number of units that were asked for in a window."""

    def __init__(self, window: Window) -> None:
        self.times = 0


class _Cut(NamedTuple):
    """The unit at which the prompt begins afterwards, None where no cut comes any more, and the first larger capacity
    of which this isn't true."""

    start: int | None
    until: int


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
