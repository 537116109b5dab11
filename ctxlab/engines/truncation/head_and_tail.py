"""The beginning and the end; the middle goes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRange, room_for_share
from ctxlab.engines.truncation.strategy import Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HeadAndTail:
    """Keep the oldest units up to a share of the room, and with the rest the newest backwards; the middle goes.

    The first messages often say what the conversation is about, so they are worth a share of the budget.
    """

    name: ClassVar[str] = "head-and-tail"
    traits: ClassVar[Traits] = Traits(main_setting="head_share", step=0.05)
    head_share: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Head share",
            description="Share of the room that head-and-tail gives to the oldest.",
        ),
    ] = 0.25

    def cut(self, window: Window) -> Verdict:
        newest_first = list(window.free_units())
        share = int(window.left * self.head_share)
        head = window.keep_while_they_fit(reversed(newest_first), left=share)
        tail = window.keep_while_they_fit(
            (unit for unit in newest_first if not head.keep.issuperset(unit.at)), left=window.left - head.spent
        )
        reasons = _reasons(window, tail.border, share) if tail.border else ()
        return Verdict(head.keep | tail.keep, {}, tail.border, head.spent + tail.spent, reasons)

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, self._ranges(window, unit))

    def _ranges(self, window: Window, unit: Unit) -> Iterator[KeptRange]:
        """A range for every number of units in the head up to this one.

        While the head stays the same, the tail gains with the room; a unit more in the head takes its tokens from it.
        Only few numbers are looked at: with fewer in the head, the next one comes in before there is room enough, and
        from some number on there is always enough.
        """
        share, oldest = self.head_share, window.shared(_oldest_first)
        head, place = oldest.sums, oldest.place[unit]
        tail = head[-1] - head[place]
        in_head = bisect_right(head, int(window.left * share)) - 1
        if 0 < share < 1:  # else every number has to be looked at, which is soon done
            needed = (tail - oldest.most / share - 2) / (1 / share - 1)
            in_head = max(in_head, min(bisect_right(head, needed) - 1, place))
        elif share == 1 and tail > oldest.most:
            in_head = max(in_head, place)
        begins = window.left + 1
        if head[in_head] > int(window.left * share):
            begins = max(begins, room_for_share(head[in_head], share))
        while in_head <= place:
            ends = room_for_share(head[in_head + 1], share)
            least = max(begins, tail + head[in_head])
            if least < ends:
                yield KeptRange(least, None if ends == FOREVER else ends - 1)
            if ends == FOREVER:
                return
            begins, in_head = max(begins, ends), in_head + 1
            if share < 1 and head[in_head] * (1 / share - 1) > tail + 2 / share + 2:
                break
        yield KeptRange(begins)

    def describe(self) -> str:
        return "counts both ends up to the cut; keeps how it began and how it stands; loses what lies between"


class _Oldest(NamedTuple):
    """The places of units that may go, oldest first, the tokens of so many of them, and the most of one."""

    place: dict[Unit, int]
    sums: list[int]
    most: int


def _oldest_first(window: Window) -> _Oldest:
    units = list(window.free_units())[::-1]
    costs = list(map(window.cost, units))
    return _Oldest({unit: i for i, unit in enumerate(units)}, [0, *accumulate(costs)], max(costs, default=0))


def _reasons(window: Window, border: Border, share: int) -> tuple[Reason, ...]:
    own = Reason(border.own_words(needed_by(border)), border.at, border)
    older = f"older than {window.name(border.at[0])}, which {border.words()}"
    rest = f"{older}, and past the head's share of {counted(share, 'token')}"
    return own, Reason(rest, range(border.at[0]), border)
