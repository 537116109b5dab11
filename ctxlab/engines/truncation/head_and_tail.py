"""The beginning and the end; the middle goes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRange, room_for_share
from ctxlab.engines.truncation.strategy import Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit


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
        """
        oldest_first = list(window.free_units())[::-1]
        place = next(i for i, each in enumerate(oldest_first) if each is unit)
        head = [0, *accumulate(map(window.cost, oldest_first))]
        tail = head[-1] - head[place]
        most_in_head = bisect_right(head, int(window.left * self.head_share)) - 1
        begins = window.left + 1
        for in_head in range(most_in_head, place + 1):
            ends = room_for_share(head[in_head + 1], self.head_share)
            least = max(begins, tail + head[in_head])
            if least < ends:
                yield KeptRange(least, None if ends == FOREVER else ends - 1)
            if ends == FOREVER:
                return
            begins = max(begins, ends)
        yield KeptRange(begins)

    def describe(self) -> str:
        return "counts both ends up to the cut; keeps how it began and how it stands; loses what lies between"


def _reasons(window: Window, border: Border, share: int) -> tuple[Reason, ...]:
    own = Reason(border.own_words(needed_by(border)), border.at, border)
    older = f"older than {window.name(border.at[0])}, which {border.words()}"
    rest = f"{older}, and past the head's share of {counted(share, 'token')}"
    return own, Reason(rest, range(border.at[0]), border)
