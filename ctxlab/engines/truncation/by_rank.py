"""Keeping units best first by a ranking, passing over those that don't fit, and the rooms in which a unit stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ctxlab.engines.truncation.least_room import KeptRange
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


def rooms_that_keep(before: Iterable[int], total: int, most: int, cost: int, *, least: int = 0) -> Iterator[KeptRange]:
    """The rooms from `least` on in which a unit of a row stays, where each that doesn't fit is passed over.

    `before` are the costs of the units before it, nearest first, `total` their sum and `most` no less than any of them.
    A unit is only passed over with fewer tokens left than it costs; where this one stays, all between them that cost no
    more than it does stay too. So none can be passed over that is so far before it that these cost more.
    """
    near: list[int] = []
    between = cost
    for each in before:
        near.append(each)
        if each <= cost:
            between += each
        if between >= most:
            break
    sure = total - sum(near)
    # A bit for each number of tokens left before the nearest units: 1 where this one is passed over in the end.
    lost = (1 << cost) - 1
    for each in near:
        lost = (lost << each) | (lost & ((1 << each) - 1))
    yield from _zeros(lost, sure, max(least, sure))


def _zeros(bits: int, offset: int, least: int) -> Iterator[KeptRange]:
    """The ranges of places from `least` on that have a 0, where the first bit is at `offset`."""
    word = f"{bits:b}"[::-1] if bits else ""
    at = least - offset
    while True:
        at = word.find("0", at) if at < len(word) else at
        if at < 0:
            at = len(word)
        end = word.find("1", at)
        if end < 0:
            yield KeptRange(offset + at)
            return
        yield KeptRange(offset + at, offset + end - 1)
        at = end
