"""What a strategy gets and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from ctxlab.context import Draft
from ctxlab.engines.truncation.units import Unit


@dataclass(frozen=True, slots=True)
class Border:
    """What didn't fit first: tokens it needed, tokens that were left, and the positions of its drafts."""

    needed: int
    left: int
    at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What may be kept. `units` come newest first and are found lazily; `cost` counts a unit once, when asked.

    `left` are the tokens for units that are free to go, what is protected already taken off; `capacity` are those for
    all units, protected ones included. `shortened` gives a unit's drafts cut to their heads, by position, or None where
    that is off.
    """

    units: Callable[[], Iterator[Unit]]
    left: int
    capacity: int
    cost: Callable[[Unit], int]
    shortened: Callable[[Unit], dict[int, Draft] | None]
    cost_of: Callable[[Draft], int]
    is_protected: Callable[[Unit], bool]
    draft: Callable[[int], Draft]

    def free_units(self) -> Iterator[Unit]:
        """The units that may go, newest first."""
        return (unit for unit in self.units() if not self.is_protected(unit))

    def keep_while_they_fit(self, units: Iterable[Unit], *, left: int | None = None) -> Verdict:
        """The units of a row up to the first that doesn't fit into `left` tokens; that one is the border."""
        left = self.left if left is None else left
        start = left
        keep: list[int] = []
        for unit in units:
            needed = self.cost(unit)
            if needed > left:
                return Verdict(frozenset(keep), border=Border(needed, left, unit.at), spent=start - left)
            keep.extend(unit.at)
            left -= needed
        return Verdict(frozenset(keep), spent=start - left)


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Positions that stay, drafts that stay shortened, and the border of the cut; what is not named goes."""

    keep: frozenset[int]
    shortened: dict[int, Draft] = field(default_factory=dict[int, Draft])
    border: Border | None = None
    spent: int = 0


class Strategy(Protocol):
    """Decides which units stay. It sees tokens and order, never the budget of what is protected."""

    name: ClassVar[str]

    def cut(self, window: Window) -> Verdict: ...

    def describe(self) -> str:
        """What it must count, what it keeps and what it loses, in a sentence."""
        ...
