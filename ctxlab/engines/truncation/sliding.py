"""The newest units that fit; the oldest go first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from ctxlab.context import Draft
from ctxlab.engines.truncation.least_room import Kept, KeptRange
from ctxlab.engines.truncation.strategy import Border, Reason, Traits, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.lazy_dataclass import dataclass

Retain = Literal["border", "each"]


@dataclass(frozen=True, slots=True)
class Sliding:
    """Keep from the newest backwards while units fit; the first that doesn't is the border, and all older ones go.

    With `retain="border"` the unit at the border may stay shortened, with "each" every older one too while it fits.
    """

    name: ClassVar[str] = "sliding"
    traits: ClassVar[Traits] = Traits(
        keeps_one_end=True, keeps_one_more=True, main_setting="retained_characters", step=50, shortens=True
    )
    retain: Annotated[
        Retain,
        Field(title="Retain", description="Shorten only the message at the border of the cut, or every cut one."),
    ] = "border"

    def cut(self, window: Window) -> Verdict:
        keep: list[int] = []
        short: dict[int, Draft] = {}
        left = window.left
        border: Border | None = None
        reasons: tuple[Reason, ...] = ()
        for unit in window.free_units():
            if border is None:
                needed = window.cost(unit)
                if needed <= left:
                    keep.extend(unit.at)
                    left -= needed
                    continue
                border = Border(needed, left, unit.at)
            heads = window.shortened(unit)
            needed = _cost_of_all(window, heads)
            if heads is None or needed > left:
                if unit.at == border.at:
                    reasons = _whole_did_not_fit(window, border)
                else:
                    border = Border(needed, left, unit.at)
                    reasons = _head_did_not_fit(window, border, heads or {})
                break
            short.update(heads)
            keep.extend(unit.at)
            left -= needed
            if self.retain == "border":
                reasons = (_older_than(window, border, f"which {border.words()} and stays shortened"),)
                break
        return Verdict(frozenset(keep), short, border, window.left - left, reasons)

    def kept(self, window: Window, unit: Unit) -> Kept:
        heads = window.shortened(unit)
        if heads is None:
            return Kept(unit.at, (KeptRange(window.cost_up_to(unit, Window.free_units)),))
        cut = frozenset(i for i, draft in heads.items() if draft is not window.draft(i))
        ranges = _kept_at_border(window, unit, cut) if self.retain == "border" else _kept_in_row(window, unit, cut)
        return Kept(unit.at, ranges)

    def describe(self) -> str:
        return "counts from the newest back to the border; keeps an unbroken end of the conversation; loses its start"


def _cost_of_all(window: Window, heads: dict[int, Draft] | None) -> int:
    return sum(window.cost_of(draft) for draft in heads.values()) if heads else 0


def _whole_did_not_fit(window: Window, border: Border) -> tuple[Reason, ...]:
    own = Reason(border.own_words(needed_by(border)), border.at, border)
    return own, _older_than(window, border, f"which {border.words()}")


def _head_did_not_fit(window: Window, border: Border, heads: dict[int, Draft]) -> tuple[Reason, ...]:
    """Older than the first that didn't fit whole, only heads stay; a short message is its own head."""
    if all(draft is window.draft(i) for i, draft in heads.items()):
        return _whole_did_not_fit(window, border)
    own = Reason(
        border.own_words("the heads of its call and results" if len(border.at) > 1 else "its head"), border.at, border
    )
    return own, _older_than(window, border, f"whose head {border.words()}")


def _older_than(window: Window, border: Border, clause: str) -> Reason:
    return Reason(f"older than {window.name(border.at[0])}, {clause}", range(border.at[0]), border)


def _kept_at_border(window: Window, unit: Unit, cut: frozenset[int]) -> Iterator[KeptRange]:
    """With its head where it is the border, and whole from where it fits."""
    whole = window.cost_up_to(unit, Window.free_units)
    with_head = whole - window.cost(unit) + _cost_of_all(window, window.shortened(unit))
    if with_head < whole:
        yield KeptRange(max(with_head, window.left + 1), whole - 1, cut)
    yield KeptRange(whole)


class _Row(NamedTuple):
    """Units that may go, newest first: the place of each, tokens of so many and of their heads, the most of one."""

    place: dict[Unit, int]
    sums: list[int]
    heads: list[int]
    most: int


def _row(window: Window) -> _Row:
    units = list(window.free_units())
    costs = list(map(window.cost, units))
    heads = [_cost_of_all(window, window.shortened(unit)) for unit in units]
    place = {unit: i for i, unit in enumerate(units)}
    return _Row(place, [0, *accumulate(costs)], [0, *accumulate(heads)], max(costs, default=0))


def _kept_in_row(window: Window, unit: Unit, cut: frozenset[int]) -> Iterator[KeptRange]:
    """With its head for every unit that may be the border: those before it stay whole, those from it on as heads.

    A larger room moves the border back, and what stays whole there may take the room of the heads behind it. A border
    is only there with less room than it needs whole, so none is looked at behind which the heads need more than that.
    """
    row = window.shared(_row)
    own = row.place[unit]
    ranges: list[KeptRange] = []
    for i in range(own, -1, -1):
        heads, with_it = row.heads[own + 1] - row.heads[i], row.sums[i + 1]
        if with_it <= window.left or heads >= row.most:
            break
        least = max(row.sums[i] + heads, window.left + 1)
        if least < with_it:
            ranges.append(KeptRange(least, with_it - 1, cut))
    yield from reversed(ranges)
    yield KeptRange(row.sums[own + 1])
