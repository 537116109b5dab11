"""The Pareto frontier of points that cost something and score something."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.argument_checks import checked_arguments


@checked_arguments
def pareto_frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Numbers of the points (cost, score) that none beats: no other costs at most as much and scores at least as much.

    Of points that are equal all count. In order of cost; points that aren't numbers are on no frontier.

    >>> pareto_frontier([(3, 0.7), (1, 0.5), (2, 0.4), (3, 0.7)])
    (1, 0, 3)
    """
    known = [i for i, (cost, score) in enumerate(points) if cost == cost and score == score]
    frontier: list[int] = []
    best: tuple[float, float] | None = None
    for i in sorted(known, key=lambda i: (points[i][0], -points[i][1])):
        if best is None or points[i][1] > best[1] or tuple(points[i]) == best:
            frontier.append(i)
            best = points[i][0], points[i][1]
    return tuple(frontier)
