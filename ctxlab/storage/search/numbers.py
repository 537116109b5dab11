"""Numbers of rows: a row's time, its place among those of one millisecond, and about how long its texts are.

So the newest rows are those with the largest numbers, and rows are ranked without a look at their texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import apsw

TIME_SHIFT = 20
"""A row's number is its time in milliseconds, then so many bits that tell rows of one millisecond apart."""
LENGTH_BITS = 6
"""The last bits of a number tell the length."""
LENGTHS = 1 << LENGTH_BITS
SHORTEST = 16
"""Bytes of the texts, up to which rows are of one length; a length more is a fourth of an octave more."""
PLACES_SHIFT = TIME_SHIFT - LENGTH_BITS
"""Rows of one millisecond: 16,384. More of them are as if they were of the next ones."""


def number_of(place: int, size: int) -> int:
    """The number of a row with so many bytes at a place."""
    steps = int(4 * log2(size / SHORTEST)) if size > SHORTEST else 0
    return place << LENGTH_BITS | min(steps, LENGTHS - 1)


def first_place(ms: int) -> int:
    """The first place of a millisecond."""
    return ms << PLACES_SHIFT


def millisecond_of(place: int) -> int:
    return place >> PLACES_SHIFT


def free_place(connection: apsw.Connection, place: int) -> int:
    """The first place of its millisecond after all that are taken, and of the next ones where it is full.

    Only rows without any time, which all have the first millisecond, can be so many.
    """
    ms = millisecond_of(place)
    sql = "SELECT max(row) FROM rows WHERE row >= ? AND row < ?"
    while (last := connection.execute(sql, (ms << TIME_SHIFT, (ms + 1) << TIME_SHIFT)).get) is not None:
        free = (int(str(last)) >> LENGTH_BITS) + 1
        if millisecond_of(free) == ms:
            return free
        ms += 1
    return first_place(ms)


# --- facts of all rows, kept up so that nobody counts them


def length_of(number: int) -> int:
    """The length of a row in steps."""
    return number & (LENGTHS - 1)


def size_of(length: int) -> float:
    """About how many bytes the texts of a row of this length have."""
    return SHORTEST * 2 ** ((length + 0.5) / 4)


def count_rows(connection: apsw.Connection, new: Sequence[int], gone: Sequence[int]) -> None:
    """Keep up the number of all rows and of their bytes."""
    size = sum(size_of(length_of(n)) for n in new) - sum(size_of(length_of(n)) for n in gone)
    changes = (("rows", len(new) - len(gone)), ("bytes", round(size)))
    connection.executemany(
        "UPDATE facts SET value = value + ? WHERE name = ?", [(by, name) for name, by in changes if by]
    )
