"""The beginning and the end; the middle goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxlab.engines.truncation.strategy import Verdict, Window


@dataclass(frozen=True, slots=True)
class HeadAndTail:
    """Keep the oldest units up to a share of the room, and with the rest the newest backwards; the middle goes.

    The first messages often say what the conversation is about, so they are worth a share of the budget.
    """

    name: ClassVar[str] = "head-and-tail"
    head_share: float = 0.25

    def cut(self, window: Window) -> Verdict:
        newest_first = list(window.free_units())
        head = window.keep_while_they_fit(reversed(newest_first), left=int(window.left * self.head_share))
        tail = window.keep_while_they_fit(
            (unit for unit in newest_first if not head.keep.issuperset(unit.at)), left=window.left - head.spent
        )
        return Verdict(head.keep | tail.keep, border=tail.border, spent=head.spent + tail.spent)

    def describe(self) -> str:
        return "counts both ends up to the cut; keeps how it began and how it stands; loses what lies between"
