"""The newest units that fit; the oldest go first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ctxlab.context import Draft
from ctxlab.engines.truncation.strategy import Border, Verdict, Window

Retain = Literal["border", "each"]


@dataclass(frozen=True, slots=True)
class Sliding:
    """Keep from the newest backwards while units fit; the first that doesn't is the border, and all older ones go.

    With `retain="border"` the unit at the border may stay shortened, with "each" every older one too while it fits.
    """

    name: ClassVar[str] = "sliding"
    retain: Retain = "border"

    def cut(self, window: Window) -> Verdict:
        keep: list[int] = []
        short: dict[int, Draft] = {}
        left = window.left
        border: Border | None = None
        for unit in window.free_units():
            if border is None:
                needed = window.cost(unit)
                if needed <= left:
                    keep.extend(unit.at)
                    left -= needed
                    continue
                border = Border(needed, left, unit.at)
            heads = window.shortened(unit)
            if heads is None:
                break
            needed = sum(window.cost_of(draft) for draft in heads.values())
            if needed > left:
                break
            short.update(heads)
            keep.extend(unit.at)
            left -= needed
            if self.retain == "border":
                break
        return Verdict(frozenset(keep), short, border, window.left - left)

    def describe(self) -> str:
        return "counts from the newest back to the border; keeps an unbroken end of the conversation; loses its start"
