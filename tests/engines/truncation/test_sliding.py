from collections.abc import Callable, Iterator
from typing import Any

from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.truncation import Sliding, Unit, Window


def window(costs: list[int], left: int, *, heads: int | None = None, counted: Callable[[int], Any] = print) -> Window:
    """Messages that cost so much, newest first; a head of any of them costs at most `heads`."""

    def draft(i: int, cost: int) -> Draft:
        return Draft(str(i), "user", (Text.of("x" * cost, Origin("node", str(i))),), Origin("node", str(i)))

    def cost(unit: Unit) -> int:
        counted(unit.at[0])
        return costs[unit.at[0]]

    def shortened(unit: Unit) -> dict[int, Draft] | None:
        return None if heads is None else {i: draft(i, min(heads, costs[i])) for i in unit.at}

    def units() -> Iterator[Unit]:
        return (Unit((i,)) for i in range(len(costs)))

    return Window(
        units=units,
        left=left,
        capacity=left,
        cost=cost,
        shortened=shortened,
        cost_of=lambda draft: len(draft.text),
        is_protected=lambda unit: False,
        draft=lambda i: draft(i, costs[i]),
    )


def kept(strategy: Sliding, costs: list[int], left: int, *, heads: int | None = None) -> list[int]:
    return sorted(strategy.cut(window(costs, left, heads=heads, counted=lambda _: None)).keep)


def test_units_stay_while_they_fit() -> None:
    assert kept(Sliding(), [1, 2, 3, 4], 6) == [0, 1, 2]
    assert kept(Sliding(), [1, 2, 3, 4], 5) == [0, 1]
    assert kept(Sliding(), [1, 2, 3, 4], 99) == [0, 1, 2, 3]
    assert kept(Sliding(), [], 5) == []


def test_behind_the_first_that_does_not_fit_nothing_stays() -> None:
    assert kept(Sliding(), [1, 9, 1, 1], 5) == [0]


def test_the_border_says_what_was_needed_and_left() -> None:
    verdict = Sliding().cut(window([1, 9, 1], 5, counted=lambda _: None))

    assert verdict.border is not None
    assert (verdict.border.needed, verdict.border.left, verdict.border.at) == (9, 4, (1,))
    assert verdict.spent == 1


def test_nothing_is_counted_behind_the_border() -> None:
    counted: list[int] = []

    Sliding().cut(window([1, 9, 1, 1, 1], 5, counted=counted.append))

    assert counted == [0, 1]


def test_the_unit_at_the_border_may_stay_shortened() -> None:
    assert kept(Sliding(), [1, 9, 9], 5, heads=3) == [0, 1]
    assert kept(Sliding(), [1, 9, 9], 3, heads=3) == [0]


def test_every_older_unit_may_stay_shortened_while_it_fits() -> None:
    assert kept(Sliding("each"), [1, 9, 9, 9], 8, heads=3) == [0, 1, 2]


def test_a_short_older_unit_stays_whole_where_heads_are_kept() -> None:
    verdict = Sliding("each").cut(window([1, 9, 2, 9], 9, heads=3, counted=lambda _: None))

    assert sorted(verdict.keep) == [0, 1, 2, 3]
    assert len(verdict.shortened[2].text) == 2
    assert verdict.spent == 9


def test_without_heads_each_is_like_border() -> None:
    assert kept(Sliding("each"), [1, 9, 1], 5) == [0]
