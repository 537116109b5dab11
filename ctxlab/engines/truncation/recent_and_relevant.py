"""The newest end, and of the rest what bears on the question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.beside_row import BesideRow
from ctxlab.engines.truncation.relevant import RankerName
from ctxlab.engines.truncation.strategy import Traits, Window
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RecentAndRelevant(BesideRow):
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

    @property
    def share(self) -> float:
        return self.recent_share

    def row(self, window: Window) -> Iterable[Unit]:
        return window.free_units()

    def past(self, share: int) -> str:
        return f", and past the recent share of {counted(share, 'token')}"

    def kept_as(self, window: Window, at: int) -> str:
        return "one of the newest"

    def describe(self) -> str:
        return "counts everything; keeps how it stands and what bears on the newest user message; loses the rest"
