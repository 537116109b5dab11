"""Layouts of a forest: tidy tree (Buchheim, Jünger and Leipert) and springs, without recursion."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Literal

LayoutName = Literal["tidy", "top-down", "force"]
Places = Sequence[tuple[float, float]]
FORCE_MOST = 1000
"""Springs are for at most so many boxes: with more, keeping them off one another leaves little of the picture."""


def layout_places(layout: LayoutName, parents: Sequence[int], heirs: Sequence[int] = ()) -> Places:
    """Places of all nodes, x to the right and y down: the root at the left, at the top, or in the middle.

    No two are less than 1 apart in the direction in which a layout sets siblings side by side.
    """
    depths = depths_of(parents)
    across = TidyTree(parents, heirs).places()
    if layout == "force":
        return force_places(parents, depths, across)
    down = list(map(float, depths))
    return list(zip(across, down, strict=True) if layout == "top-down" else zip(down, across, strict=True))


def depths_of(parents: Sequence[int]) -> list[int]:
    """Steps from the root."""
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    return depths


class TidyTree:
    """Positions across the depths: a parent in line with its `heir`, subtrees as close as possible without overlap.

    Buchheim, Jünger and Leipert (2002), "Improving Walker's algorithm to run in linear time", with the recursion
    unrolled; theirs puts a parent in the middle of its children, as this does where `heirs` names none (-1). With
    heirs a long conversation is a straight line with its branches beside it. Nodes are numbered with parents before
    children; parent -1 is none.
    """

    def __init__(self, parents: Sequence[int], heirs: Sequence[int] = ()) -> None:
        top = self.top = len(parents)  # above all roots, so that a forest is a tree
        self.parent = [parent if parent >= 0 else top for parent in parents] + [-1]
        self.children: list[list[int]] = [[] for _ in range(top + 1)]
        self.number = [0] * (top + 1)
        for v in range(top):
            siblings = self.children[self.parent[v]]
            self.number[v] = len(siblings)
            siblings.append(v)
        self.heirs = heirs or [-1] * top
        self.place = [0.0] * (top + 1)  # relative to the parent's, until the last walk
        self.below = [0.0] * (top + 1)  # by how much all that is below is moved
        self.shift = [0.0] * (top + 1)
        self.change = [0.0] * (top + 1)
        self.thread = [-1] * (top + 1)
        self.ancestor = list(range(top + 1))
        self.default = [children[0] if children else -1 for children in self.children]

    def places(self) -> list[float]:
        """The place of each node; neighbours of one depth are at least 1 apart, the smallest is 0."""
        for v in self._leaves_first():
            self._set(v)
            if v != self.top:
                self._apart(v)
        moved = [0.0] * (self.top + 1)
        for v in [self.top, *range(self.top)]:
            above = self.parent[v]
            moved[v] = moved[above] + self.below[above] if above >= 0 else 0.0
        found = [self.place[v] + moved[v] for v in range(self.top)]
        least = min(found, default=0.0)
        return [place - least for place in found]

    def _leaves_first(self) -> list[int]:
        order: list[int] = []
        stack = [self.top]
        while stack:
            v = stack.pop()
            order.append(v)
            stack.extend(self.children[v])
        return order[::-1]

    def _set(self, v: int) -> None:
        children, number = self.children[v], self.number[v]
        left = self.children[self.parent[v]][number - 1] if v != self.top and number else -1
        if not children:
            self.place[v] = self.place[left] + 1 if left >= 0 else 0.0
            return
        self._spread(children)
        heir = self.heirs[v] if v != self.top else -1
        level = self.place[heir] if heir >= 0 else (self.place[children[0]] + self.place[children[-1]]) / 2
        if left >= 0:
            self.place[v] = self.place[left] + 1
            self.below[v] = self.place[v] - level
        else:
            self.place[v] = level

    def _spread(self, children: Sequence[int]) -> None:
        """Give the subtrees between two that were moved apart their share of the shift."""
        shift = change = 0.0
        for w in reversed(children):
            self.place[w] += shift
            self.below[w] += shift
            change += self.change[w]
            shift += self.shift[w] + change

    def _apart(self, v: int) -> None:
        """Move a subtree away from those before it; both facing contours are walked down once."""
        above, number = self.parent[v], self.number[v]
        if not number:
            return
        siblings = self.children[above]
        inner = outer = v
        inner_left, outer_left = siblings[number - 1], siblings[0]
        sum_in, sum_out = self.below[inner], self.below[outer]
        sum_in_left, sum_out_left = self.below[inner_left], self.below[outer_left]
        while (right := self._right(inner_left)) >= 0 and (left := self._left(inner)) >= 0:
            inner_left, inner = right, left
            outer_left, outer = self._left(outer_left), self._right(outer)
            self.ancestor[outer] = v
            move = self.place[inner_left] + sum_in_left - self.place[inner] - sum_in + 1
            if move > 0:
                known = self.ancestor[inner_left]
                self._move(known if self.parent[known] == above else self.default[above], v, move)
                sum_in += move
                sum_out += move
            sum_in_left += self.below[inner_left]
            sum_in += self.below[inner]
            sum_out_left += self.below[outer_left]
            sum_out += self.below[outer]
        if (right := self._right(inner_left)) >= 0 and self._right(outer) < 0:
            self.thread[outer] = right
            self.below[outer] += sum_in_left - sum_out
        if (left := self._left(inner)) >= 0 and self._left(outer_left) < 0:
            self.thread[outer_left] = left
            self.below[outer_left] += sum_in - sum_out_left
            self.default[above] = v

    def _left(self, v: int) -> int:
        return self.children[v][0] if self.children[v] else self.thread[v]

    def _right(self, v: int) -> int:
        return self.children[v][-1] if self.children[v] else self.thread[v]

    def _move(self, first: int, last: int, by: float) -> None:
        between = self.number[last] - self.number[first]
        self.change[last] -= by / between
        self.shift[last] += by
        self.change[first] += by / between
        self.place[last] += by
        self.below[last] += by


ROUNDS = 80
NEIGHBOURS = 3
"""So many neighbours to each side push a node, in each of four directions."""


def force_places(parents: Sequence[int], depths: Sequence[int], across: Sequence[float]) -> list[tuple[float, float]]:
    """Positions in the plane by springs of length 1 along edges and repulsion between nearby nodes.

    It starts from the tidy tree bent into rings, and knows no chance: equal trees get equal pictures. Neighbours are
    found by sorting along four directions, so a round takes n log n.
    """
    import numpy as np

    n = len(parents)
    if n == 0:
        return []
    turn = 2 * pi / (max(across) + 1)
    angles = np.asarray(across) * turn
    radii = np.asarray(depths, dtype=float) + (list(parents).count(-1) > 1)  # several roots stand around the middle
    at = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    below = np.asarray([i for i, parent in enumerate(parents) if parent >= 0], dtype=int)
    above = np.asarray([parent for parent in parents if parent >= 0], dtype=int)
    directions = np.asarray([[1, 0], [0, 1], [0.7, 0.7], [0.7, -0.7]])
    for round_ in range(ROUNDS):
        step = 0.5 * (1 - round_ / ROUNDS)
        push = np.zeros_like(at)
        for direction in directions:
            order = np.argsort(at @ direction, kind="stable")
            for k in range(1, min(NEIGHBOURS, n - 1) + 1):
                first, second = order[:-k], order[k:]
                gap = at[second] - at[first]
                squares = np.maximum((gap**2).sum(axis=1, keepdims=True), 0.01)
                force = 0.25 * gap / squares * (squares < 4)
                push[first] -= force
                push[second] += force
        if len(below):
            gap = at[above] - at[below]
            length = np.maximum(np.sqrt((gap**2).sum(axis=1, keepdims=True)), 0.01)
            pull = gap * (1 - 1 / length)
            np.add.at(push, below, pull)
            np.add.at(push, above, -pull)
        size = np.maximum(np.sqrt((push**2).sum(axis=1, keepdims=True)), 1e-9)
        at = at + push / size * np.minimum(size, 1) * step
    return [(float(x), float(y)) for x, y in at]


def apart(places: Places, width: float, height: float) -> Places:
    """Places moved down where boxes of this size would lie on one another; the least x and y are 0."""
    import numpy as np

    n = len(places)
    order = sorted(range(n), key=lambda i: (places[i][1], places[i][0], i))
    xs, ys = np.empty(n), np.empty(n)  # of those that have their place, sorted by y
    found: list[tuple[float, float]] = [(0.0, 0.0)] * n
    for count, i in enumerate(order):
        x, y = places[i]
        near = np.sort(ys[:count][np.abs(xs[:count] - x) < width])
        for taken in near:
            if taken + height <= y:
                continue
            if taken >= y + height:
                break
            y = float(taken) + height
        xs[count], ys[count] = x, y
        found[i] = (x, y)
    left, top = (min((place[axis] for place in found), default=0.0) for axis in (0, 1))
    return [(x - left, y - top) for x, y in found]
