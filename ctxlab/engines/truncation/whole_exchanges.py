"""The newest exchanges that fit whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ctxlab.engines.truncation.strategy import Border, Verdict, Window
from ctxlab.engines.truncation.units import Unit


@dataclass(frozen=True, slots=True)
class WholeExchanges:
    """Keep from the newest backwards while whole exchanges fit: a user message and all that follows up to the next.

    No answer stays without its question. Of an exchange that holds a protected message the rest is free to go.
    """

    name: ClassVar[str] = "whole-exchanges"

    def cut(self, window: Window) -> Verdict:
        keep: list[int] = []
        left = window.left
        for exchange in _exchanges(window):
            free = [unit for unit in exchange if not window.is_protected(unit)]
            needed = sum(window.cost(unit) for unit in free)
            if needed > left:
                border = Border(needed, left, tuple(i for unit in free for i in unit.at))
                return Verdict(frozenset(keep), border=border, spent=window.left - left)
            keep.extend(i for unit in free for i in unit.at)
            left -= needed
        return Verdict(frozenset(keep), spent=window.left - left)

    def describe(self) -> str:
        return "counts from the newest back, exchange by exchange; keeps questions with their answers; loses the start"


def _exchanges(window: Window) -> Iterator[list[Unit]]:
    """Units by exchange, newest first; what stands before the first user message is one of its own."""
    exchange: list[Unit] = []
    for unit in window.units():
        exchange.append(unit)
        first = window.draft(unit.at[0])
        if first.role == "user" and not first.is_result:
            yield exchange
            exchange = []
    if exchange:
        yield exchange
