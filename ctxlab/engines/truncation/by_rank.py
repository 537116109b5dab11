"""Keeping units best first by a ranking, passing over those that don't fit, and the rooms in which a unit stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ctxlab.engines.truncation.least_room import FOREVER, KeptRooms
from ctxlab.engines.truncation.strategy import Border, Reason, Verdict, Window, needed_by
from ctxlab.engines.truncation.unit_costs import Unit


@runtime_checkable
class RanksMessages(Protocol):
    """A strategy that goes by the scores of a ranker."""

    @property
    def ranker_name(self) -> str: ...


class Ranked(NamedTuple):
    """A unit with the score and the position of its best message; of equal scores the newer is better."""

    score: float
    best: int
    unit: Unit
    tokens: int


def best_first(window: Window, ranker: str) -> list[Ranked]:
    """The units that may go, best first; a unit ranks as its best message.

    They are counted in the order of the conversation: in the order of ranks that takes three times as long.
    """
    scores, cost = window.ranking(ranker).scores, window.cost
    found: list[Ranked] = []
    for unit in window.free_units():
        best = unit.at[0] if len(unit.at) == 1 else max(unit.at, key=lambda i: (scores[i], i))
        found.append(Ranked(scores[best], best, unit, cost(unit)))
    found.sort(reverse=True)
    return found


class PassedOver(NamedTuple):
    """Units that didn't fit one after the other, with the tokens that the first needed and those that were left."""

    needed: int
    left: int
    ranked: list[Ranked]


class Walk(NamedTuple):
    """The outcome of a walk along units: positions that stay, tokens spent, and what was passed over, in order."""

    keep: list[int]
    spent: int
    passed: list[PassedOver]


def keep_what_fits(ranked: Iterable[Ranked], left: int) -> Walk:
    """Every unit of a row that fits into what those before it left of `left` tokens."""
    start = left
    keep: list[int] = []
    passed: list[PassedOver] = []
    is_passing = False
    for each in ranked:
        needed = each.tokens
        if needed <= left:
            keep.extend(each.unit.at)
            left -= needed
            is_passing = False
        elif is_passing:
            passed[-1].ranked.append(each)
        else:
            passed.append(PassedOver(needed, left, [each]))
            is_passing = True
    return Walk(keep, start - left, passed)


def verdict_of(window: Window, walk: Walk, *, kept: Sequence[int] = (), spent: int = 0, also: str = "") -> Verdict:
    """The verdict on a walk, with a reason for each message; `kept` and `spent` are what stayed beside it.

    `also` is a clause that is true of all that went.
    """
    if not walk.passed:
        return Verdict(frozenset([*kept, *walk.keep]), spent=spent + walk.spent)
    reasons = [reason for passed in walk.passed for reason in _reasons(window, passed, also)]
    return Verdict(frozenset([*kept, *walk.keep]), {}, reasons[0].border, spent + walk.spent, tuple(reasons))


def _reasons(window: Window, passed: PassedOver, also: str) -> Iterator[Reason]:
    first, *others = passed.ranked
    border = Border(passed.needed, passed.left, first.unit.at)
    yield Reason(border.own_words(needed_by(border)) + also, border.at, border)
    behind = f"ranks behind {window.name(first.best)}, which {border.words()}"
    more = f"needed more than {passed.left:,} too"
    alone = {each.unit.at[0] for each in others if len(each.unit.at) == 1}
    if alone:
        yield Reason(f"{behind}, and {more}{also}", alone, border)
    together = {i for each in others if len(each.unit.at) > 1 for i in each.unit.at}
    if together:
        yield Reason(f"{behind}, and as the call with its results {more}{also}", together, border)


class Outcome(NamedTuple):
    """The rooms above a run's up to a largest one in which a unit of a row stays, as far as a sentence tells them.

    `begins` are the first room that keeps it and the first one after a gap, `last` is where the last range of them
    begins, `lost` the first room of the first gap; `ranges` counts them. `at_most`: the largest room keeps it.
    """

    ranges: int
    begins: tuple[int, int]
    last: int
    lost: int
    at_most: bool


class _Stretches(NamedTuple):
    """Stretches of rooms as long as one another: how many, where the first two and the last begin."""

    number: int
    first: int
    second: int
    last: int

    def with_others(self, other: _Stretches | None) -> _Stretches:
        if other is None:
            return self
        first, second, *_ = sorted([self.first, self.second, other.first, other.second])
        return _Stretches(self.number + other.number, first, second, max(self.last, other.last))

    def moved(self, by: int) -> _Stretches:
        return _Stretches(self.number, self.first + by, min(self.second + by, FOREVER), self.last + by)


def outcomes(costs: Sequence[int], left: int, most: int = FOREVER) -> Iterator[Outcome]:
    """For each unit of a row, walked along as `keep_what_fits` does, the rooms above `left` up to `most` that keep it.

    All rooms are walked at once. What is left of them before a unit grows by one from room to room, in stretches that
    begin with nothing left: at first there is one stretch. A unit stays in those rooms of a stretch that have left what
    it costs, and parts it: in the others as much is left as before, in these it begins anew. Stretches of one length
    meet the same fate, so that they are counted together; but for those with the first and the largest room in it.
    """
    alike: dict[int, _Stretches] = {}
    at_ends = [(0, most)]
    for cost in costs:
        ranges, begins, last, lost, at_most = 0, [FOREVER, FOREVER], -1, FOREVER, False
        parted: list[tuple[int, _Stretches]] = []
        for length in [length for length in alike if length > cost]:
            stretches = alike.pop(length)
            ranges += stretches.number
            begins += [stretches.first + cost, stretches.second + cost]
            last = max(last, stretches.last + cost)
            lost = min(lost, stretches.first + length)
            parted += [(cost, stretches), (length - cost, stretches.moved(cost))]
        for first, end in [each for each in at_ends if each[1] - each[0] >= cost]:
            at_ends.remove((first, end))
            middle = first + cost
            if middle > left:
                ranges += 1
                begins.append(middle)
                last = max(last, middle)
            if end == most:
                at_most = True
            else:
                lost = min(lost, end + 1)
            for begin, until in ((first, middle - 1), (middle, end)):
                if begin <= left <= until or begin <= most <= until:
                    at_ends.append((begin, until))
                elif left < begin <= until:
                    parted.append((until - begin + 1, _Stretches(1, begin, FOREVER, begin)))
        for length, stretches in parted:
            if length:
                alike[length] = stretches.with_others(alike.get(length))
        first, second, *_ = sorted(begins)
        yield Outcome(ranges, (first, second), last, lost, at_most)


def rooms_by_rank(window: Window, ranker: str) -> dict[Unit, KeptRooms]:
    """Of each unit that may go, the rooms above the window's in which it stays where it is kept by rank alone."""
    ranked = best_first(window, ranker)
    found = outcomes([each.tokens for each in ranked], window.left)
    return {each.unit: rooms_of(one) for each, one in zip(ranked, found, strict=True) if one.ranges}


def rooms_of(found: Outcome) -> KeptRooms:
    """The rooms of a unit that every room from some on keeps."""
    gaps = found.ranges - 1
    between = (found.lost, found.begins[1]) if gaps else (None, None)
    return KeptRooms(found.begins[0], found.last, gaps, *between)
