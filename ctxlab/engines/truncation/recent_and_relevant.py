"""The newest end, and of the rest what bears on the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.by_rank import best_first, keep_what_fits, rooms_that_keep, verdict_of
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRange, room_for_share
from ctxlab.engines.truncation.relevant import RankerName
from ctxlab.engines.truncation.strategy import Traits, Verdict, Window
from ctxlab.engines.truncation.unit_costs import Unit


@dataclass(frozen=True, slots=True)
class RecentAndRelevant:
    """Keep the newest units up to a share of the room, and with the rest what ranks best among the others.

    A unit of the newest that doesn't fit into the share ends them; of the others each that doesn't fit is passed over.
    """

    name: ClassVar[str] = "recent-and-relevant"
    traits: ClassVar[Traits] = Traits(main_setting="recent_share", step=0.05)
    recent_share: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Recent share",
            description="Share of the room that recent-and-relevant gives to the newest.",
        ),
    ] = 0.3
    ranker: RankerName = "bm25"

    @property
    def ranker_name(self) -> str:
        return self.ranker

    def cut(self, window: Window) -> Verdict:
        share = int(window.left * self.recent_share)
        recent = window.keep_while_they_fit(window.free_units(), left=share)
        if recent.border is None:
            return recent
        others = [each for each in best_first(window, self.ranker) if each.best not in recent.keep]
        walk = keep_what_fits(others, window.left - recent.spent)
        also = f", and past the recent share of {counted(share, 'token')}"
        return verdict_of(window, walk, kept=tuple(recent.keep), spent=recent.spent, also=also)

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, self._ranges(window, unit))

    def _ranges(self, window: Window, unit: Unit) -> Iterator[KeptRange]:
        """Rooms for every number of units among the newest, up to this one, which takes these out of the ranks."""
        newest_first = list(window.free_units())
        ranked = [each.unit for each in best_first(window, self.ranker)]
        place = {each: i for i, each in enumerate(ranked)}
        own = place[unit]
        before: list[int | None] = [window.cost(each) for each in ranked[:own]]
        costs = [each for each in before if each is not None]
        total, most, cost = sum(costs), max(costs, default=0), window.cost(unit)
        small = sum(each for each in costs if each <= cost)
        spent, begins = 0, window.left + 1
        for each in newest_first:
            needed = window.cost(each)
            ends = room_for_share(spent + needed, self.recent_share)  # the first room with this one among the newest
            if ends > begins and ends - spent > small + cost:
                near = (c for c in reversed(before) if c is not None)
                for found in rooms_that_keep(near, total, most, cost, least=max(begins - spent, 0)):
                    if found.least + spent >= ends:
                        break
                    is_last = ends == FOREVER and found.most is None
                    end = None if is_last else min(ends - 1, ends if found.most is None else found.most + spent)
                    yield KeptRange(found.least + spent, end)
            if ends == FOREVER:
                return
            begins = max(begins, ends)
            spent += needed
            if each is unit:
                yield KeptRange(begins)
                return
            if place[each] < own:
                before[place[each]] = None
                total -= needed
                small -= needed if needed <= cost else 0

    def describe(self) -> str:
        return "counts everything; keeps how it stands and what bears on the newest user message; loses the rest"
