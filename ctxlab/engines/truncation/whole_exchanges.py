"""The newest exchanges that fit whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ctxlab.engines.truncation.least_room import Kept, KeptRange
from ctxlab.engines.truncation.strategy import ALL_OTHERS, Border, Reason, Traits, Verdict, Window
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WholeExchanges:
    """Keep from the newest backwards while whole exchanges fit: a user message and all that follows up to the next.

    No answer stays without its question. Of an exchange that holds a protected message the rest is free to go.
    """

    name: ClassVar[str] = "whole-exchanges"
    traits: ClassVar[Traits] = Traits(keeps_one_end=True)

    def cut(self, window: Window) -> Verdict:
        keep: list[int] = []
        left = window.left
        for exchange in _exchanges(window):
            free = [unit for unit in exchange if not window.is_protected(unit)]
            needed = sum(window.cost(unit) for unit in free)
            if needed > left:
                border = Border(needed, left, _positions(free))
                reasons = _reasons(window, border, is_whole=len(free) == len(exchange))
                return Verdict(frozenset(keep), {}, border, window.left - left, reasons)
            keep.extend(_positions(free))
            left -= needed
        return Verdict(frozenset(keep), spent=window.left - left)

    def kept(self, window: Window, unit: Unit) -> Kept:
        return window.shared(_kept)[unit]

    def describe(self) -> str:
        return "counts from the newest back, exchange by exchange; keeps questions with their answers; loses the start"


def _kept(window: Window) -> dict[Unit, Kept]:
    """Of every unit that may go, the exchange that it stays with and the room that this needs."""
    found: dict[Unit, Kept] = {}
    total = 0
    for exchange in _exchanges(window):
        free = [each for each in exchange if not window.is_protected(each)]
        total += sum(window.cost(each) for each in free)
        found |= dict.fromkeys(free, Kept(_positions(free), (KeptRange(total),)))
    return found


def _positions(units: list[Unit]) -> tuple[int, ...]:
    return tuple(sorted(i for unit in units for i in unit.at))


def _reasons(window: Window, border: Border, *, is_whole: bool) -> tuple[Reason, ...]:
    own = border.own_words("its exchange" if is_whole else "what may go of its exchange")
    older = f"in an exchange older than that of {window.name(border.at[0])}, which {border.words()}"
    return Reason(own, border.at, border), Reason(older, ALL_OTHERS, border)


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
