"""Rooms in which units stay that are kept by rank beside a row of others, found for all units at once."""

from __future__ import annotations

from heapq import heappop, heappush

from ctxlab.engines.truncation.least_room import FOREVER, GrowingRooms


class RoomsBesideRow:
    """The rooms that keep each unit of a row, while units are taken out of it that the row before it keeps.

    From one room to the next as many tokens more are left for the row, and where a unit is taken out no fewer than
    before. So the units before the first that doesn't fit stay in all larger rooms. Behind it little is left, so that
    few units can still fit, and only these are looked at.
    """

    def __init__(self, costs: list[int]) -> None:
        self.rooms = [GrowingRooms() for _ in costs]
        self._costs = list(costs)
        self._least = _NextSmaller(self._costs)
        self._fitting = self._tokens_fitting = 0

    def walk(self, begins: int, ends: int, spent: int) -> None:
        """Note the rooms from `begins` up to `ends` that keep each unit, where that row takes `spent` tokens."""
        left = self._left_by_those_that_fit(begins, begins - spent)
        # Stretches by the tokens that are left in the last room of each, the most first, with those in the first one.
        stretches = [(begins - ends + 1 - left, left, begins, ends - 1)]
        i = self._least.next(self._fitting, -stretches[0][0])
        while i is not None:
            cost = self._costs[i]
            holds: list[tuple[int, int, int]] = []
            while stretches and -stretches[0][0] >= cost:
                _, left, first, end = heappop(stretches)
                holds.append((first, left, end))
            for first, left, end in sorted(holds):
                middle = first + max(cost - left, 0)
                self.rooms[i].add(middle, end)
                if middle > first:
                    heappush(stretches, (1 - cost, left, first, middle - 1))
                left += middle - first - cost
                heappush(stretches, (middle - end - left, left, middle, end))
            i = self._least.next(i + 1, -stretches[0][0])

    def _left_by_those_that_fit(self, begins: int, left: int) -> int:
        """Tokens that the units before the first that doesn't fit leave of others, in the room `begins`."""
        while self._fitting < len(self._costs):
            cost = self._costs[self._fitting]
            if cost < FOREVER:
                if self._tokens_fitting + cost > left:
                    break
                self._tokens_fitting += cost
                self.rooms[self._fitting].add(begins, FOREVER)
            self._fitting += 1
        return left - self._tokens_fitting

    def take_out(self, i: int, begins: int) -> None:
        """Take a unit out of the row, which the row before it keeps from a room on."""
        if i < self._fitting:
            self._tokens_fitting -= self._costs[i]
        else:
            self.rooms[i].add(begins, FOREVER)
        self._costs[i] = FOREVER * 2
        self._least.take_out(i)


class _NextSmaller:
    """Finds the next number of a row that isn't larger than another, in a tree of the least of each half."""

    def __init__(self, numbers: list[int]) -> None:
        self._width = width = 1 << len(numbers).bit_length()
        self._least = [FOREVER * 2] * width + numbers + [FOREVER * 2] * (width - len(numbers))
        for at in range(width - 1, 0, -1):
            self._least[at] = min(self._least[2 * at], self._least[2 * at + 1])

    def take_out(self, i: int) -> None:
        at = i + self._width
        self._least[at] = FOREVER * 2
        while at > 1:
            at //= 2
            self._least[at] = min(self._least[2 * at], self._least[2 * at + 1])

    def next(self, i: int, most: int) -> int | None:
        least, at = self._least, i + self._width
        while least[at] > most:
            while at % 2:  # the right one of two: on behind both
                at //= 2
            if not at:
                return None
            at += 1
        while at < self._width:
            at *= 2
            if least[at] > most:
                at += 1
        return at - self._width
