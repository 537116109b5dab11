"""The newest end, and of the rest what bears on the question."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.by_rank import best_first, keep_what_fits, rooms_by_rank, verdict_of
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRooms, room_for_share
from ctxlab.engines.truncation.relevant import RankerName
from ctxlab.engines.truncation.rooms_beside_newest import RoomsBesideNewest
from ctxlab.engines.truncation.strategy import Traits, Verdict, Window
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


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
        return Kept(unit.at, window.shared(self._rooms)[unit])

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        """Rooms for every number of units among the newest, which these take out of the ranks."""
        if self.recent_share == 0:
            return rooms_by_rank(window, self.ranker)
        ranked = best_first(window, self.ranker)
        rooms = RoomsBesideNewest([each.tokens for each in ranked])
        place = {each.unit: i for i, each in enumerate(ranked)}
        spent, begins = 0, window.left + 1
        for unit in window.free_units():
            needed = window.cost(unit)
            ends = room_for_share(spent + needed, self.recent_share)  # the first room with this one among the newest
            if ends > begins:
                rooms.walk(begins, ends, spent)
                begins = ends
            if ends == FOREVER:
                break
            spent += needed
            rooms.take_out(place[unit], begins)
        return {each.unit: found.rooms() for each, found in zip(ranked, rooms.rooms, strict=True)}

    def describe(self) -> str:
        return "counts everything; keeps how it stands and what bears on the newest user message; loses the rest"
