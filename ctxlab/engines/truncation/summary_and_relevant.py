"""Keeping what bears on the question, and a summary of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.by_rank import best_first, keep_what_fits, outcomes, verdict_of
from ctxlab.engines.truncation.least_room import FOREVER, Kept, KeptRooms, room_for_share
from ctxlab.engines.truncation.relevant import RankerName
from ctxlab.engines.truncation.strategy import Traits, Verdict, Window
from ctxlab.engines.truncation.summary_message import summary_message
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass

FEWEST_LOOKED_AT = 1_000
TOKENS_OF_LOOKED_AT = 20
"""Messages that a summary is made of: so many at least, and one for each of so many tokens that it may have; of more,
those that rank best."""


@dataclass(frozen=True, slots=True)
class SummaryAndRelevant:
    """Keep what ranks best by the newest user message, and a message with sentences of what went.

    A share of the room is set aside for the summary, which also takes what no unit fitted into. Where all units fit,
    all of them stay and there is no summary.
    """

    name: ClassVar[str] = "summary-and-relevant"
    traits: ClassVar[Traits] = Traits(main_setting="summary_share", step=0.05, quotes=True)
    summary_share: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Summary share",
            description="Share of the room that summary-and-relevant gives to a summary of what goes.",
        ),
    ] = 0.2
    ranker: RankerName = "bm25"

    @property
    def ranker_name(self) -> str:
        return self.ranker

    def cut(self, window: Window) -> Verdict:
        ranked = best_first(window, self.ranker)
        total = sum([each.tokens for each in ranked])
        if total <= window.left:
            return Verdict(frozenset(i for each in ranked for i in each.unit.at), spent=total)
        room = self._room_of_messages(window.left)
        walk = keep_what_fits(ranked, room)
        share = counted(window.left - room, "token")
        verdict = verdict_of(window, walk, also=f" beside the summary's share of {share}")
        most = max(FEWEST_LOOKED_AT, (window.left - verdict.spent) // TOKENS_OF_LOOKED_AT)
        cut = [i for each in ranked for i in each.unit.at if each.best not in verdict.keep]
        return _with_summary(window, verdict, sorted(cut[:most]))

    def _room_of_messages(self, room: int) -> int:
        return int(room * (1 - self.summary_share))

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, window.shared(self._rooms)[unit])

    def _rooms(self, window: Window) -> dict[Unit, KeptRooms]:
        """The rooms that leave enough beside the summary's share, and those into which all units fit."""
        share = 1 - self.summary_share
        ranked = best_first(window, self.ranker)
        costs = [each.tokens for each in ranked]
        total = sum(costs)
        least, most = (self._room_of_messages(room) for room in (window.left, total - 1))
        found: dict[Unit, KeptRooms] = {}
        for each, one in zip(ranked, outcomes(costs, least, most), strict=True):
            rooms = [room_for_share(room, share) for room in (*one.begins, one.last, one.lost)]
            first, again, last, lost = rooms if one.ranges else [total, FOREVER, total, FOREVER]
            if one.ranges and not one.at_most:  # then in all rooms into which everything fits
                again, last = min(again, total), total
            gaps = one.ranges - one.at_most if one.ranges else 0
            found[each.unit] = KeptRooms(first, last, gaps, *((lost, again) if gaps else (None, None)))
        return found

    def describe(self) -> str:
        return "counts everything; keeps what bears on the newest user message, and single sentences of the rest"


def _with_summary(window: Window, verdict: Verdict, cut: Sequence[int]) -> Verdict:
    """The verdict with a summary of the messages at these positions, in what is left; none where no sentence fits."""
    made = summary_message(window, cut, window.left - verdict.spent)
    if made is None:
        return verdict
    draft, quoted = made
    return replace(verdict, spent=verdict.spent + window.cost_of(draft), summary=draft, quoted=quoted)
