"""Ranks of scores, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence


def ranks(scores: Sequence[float]) -> list[int]:
    """The rank of each score, from 1 on; of equal ones the later is first.

    >>> ranks([0.5, 2.0, 0.5])
    [3, 1, 2]
    """
    found = [0] * len(scores)
    best_first = sorted(range(len(scores)), key=lambda i: (scores[i], i), reverse=True)
    for rank, i in enumerate(best_first, start=1):
        found[i] = rank
    return found


def ordinal(n: int) -> str:
    """A number as a rank is written.

    >>> ordinal(1), ordinal(12), ordinal(1_003)
    ('1st', '12th', '1,003rd')
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th") if n % 100 not in (11, 12, 13) else "th"
    return f"{n:,}{ending}"
