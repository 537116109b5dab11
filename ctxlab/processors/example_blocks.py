"""Blocks of example messages that are kept as far as they fit after the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

from ctxlab.context import Cause, Draft, Dropped
from ctxlab.context.context import lacking
from ctxlab.engines.truncation.least_room import KeptRange
from ctxlab.lazy_dataclass import dataclass

RULE = "examples"


@dataclass(frozen=True, slots=True, eq=False)
class ExampleBlocks:
    """The blocks among some drafts that may be cut, by their positions, in order; `cost` counts a message."""

    drafts: Sequence[Draft]
    cost: Callable[[Draft], int]
    blocks: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, drafts: Sequence[Draft], cost: Callable[[Draft], int]) -> ExampleBlocks:
        found: dict[int, list[int]] = {}
        for i, draft in enumerate(drafts):
            if not draft.pinned and draft.placement is not None and draft.placement.block is not None:
                found.setdefault(draft.placement.block, []).append(i)
        return cls(drafts, cost, tuple(tuple(at) for _, at in sorted(found.items())))

    @property
    def positions(self) -> frozenset[int]:
        return frozenset(i for block in self.blocks for i in block)

    def tokens(self, block: Sequence[int]) -> int:
        return sum(self.cost(self.drafts[i]) for i in block)

    def fitting(self, left: int) -> int:
        """The number of blocks from the first on that fit into `left` tokens together."""
        sums = accumulate(self.tokens(block) for block in self.blocks)
        return sum(1 for total in sums if total <= left)

    def spent(self, number: int) -> int:
        """Tokens of the first blocks."""
        return sum(self.tokens(block) for block in self.blocks[:number])

    def dropped(self, number: int, left: int, processor: str) -> Iterator[Dropped]:
        """The blocks from the first that doesn't fit on, where `left` tokens were left before all of them."""
        if number >= len(self.blocks):
            return
        border, later = self.blocks[number], [i for block in self.blocks[number + 1 :] for i in block]
        needed, rest = self.tokens(border), left - self.spent(number)
        keys = tuple(self.drafts[i].key for i in border)
        own = Cause(processor, RULE, f"its block of examples {lacking(needed, rest)} after the history")
        yield Dropped(tuple(self.drafts[i] for i in border), own, needed, rest, keys)
        if later:
            cause = Cause(processor, RULE, f"a block of examples before it {lacking(needed, rest)} after the history")
            yield Dropped(tuple(self.drafts[i] for i in later), cause, needed, rest, keys)

    def block_of(self, at: int) -> int | None:
        """The number of the block that a message is part of."""
        return next((number for number, block in enumerate(self.blocks) if at in block), None)

    def ranges(self, number: int, units: Sequence[int], left: int, *, row: bool) -> Iterator[KeptRange]:
        """Rooms above `left`, beside what must stay, in which a block is kept; `units` are tokens of the history's.

        With `row` the history fills the room from its newest unit on, so a block may fit before the next unit does.
        """
        needed = self.spent(number + 1)
        sums = [0, *accumulate(units)]
        if row:
            for filled, with_next in pairwise(sums):
                least = max(filled + needed, left + 1)
                if least < with_next:
                    yield KeptRange(least, with_next - 1)
        yield KeptRange(max(sums[-1] + needed, left + 1))
