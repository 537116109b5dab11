"""Both ends, evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ctxlab.engines.truncation.strategy import Verdict, Window
from ctxlab.engines.truncation.units import Unit


@dataclass(frozen=True, slots=True)
class MiddleOut:
    """Keep from both ends inwards, always on the side that has spent fewer tokens, until a unit doesn't fit.

    The order depends on the messages alone, so a larger budget keeps what a smaller one kept.
    """

    name: ClassVar[str] = "middle-out"

    def cut(self, window: Window) -> Verdict:
        return window.keep_while_they_fit(_inwards(window))

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
