"""The cells in which llama.cpp keeps the last tokens of a model with a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ctxlab.lazy_dataclass import dataclass

MICRO_BATCH: Final = 512
EMPTY: Final = -1


@dataclass(frozen=True, slots=True)
class WindowCells:
    """The positions of tokens, a cell each, EMPTY where there is none; the next search begins at the cell `head`.

    A token that is `window` or more before the next one may be overwritten. Older ones than an overwritten one go too.
    With `whole` there is a cell for each token of the context, and nothing is saved at checkpoints.
    """

    cells: tuple[int, ...]
    window: int
    head: int = 0
    whole: bool = False

    @classmethod
    def empty(cls, window: int, context: int, *, whole: bool = False) -> WindowCells:
        size = context if whole else min(context, -(-(window + MICRO_BATCH) // 256) * 256)
        return cls((EMPTY,) * size, window, whole=whole)

    @property
    def reach(self) -> int:
        """Tokens before a place that must be there for going on from it."""
        return 0 if self.whole else self.window

    @property
    def lowest(self) -> int:
        """The first position that is there; EMPTY where none is."""
        return min((each for each in self.cells if each != EMPTY), default=EMPTY)

    def without(self, start: int) -> WindowCells:
        """Without the positions from `start` on."""
        gone = [number for number, each in enumerate(self.cells) if each >= start]
        if not gone:
            return self
        cells = tuple(EMPTY if each >= start else each for each in self.cells)
        return replace(self, cells=cells, head=min(self.head, gone[0]))

    def moved(self, start: int, end: int, to: int) -> WindowCells:
        """With the positions `start` up to `end` moved to `to`, and those between `to` and `start` gone."""
        cells = tuple(
            EMPTY if to <= each < start else each - start + to if start <= each < end else each for each in self.cells
        )
        return replace(self, cells=cells, head=0)

    def holding(self, positions: Sequence[int]) -> WindowCells:
        """Cleared, with these positions in the order in which a state was saved."""
        cleared = self.without(0)
        cells = list(cleared.cells)
        head = _fill(cells, cleared.head, positions, self.window)
        return replace(self, cells=tuple(cells), head=head)

    def reading(self, start: int, end: int) -> WindowCells:
        """With the positions `start` up to `end` read, in batches of llama.cpp's size."""
        cells, head = list(self.cells), self.head
        for first in range(start, end, MICRO_BATCH):
            head = _fill(cells, head, range(first, min(end, first + MICRO_BATCH)), self.window)
        return replace(self, cells=tuple(cells), head=head)

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that the last token sees, in the order of their cells, as a state is saved."""
        after = max(self.cells, default=EMPTY) + 1
        return tuple(each for each in self.cells if each != EMPTY and after - each <= self.window)


def _fill(cells: list[int], head: int, positions: Sequence[int], window: int) -> int:
    """Write positions into free cells from `head` on; gives the next head."""
    size = len(cells)
    used = sum(1 for each in cells if each != EMPTY)
    if head > used + 2 * len(positions):
        head = 0
    after = max(cells, default=EMPTY) + 1
    chosen: list[int] = []
    for step in range(size):
        at = (head + step) % size
        if cells[at] == EMPTY or after - cells[at] >= window:
            chosen.append(at)
            if len(chosen) == len(positions):
                break
    overwritten = EMPTY
    for at, position in zip(chosen, positions, strict=False):
        overwritten = max(overwritten, cells[at])
        cells[at] = position
    if overwritten != EMPTY:
        for at, position in enumerate(cells):
            if EMPTY < position <= overwritten:
                cells[at] = EMPTY
    return chosen[-1] + 1 if chosen else head
