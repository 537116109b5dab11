"""Keeping a row of units up to a share of the room, and with the rest what ranks best among the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from ctxlab.engines.truncation.by_rank import best_first, keep_what_fits, rooms_by_rank, verdict_of
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRooms, room_for_share
from ctxlab.engines.truncation.rooms_beside_row import RoomsBesideRow
from ctxlab.engines.truncation.strategy import Verdict, Window
from ctxlab.engines.truncation.unit_costs import Unit


class BesideRow(Protocol):
    """A strategy with a row of units that come first, in an order that no room changes, and their share of the room.

    A unit of the row that doesn't fit into the share ends it; of the others each that doesn't fit is passed over.
    """

    __slots__ = ()

    @property
    def ranker_name(self) -> str: ...

    @property
    def share(self) -> float: ...

    def row(self, window: Window) -> Iterable[Unit]: ...

    def past(self, share: int) -> str:
        """A clause that is true of all that went; `share` are the tokens of the row."""
        ...

    def kept_as(self, window: Window, at: int) -> str:
        """Words for a message that stays by its place in the row, whatever its rank."""
        ...

    def cut(self, window: Window) -> Verdict:
        share = int(window.left * self.share)
        first = window.keep_while_they_fit(self.row(window), left=share)
        others = [each for each in best_first(window, self.ranker_name) if each.best not in first.keep]
        walk = keep_what_fits(others, window.left - first.spent)
        verdict = verdict_of(window, walk, kept=tuple(first.keep), spent=first.spent, also=self.past(share))
        return replace(verdict, kept_as={i: self.kept_as(window, i) for i in first.keep})

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, window.shared(self._rooms)[unit])

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        """Rooms for every number of units of the row, which these take out of the ranks."""
        if self.share == 0:
            return rooms_by_rank(window, self.ranker_name)
        ranked = best_first(window, self.ranker_name)
        rooms = RoomsBesideRow([each.tokens for each in ranked])
        place = {each.unit: i for i, each in enumerate(ranked)}
        spent, begins = 0, window.left + 1
        for unit in self.row(window):
            needed = window.cost(unit)
            ends = room_for_share(spent + needed, self.share)  # the first room with this one in the row's share
            if ends > begins:
                rooms.walk(begins, ends, spent)
                begins = ends
            if ends == FOREVER:
                break
            spent += needed
            rooms.take_out(place[unit], begins)
        if begins < FOREVER:
            rooms.walk(begins, FOREVER, spent)
        return {each.unit: found.rooms() for each, found in zip(ranked, rooms.rooms, strict=True)}
