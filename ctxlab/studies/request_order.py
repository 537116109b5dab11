"""Messages that stand elsewhere among the others: the fewest whose moves make one order of another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence


def moves(first: Sequence[str], second: Sequence[str]) -> Mapping[str, int]:
    """By key how many places it moved down among those that both have; the other keys keep their order.

    As few keys as can be: all but a longest run that rises in both (Fredman, 1975). Keys are unique in each.

    >>> dict(moves(["note", "a", "b"], ["a", "b", "note"]))
    {'note': 2}
    """
    kept = set(first)
    there = {key: at for at, key in enumerate(key for key in second if key in kept)}
    both = [key for key in first if key in there]
    staying = _longest_rising([there[key] for key in both])
    return {key: there[key] - at for at, key in enumerate(both) if at not in staying}


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """The indexes of a longest strictly rising run of different numbers."""
    ends: list[int] = []  # the smallest last number of a run of each length
    last: list[int] = []  # its index
    before: list[int] = []
    for at, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            last.append(at)
        else:
            ends[length], last[length] = number, at
    found: set[int] = set()
    at = last[-1] if last else -1
    while at >= 0:
        found.add(at)
        at = before[at]
    return found
