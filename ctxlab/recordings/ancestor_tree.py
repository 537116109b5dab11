"""A tree of places with the tokens on the way to each, in which ancestors are found in few steps."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


class AncestorTree(Generic[P]):
    """Places below a root; `tokens` are those from the first one up to and with each.

    Each place knows one that is farther up, so that a way of n places is climbed in about log n steps.
    """

    def __init__(self, root: P) -> None:
        self.root = root
        self.parent, self.depth, self.tokens = {root: root}, {root: 0}, {root: 0}
        self._far = {root: root}
        self.steps = 0
        """Places that were looked at: a count for tests of how the work grows."""

    def put(self, place: P, parent: P, tokens: int) -> None:
        """Add a place behind one that is there; `tokens` are its own."""
        self.parent[place], self.depth[place] = parent, self.depth[parent] + 1
        self.tokens[place] = self.tokens[parent] + tokens
        far = self._far[parent]
        even = self.depth[parent] - self.depth[far] == self.depth[far] - self.depth[self._far[far]]
        self._far[place] = self._far[far] if even else parent

    def at_depth(self, place: P, depth: int) -> P:
        """The place of a depth on the way to another one; that one itself where it isn't so deep."""
        while self.depth[place] > depth:
            self.steps += 1
            far = self._far[place]
            place = far if self.depth[far] >= depth else self.parent[place]
        return place

    def is_above(self, first: P, second: P) -> bool:
        """Whether a place is on the way to another one."""
        return first != second and self.at_depth(second, self.depth[first]) == first

    def common(self, one: P, other: P) -> P:
        """The last place on both ways; the root where they share none."""
        one, other = self.at_depth(one, self.depth[other]), self.at_depth(other, self.depth[one])
        while one != other:
            self.steps += 1
            way = self.parent if self._far[one] == self._far[other] else self._far
            one, other = way[one], way[other]
        return one

    def last_within(self, leaf: P, tokens: float) -> P:
        """The last place on the way to a leaf that ends within so many tokens; the root where none does."""
        at = leaf
        while at != self.root and self.tokens[at] > tokens:
            far = self._far[at]
            at = far if self.tokens[far] > tokens else self.parent[at]
        return at

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.parent) - 1} places)"
