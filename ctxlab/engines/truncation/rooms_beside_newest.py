"""Rooms in which units stay that are kept by rank beside the newest ones, found for all units at once."""

from __future__ import annotations

from heapq import heappop, heappush

from ctxlab.engines.truncation.least_room import FOREVER, KeptRange


class RoomsBesideNewest:
    """Ranges of rooms that keep each unit of a row, while units are taken out of it that the newest end keeps.

    From one room to the next as many tokens more are left for the row. All units before the first that doesn't fit into
    the least room stay in the whole stretch, so that only changes of that place are noted. Behind it little is left,
    so that few units can still fit, and only these are looked at.
    """

    def __init__(self, costs: list[int]) -> None:
        self.ranges: list[list[KeptRange]] = [[] for _ in costs]
        self._costs = list(costs)
        self._sums = _Sums(costs)
        self._least = _NextSmaller(self._costs)
        self._begun = [0] * len(costs)
        self._fitting = 0

    def walk(self, begins: int, ends: int, spent: int) -> None:
        """Note the rooms from `begins` to `ends` that keep each unit, where the newest take `spent` tokens of them."""
        fitting, before = self._sums.fitting(begins - spent)
        for i in range(self._fitting, fitting):
            self._begun[i] = begins
        for i in range(fitting, self._fitting):
            self._note(i, self._begun[i], begins - 1)
        self._fitting = fitting
        left = begins - spent - before
        # Stretches by the tokens that are left in the last room of each, the most first, with those in the first one.
        stretches = [(begins - ends + 1 - left, left, begins, ends - 1)]
        i = self._least.next(fitting, -stretches[0][0])
        while i is not None:
            cost = self._costs[i]
            holds: list[tuple[int, int, int]] = []
            while stretches and -stretches[0][0] >= cost:
                _, left, first, end = heappop(stretches)
                holds.append((first, left, end))
            for first, left, end in sorted(holds):
                middle = first + max(cost - left, 0)
                self._note(i, middle, end)
                if middle > first:
                    heappush(stretches, (1 - cost, left, first, middle - 1))
                left += middle - first - cost
                heappush(stretches, (middle - end - left, left, middle, end))
            i = self._least.next(i + 1, -stretches[0][0])

    def take_out(self, i: int, begins: int) -> None:
        """Take a unit out of the row, which the newest end keeps from a room on."""
        if i < self._fitting:
            self._note(i, self._begun[i], begins - 1)
        self.ranges[i].append(KeptRange(begins))
        self._sums.add(i, -self._costs[i])
        self._costs[i] = FOREVER * 2
        self._least.changed(i)

    def finish(self) -> None:
        """Note the units that stay in every larger room."""
        for i in range(self._fitting):
            self._note(i, self._begun[i], FOREVER)

    def _note(self, i: int, first: int, end: int) -> None:
        if first <= end and self._costs[i] < FOREVER:
            self.ranges[i].append(KeptRange(first, end if end < FOREVER - 1 else None))


class _Sums:
    """Sums of the first numbers of a row, of which some may change (a Fenwick tree)."""

    def __init__(self, numbers: list[int]) -> None:
        self._tree = [0, *numbers]
        for i in range(1, len(self._tree)):
            above = i + (i & -i)
            if above < len(self._tree):
                self._tree[above] += self._tree[i]

    def add(self, i: int, number: int) -> None:
        i += 1
        while i < len(self._tree):
            self._tree[i] += number
            i += i & -i

    def fitting(self, most: int) -> tuple[int, int]:
        """The largest number of them that are not more than `most` together, and their sum."""
        at = total = 0
        step = 1 << len(self._tree).bit_length()
        while step:
            if at + step < len(self._tree) and total + self._tree[at + step] <= most:
                at += step
                total += self._tree[at]
            step >>= 1
        return at, total


class _NextSmaller:
    """Finds the next number of a row that isn't larger than another, block by block."""

    SIZE = 32

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self._least = [min(numbers[i : i + self.SIZE]) for i in range(0, len(numbers), self.SIZE)]

    def changed(self, i: int) -> None:
        block = i // self.SIZE
        self._least[block] = min(self._numbers[block * self.SIZE : (block + 1) * self.SIZE])

    def next(self, i: int, most: int) -> int | None:
        numbers, size = self._numbers, self.SIZE
        while i < len(numbers):
            block = i // size
            if self._least[block] <= most:
                for at in range(i, min((block + 1) * size, len(numbers))):
                    if numbers[at] <= most:
                        return at
            i = (block + 1) * size
        return None
