"""Lengths of equal stretches around two places of two texts, or of two tuples: no more is read than is equal."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

S = TypeVar("S", str, tuple[int, ...])


def equal_after(one: S, other: S, at: int = 0, place: int = 0) -> int:
    """Characters, or members, that are equal from two places on.

    >>> equal_after("the lamp", "a lamb", 4, 2), equal_after((1, 2, 3), (1, 2, 4))
    (3, 2)
    """
    return _grown(
        min(len(one) - at, len(other) - place),
        lambda good, end: one[at + good : at + end] == other[place + good : place + end],
    )


def common_beginning(texts: Collection[str]) -> str:
    """The characters with which all of some texts begin; "" of none.

    >>> common_beginning(["lamp", "lamb", "late"])
    'la'
    """
    first, last = min(texts, default=""), max(texts, default="")
    return first[: equal_after(first, last)]


def equal_before(one: S, other: S, at: int, place: int, first: int = 0) -> int:
    """Characters that are equal before two places, none of the first text's before `first`."""
    return _grown(
        min(at - first, place),
        lambda good, end: one[at - end : at - good] == other[place - end : place - good],
    )


def _grown(most: int, are_equal: Callable[[int, int], bool]) -> int:
    """The length of the longest stretch that is equal, of those of up to `most` characters."""
    good, step = 0, 64
    while good < most:
        size = min(step, most - good)
        if are_equal(good, good + size):
            good, step = good + size, step * 2
        elif size == 1:
            break
        else:
            most, step = good + size - 1, max(1, size // 2)
    return good
