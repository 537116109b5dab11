"""The user's rules and preferences, and what the question needs for its length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.display.short_texts import short
from ctxlab.engines.ranking.worth import asks_for_overview
from ctxlab.engines.truncation.beside_row import BesideRow
from ctxlab.engines.truncation.pins import Pin, pin_of
from ctxlab.engines.truncation.strategy import Traits, Window
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Adaptive(BesideRow):
    """Keep the user's rules and preferences up to a share of the room, and what the newest user message needs.

    Where it asks for an order, a summary or a development, what the user said comes first and nothing is pinned; else
    messages rank by the words that they share with it against their length. Of pins the shortest come first.
    """

    name: ClassVar[str] = "adaptive"
    traits: ClassVar[Traits] = Traits(main_setting="pins_share", step=0.05)
    pins_share: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Share of pins",
            description="Share of the room that adaptive gives to messages with rules and preferences of the user.",
        ),
    ] = 0.15

    @property
    def ranker_name(self) -> str:
        return self.name

    @property
    def share(self) -> float:
        return self.pins_share

    def row(self, window: Window) -> Iterable[Unit]:
        if asks_for_overview(window.query):
            return ()
        pins = [unit for unit in window.free_units() if any(_pin(window, i) for i in unit.at)]
        return sorted(pins, key=lambda unit: (window.cost(unit), -unit.at[0]))

    def past(self, share: int) -> str:
        return ""

    def kept_as(self, window: Window, at: int) -> str:
        pin = _pin(window, at)
        return f"{pin.kind}: {short(pin.words, 80)}" if pin is not None else "goes with a rule or preference"

    def describe(self) -> str:
        return "counts everything; keeps the user's rules and what the newest user message needs; loses long answers"


def _pin(window: Window, at: int) -> Pin | None:
    draft = window.draft(at)
    return pin_of(str(draft.text)) if draft.role == "user" else None
