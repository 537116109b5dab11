"""The units at which the prompts of a block cut begin, found for all capacities at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.truncation.least_room import FOREVER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class Stretches(NamedTuple):
    """Stretches of capacities, rising, each with the unit at which the prompt begins there; arrays of one length."""

    first: Numbers
    last: Numbers
    start: Numbers

    def where(self, wanted: NDArray[np.bool_]) -> Stretches:
        return Stretches(self.first[wanted], self.last[wanted], self.start[wanted])

    def joined(self) -> Stretches:
        """Those that follow one another and begin at the same unit as one."""
        import numpy as np

        begins = np.ones(len(self.first), np.bool_)
        begins[1:] = (self.start[1:] != self.start[:-1]) | (self.first[1:] != self.last[:-1] + 1)
        return Stretches(self.first[begins], self.last[np.roll(begins, -1)], self.start[begins])


def block_starts(sums: list[int], share: float, *, least: int, most: int, newest: int) -> Stretches:
    """The unit at which the prompt begins, for every capacity from `least` to `most`.

    `sums[n]` are the tokens of the oldest n units; a room that is full drops down to `share` of it. Of a prompt that
    begins behind the unit `newest` just one such unit is told.

    From cut to cut stretches are parted where the prompt begins at different units, and those that meet again are
    joined, so that a difference costs no more than it lasts.
    """
    import numpy as np

    tokens = np.array([*sums, FOREVER])
    going = Stretches(np.array([least]), np.array([most]), np.array([0]))
    found: list[Stretches] = []
    while len(going.first):
        there, going = _after_next_cut(tokens, share, going)
        behind = going.start > newest
        found += [there, going.where(behind)]
        going = going.where(~behind)
    whole = Stretches(*map(np.concatenate, zip(*found, strict=True)))
    order = np.argsort(whole.first)
    return Stretches(*[row[order] for row in whole]).joined()


def _after_next_cut(tokens: Numbers, share: float, going: Stretches) -> tuple[Stretches, Stretches]:
    """The stretches in which no cut comes any more, and the others with the unit at which the prompt begins then."""
    import numpy as np

    first, last, start = going
    fits = [np.searchsorted(tokens, tokens[start] + room, "right") - 1 for room in (first, last)]
    part, nth = _repeated(fits[1] - fits[0] + 1)
    full, before = fits[0][part] + nth, tokens[start[part]]
    first = np.maximum(first[part], tokens[full] - before)
    last = np.minimum(last[part], tokens[full + 1] - before - 1)
    start = start[part]
    cuts = full < len(tokens) - 2
    there = Stretches(first, last, start).where(~cuts)
    cuts &= first <= last  # units without tokens fill no room
    first, last, start, full = first[cuts], last[cuts], start[cuts], full[cuts]

    with_it = tokens[full + 1]
    low, high = [
        np.clip(np.searchsorted(tokens, with_it - (room * share).astype(np.int64)), start, full)
        for room in (last, first)
    ]
    part, nth = _repeated(high - low + 1)
    begins, full = high[part] - nth, full[part]
    alone = with_it[part] - tokens[begins]
    others = np.flatnonzero(nth)
    first, last = _parted(first[part], last[part], others, _rooms_for_share(alone[others], share))

    part, nth = _repeated(1 + ((first < alone) & (alone <= last)))
    begins, full, alone = begins[part], full[part], alone[part]
    others = np.flatnonzero(nth)
    first, last = _parted(first[part], last[part], others, alone[others])
    start = np.where(first < alone, full + 1, begins)  # what doesn't fit alone goes too
    return there, Stretches(first, last, start).where(first <= last).joined()


def _repeated(times: Numbers) -> tuple[Numbers, Numbers]:
    """The place of each element as often as is said, and beside it how often it was there before."""
    import numpy as np

    part = np.repeat(np.arange(len(times)), times)
    return part, np.arange(len(part)) - (np.cumsum(times) - times)[part]


def _parted(first: Numbers, last: Numbers, at: Numbers, edges: Numbers) -> tuple[Numbers, Numbers]:
    """Repeated stretches of which those at some places begin at an edge, and those before them end there."""
    first[at], last[at - 1] = edges, edges - 1
    return first, last


def _rooms_for_share(tokens: Numbers, share: float) -> Numbers:
    """Of each number of tokens, at least one, the least room whose share, in whole tokens, is as large."""
    import numpy as np

    rooms = (tokens / share).astype(np.int64)  # may be one off either way
    rooms += (rooms * share).astype(np.int64) < tokens
    return rooms - (((rooms - 1) * share).astype(np.int64) >= tokens)
