"""The least room in which a message that was cut stays, and whether every larger room keeps it too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptRange:
    """Rooms, in tokens, from `least` up to and with `most` (None: all larger ones) in which a unit stays.

    `shortened` are the positions of those of its messages that only keep their heads there.
    """

    least: int
    most: int | None = None
    shortened: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Positions that stay or go together, and the ranges of rooms in which they stay, rising, found as asked for."""

    at: tuple[int, ...]
    ranges: Iterable[KeptRange]


@dataclass(frozen=True, slots=True)
class LeastRoom:
    """Tokens of the least room in which a message stays, and of the least in which it stays whole.

    `lost_again_at` is the first larger room that loses it again, None where there is none, and `kept_again_at` the
    first room after that one that keeps it.
    """

    tokens: int
    whole_tokens: int
    lost_again_at: int | None = None
    kept_again_at: int | None = None


def least_room(ranges: Iterable[KeptRange], at: int) -> LeastRoom:
    """The least room for the message at a position, from the rising ranges that keep its unit; the last has no end."""
    first = whole = most = lost = again = None
    for each in ranges:
        if first is None:
            first, most = each.least, each.most
        elif lost is None and most is not None and each.least <= most + 1:
            most = each.most
        elif lost is None and most is not None:
            lost, again = most + 1, each.least
        if whole is None and at not in each.shortened:
            whole = each.least
        if whole is not None and (most is None or lost is not None):
            break
    assert first is not None
    assert whole is not None
    return LeastRoom(first, whole, lost, again)


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
