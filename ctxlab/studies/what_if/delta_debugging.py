"""Delta debugging: the smallest set from which nothing more can be taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def ddmin(items: Sequence[T], holds: Callable[[Sequence[T]], bool]) -> list[T]:
    """A part of these for which `holds` is true, and for which it is false without any one of them.

    Zeller and Hildebrandt (2002), "Simplifying and Isolating Failure-Inducing Input": chunks, then what is left without
    each chunk, then chunks of half the size. `holds` is true of all of them together.

    >>> ddmin([1, 2, 3, 4, 5, 6, 7, 8], lambda some: {3, 6} <= set(some))
    [3, 6]
    """
    left = list(items)
    parts = 2
    while left:
        chunks = _chunks(left, parts)
        smaller = next((chunk for chunk in chunks if len(chunks) > 1 and holds(chunk)), None)
        if smaller is not None:
            left, parts = smaller, 2
            continue
        without = (left[:at] + left[at + len(chunk) :] for at, chunk in _placed(chunks))
        smaller = next((rest for rest in without if holds(rest)), None)
        if smaller is not None:
            left, parts = smaller, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return left


def _chunks(items: list[T], parts: int) -> list[list[T]]:
    """As many stretches of nearly one length, none of them empty."""
    parts = min(parts, len(items))
    cuts = [len(items) * n // parts for n in range(parts + 1)]
    return [items[a:b] for a, b in pairwise(cuts)]


def _placed(chunks: Sequence[list[T]]) -> list[tuple[int, list[T]]]:
    at = 0
    found: list[tuple[int, list[T]]] = []
    for chunk in chunks:
        found.append((at, chunk))
        at += len(chunk)
    return found
