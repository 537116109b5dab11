"""Both ends, evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from ctxlab.engines.truncation.least_room import Kept, KeptRange
from ctxlab.engines.truncation.strategy import ALL_OTHERS, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MiddleOut:
    """Keep from both ends inwards, always on the side that has spent fewer tokens, until a unit doesn't fit.

    The order depends on the messages alone, so a larger budget keeps what a smaller one kept.
    """

    name: ClassVar[str] = "middle-out"
    traits: ClassVar[Traits] = Traits()

    def cut(self, window: Window) -> Verdict:
        verdict = window.keep_while_they_fit(_inwards(window))
        border = verdict.border
        if border is None:
            return verdict
        own = Reason(border.own_words(needed_by(border)), border.at, border)
        rest = f"behind {window.name(border.at[0])} on the way from both ends inwards, which {border.words()}"
        return replace(verdict, reasons=(own, Reason(rest, ALL_OTHERS, border)))

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, (KeptRange(window.cost_up_to(unit, _inwards)),))

    def describe(self) -> str:
        return "counts from both ends to the cut; keeps as much of the start as of the end; loses the middle"


def _inwards(window: Window) -> Iterator[Unit]:
    units = list(window.free_units())
    newest, oldest = 0, len(units) - 1
    spent_new = spent_old = 0
    while newest <= oldest:
        if spent_new <= spent_old:
            unit, newest = units[newest], newest + 1
            spent_new += window.cost(unit)
        else:
            unit, oldest = units[oldest], oldest - 1
            spent_old += window.cost(unit)
        yield unit
