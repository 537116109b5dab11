"""Lengths of equal stretches around two places of two texts, in steps that grow: no more is read than is equal."""

from __future__ import annotations


def equal_after(one: str, other: str, at: int = 0, place: int = 0) -> int:
    """Characters that are equal from two places on.

    >>> equal_after("the lamp", "a lamb", 4, 2)
    3
    """
    most = min(len(one) - at, len(other) - place)
    good, step = 0, 64
    while good < most:
        size = min(step, most - good)
        if one[at + good : at + good + size] == other[place + good : place + good + size]:
            good, step = good + size, step * 2
        elif size == 1:
            break
        else:
            most, step = good + size - 1, max(1, size // 2)
    return good


def equal_before(one: str, other: str, at: int, place: int, first: int = 0) -> int:
    """Characters that are equal before two places, none of the first text's before `first`."""
    most = min(at - first, place)
    good, step = 0, 64
    while good < most:
        size = min(step, most - good)
        if one[at - good - size : at - good] == other[place - good - size : place - good]:
            good, step = good + size, step * 2
        elif size == 1:
            break
        else:
            most, step = good + size - 1, max(1, size // 2)
    return good
