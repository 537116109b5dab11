"""The least room in which a message that was cut stays, and which larger rooms keep it too."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class KeptRange:
    """Rooms, in tokens, from `least` up to and with `most` (None: all larger ones) in which a unit stays.

    `shortened` are the positions of those of its messages that only keep their heads there.
    """

    least: int
    most: int | None = None
    shortened: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class KeptRooms:
    """Rooms that keep a unit whole, as far as a sentence tells them, of a search that has counted the rest.

    From `least` on it stays, up to `lost_again_at`, and again from `kept_again_at` on; from `for_good` on every larger
    room keeps it, and `gaps` ranges of rooms below that lose it. Without a gap the two in the middle are None.
    """

    least: int
    for_good: int
    gaps: int = 0
    lost_again_at: int | None = None
    kept_again_at: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Positions that stay or go together, and the rooms in which they stay: ranges, rising, or a count of them."""

    at: tuple[int, ...]
    ranges: Iterable[KeptRange] | KeptRooms


@dataclass(frozen=True, slots=True)
class LeastRoom:
    """Tokens of the least room in which a message stays, and of the least in which it stays whole.

    `lost_again_at` is the first larger room that loses it again, None where there is none, and `kept_again_at` the
    first room after that one that keeps it. From `for_good` on every larger room does; `gaps` ranges below lose it.
    """

    tokens: int
    whole_tokens: int
    for_good: int
    gaps: int = 0
    lost_again_at: int | None = None
    kept_again_at: int | None = None


def least_room(ranges: Iterable[KeptRange] | KeptRooms, at: int) -> LeastRoom:
    """The least room for the message at a position, from the rising ranges that keep its unit; the last has no end."""
    if isinstance(ranges, KeptRooms):
        rooms = ranges
        between = (rooms.lost_again_at, rooms.kept_again_at)
        return LeastRoom(rooms.least, rooms.least, rooms.for_good, rooms.gaps, *between)
    first = whole = most = lost = again = None
    begins = gaps = 0
    for each in ranges:
        if first is None:
            first = begins = each.least
        elif most is not None and each.least > most + 1:
            gaps, begins = gaps + 1, each.least
            if lost is None:
                lost, again = most + 1, each.least
        if whole is None and at not in each.shortened:
            whole = each.least
        most = each.most
    assert first is not None
    assert whole is not None
    return LeastRoom(first, whole, begins, gaps, lost, again)


class GrowingRooms:
    """Rooms that keep a unit, of ranges that are added in rising order, one at least."""

    __slots__ = ("_again", "_begins", "_gaps", "_last", "_least", "_lost")

    def __init__(self) -> None:
        self._last = self._gaps = 0
        self._least = self._begins = self._lost = self._again = -1

    def add(self, first: int, last: int) -> None:
        """Add the rooms from the first to the last; a range that goes on with the one before is no other."""
        if self._least < 0:
            self._least = self._begins = first
        elif first > self._last + 1:
            if not self._gaps:
                self._lost, self._again = self._last + 1, first
            self._gaps += 1
            self._begins = first
        self._last = last

    def rooms(self) -> KeptRooms:
        between = (self._lost, self._again) if self._gaps else (None, None)
        return KeptRooms(self._least, self._begins, self._gaps, *between)


class Runs:
    """Places of stretches of rooms that are added one by one, as the runs that they make."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []

    def add(self, place: int) -> None:
        """Add a place that is in no run yet; it joins those beside it."""
        i = bisect_left(self._firsts, place)
        joins_older = i > 0 and self._ends[i - 1] == place - 1
        joins_newer = i < len(self._firsts) and self._firsts[i] == place + 1
        if joins_older and joins_newer:
            del self._firsts[i], self._ends[i - 1]
        elif joins_older:
            self._ends[i - 1] = place
        elif joins_newer:
            self._firsts[i] = place
        else:
            self._firsts.insert(i, place)
            self._ends.insert(i, place)

    def rooms(self, begins: Sequence[int], least: int) -> KeptRooms:
        """The rooms of these stretches from the least on, of which one at least is in a run; each begins at a room."""
        i = bisect_left(self._ends, bisect_right(begins, least) - 1)
        first, last = (max(least, begins[self._firsts[place]]) for place in (i, -1))
        gaps = len(self._firsts) - i - 1
        return KeptRooms(
            first, last, gaps, *((begins[self._ends[i] + 1], begins[self._firsts[i + 1]]) if gaps else (None, None))
        )


FOREVER = 10**15
"""A room that no budget reaches."""


def room_for_share(tokens: int, share: float) -> int:
    """The least room whose share, rounded down to whole tokens, is as large as `tokens`; FOREVER where none is."""
    if tokens <= 0:
        return 0
    if share * FOREVER <= tokens:
        return FOREVER
    room = int(tokens / share)  # may be one off either way
    while int(room * share) < tokens:
        room += 1
    while int((room - 1) * share) >= tokens:
        room -= 1
    return room
