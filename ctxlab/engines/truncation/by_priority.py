"""The important ones first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

from ctxlab.engines.truncation.least_room import Kept, KeptRange
from ctxlab.engines.truncation.strategy import ALL_OTHERS, Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ByPriority:
    """Keep units by the highest priority among their messages, newest first among equals, until one doesn't fit.

    A message's priority is `metadata.priority` of its node, a whole number; 0 where there is none.
    """

    name: ClassVar[str] = "by-priority"
    traits: ClassVar[Traits] = Traits()

    def cut(self, window: Window) -> Verdict:
        ranked = _ranked(window)
        verdict = window.keep_while_they_fit(each.unit for each in ranked)
        border = verdict.border
        if border is None:
            return verdict
        place = next(i for i, each in enumerate(ranked) if each.unit.at == border.at)
        return replace(verdict, reasons=tuple(_reasons(window, border, ranked[place + 1 :])))

    def kept(self, window: Window, unit: Unit) -> Kept:
        return Kept(unit.at, (KeptRange(window.cost_up_to(unit, _by_priority)),))

    def describe(self) -> str:
        return "counts in order of priority up to the cut; keeps what is marked important; loses the oldest of the rest"


class _Ranked(NamedTuple):
    priority: int
    newest: int
    unit: Unit


def _ranked(window: Window) -> list[_Ranked]:
    """Units that may go, by priority, then age; no two are as new as one another."""
    draft = window.draft

    def priority(at: tuple[int, ...]) -> int:
        return draft(at[0]).priority if len(at) == 1 else max(draft(i).priority for i in at)

    return sorted([_Ranked(priority(unit.at), unit.at[-1], unit) for unit in window.free_units()], reverse=True)


def _by_priority(window: Window) -> Iterator[Unit]:
    return (each.unit for each in _ranked(window))


def _reasons(window: Window, border: Border, gone: list[_Ranked]) -> Iterator[Reason]:
    """Of lower priority, or older and no more important; a unit has the highest priority and the newest place of its
    messages, so that of calls and results neither may be true of a message alone."""

    def priority(at: int) -> int:
        return window.draft(at).priority

    newest, highest = max(border.at), max(border.at, key=priority)
    most = priority(highest)
    lower: set[int] = set()
    older: set[int] = set()
    of_newest = priority(newest)
    for each in gone:
        at = each.unit.at
        if each.priority < most:
            lower.update(at)
        elif len(at) == 1 and of_newest == most:
            older.add(at[0])
        else:
            below = {i for i in at if priority(i) < most}
            lower |= below
            older.update(i for i in at if i not in below and i < newest and priority(i) <= of_newest)
    clause = f"which {border.words()}"
    yield Reason(border.own_words(needed_by(border)), border.at, border)
    yield Reason(f"of lower priority than {window.name(highest)}, {clause}", lower, border)
    yield Reason(f"older and no more important than {window.name(newest)}, {clause}", older, border)
    yield Reason(f"its calls and results rank behind those of {window.name(highest)}, {clause}", ALL_OTHERS, border)
