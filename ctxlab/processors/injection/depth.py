"""Depths: positions in the history, counted from the newest message or from the oldest."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

# Nine digits are more than any history has; thousands of them are too many for int().
POINT = lazy_pattern(r"\s*(\d{1,9})\s*")
CYCLE = lazy_pattern(r"\s*(\d{1,9})\s*[~:～：]\s*(\d{1,9})\s*")
LEADING_INTEGER = lazy_pattern(r"\s*([+-]?\d{1,9})")
SEPARATOR = lazy_pattern(r"[,，]")


@dataclass(frozen=True, slots=True)
class DepthPoints:
    """Depths, each once, and the segments that were not exactly in the grammar."""

    depths: tuple[int, ...]
    doubtful: tuple[str, ...] = ()


def parse_depths(config: str, *, length: int) -> DepthPoints:
    """Depths of a configuration such as `3, 10~5`: at 3, and from 10 on every 5, up to the length of the history.

    Points beyond the history are left out. A segment outside the grammar is read as the whole number it starts with,
    as the programs that write these files do, and named in `doubtful`.

    >>> parse_depths("3，10～5", length=20).depths
    (3, 10, 15, 20)
    """
    depths: list[int] = []
    doubtful: list[str] = []
    for segment in SEPARATOR.split(config):
        if not segment.strip():
            continue
        if cycle := CYCLE.fullmatch(segment):
            start, interval = int(cycle[1]), int(cycle[2])
            depths.extend(range(start, length + 1, interval) if interval else [start])
        elif point := POINT.fullmatch(segment):
            depths.append(int(point[1]))
        else:
            doubtful.append(segment.strip())
            if number := LEADING_INTEGER.match(segment):
                depths.append(int(number[1]))
    return DepthPoints(tuple(d for d in dict.fromkeys(depths) if d <= length), tuple(doubtful))


def index_at_depth(depth: float, *, length: int) -> int:
    """Position before which a message of this depth goes: 0 is after the newest, beyond the history is its head.

    A negative depth is the end; of a fraction the position is rounded down.
    """
    if depth >= length:
        return 0
    return int(length - depth) if depth > 0 else length


def index_of_insertion_point(point: int, *, length: int, ends_with_user: bool) -> int:
    """Position of the older form: n >= 0 from the head, -1 before a newest user message (else the end), clamped."""
    if point >= 0:
        return min(point, length)
    end = length - 1 if ends_with_user else length
    return max(0, end + point + 1)
