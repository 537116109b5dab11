"""The important ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxlab.engines.truncation.strategy import Verdict, Window
from ctxlab.engines.truncation.units import Unit


@dataclass(frozen=True, slots=True)
class ByPriority:
    """Keep units by the highest priority among their messages, newest first among equals, until one doesn't fit.

    A message's priority is `metadata.priority` of its node, a whole number; 0 where there is none.
    """

    name: ClassVar[str] = "by-priority"

    def cut(self, window: Window) -> Verdict:
        def rank(unit: Unit) -> tuple[int, int]:
            return max(window.draft(i).priority for i in unit.at), unit.newest

        return window.keep_while_they_fit(sorted(window.free_units(), key=rank, reverse=True))

    def describe(self) -> str:
        return "counts in order of priority up to the cut; keeps what is marked important; loses the oldest of the rest"
