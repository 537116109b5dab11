"""Two rows of things beside each other: which are the same in both, in one order, and what that leaves.

What changed between prompts, lists and merged values is read from this one alignment: as many things as possible are
the same, so that one that came or went makes none of its neighbours another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal

from ctxlab.context.equal_stretch import equal_after, equal_before
from ctxlab.lazy_dataclass import dataclass

LARGEST: Final = 1 << 29
"""Bits of the table of one stretch (64 MB); a larger one is cut at things that stand once in both."""
ALIKE: Final = 0.5
"""Similarity from which on a thing counts as another version of one, not as a new one."""
NEAR: Final = 8
"""Things behind the first that differ which are looked at for another version of it: each is compared as a text."""
ChangeKind = Literal["added", "gone", "moved", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A thing that came, went, moved or is another; `old` and `new` are its numbers in both rows, from 0.

    Of what came `old` is the number in front of which it stands, of what went `new` likewise.
    """

    kind: ChangeKind
    old: int
    new: int


@dataclass(frozen=True)
class Alignment:
    """Numbers, from 0, of things that are the same in both rows and in the same order: as many as there can be."""

    old: Sequence[Hashable]
    new: Sequence[Hashable]
    pairs: tuple[tuple[int, int], ...]

    def blocks(self) -> Iterator[tuple[range, range]]:
        """The stretches between pairs that are not the same, as ranges of numbers in both; one of them may be empty."""
        i = j = 0
        for a, b in (*self.pairs, (len(self.old), len(self.new))):
            if a > i or b > j:
                yield range(i, a), range(j, b)
            i, j = a + 1, b + 1

    @cached_property
    def moved(self) -> dict[int, int]:
        """By its old number the new one of each thing that stands elsewhere.

        A thing that stands twice in a row has not moved, for nobody can tell which of them it is. Nor has one that went
        and is said again at the end, behind things that are new.
        """
        in_old, in_new = Counter(self.old), Counter(self.new)
        at = {key: number for number, key in enumerate(self.new) if in_old[key] == in_new[key] == 1}
        stay = {number for number, _ in self.pairs}
        end = self.pairs[-1][1] + 1 if self.pairs else 0
        end = next((number for number in range(end, len(self.new)) if not in_old[self.new[number]]), len(self.new))
        return {
            number: at[key] for number, key in enumerate(self.old) if number not in stay and key in at and at[key] < end
        }

    def first_change(self, similarity: Callable[[int, int], float]) -> Change | None:
        """The change at the first place at which the rows differ; None where they are the same.

        `similarity` says of an old and a new number how much alike two things are, from 0 to 1.
        """
        gone, come = next(self.blocks(), (range(0), range(0)))
        if not gone and not come:
            return None
        moved = self.moved
        back = {new: old for old, new in moved.items()}
        if come and come[0] in back:
            return Change("moved", back[come[0]], come[0])
        last = self.pairs[-1][1] if self.pairs else -1
        if gone and gone[0] in moved and (not come or moved[gone[0]] < last):
            return Change("moved", gone[0], moved[gone[0]])
        if not gone or not come:
            return Change("added" if come else "gone", gone.start, come.start)
        here = similarity(gone[0], come[0])
        if here < ALIKE and len(gone) != len(come):
            if len(come) > len(gone) and any(similarity(gone[0], j) >= ALIKE for j in come[1 : 1 + NEAR]):
                return Change("added", gone[0], come[0])
            if len(gone) > len(come) and any(similarity(i, come[0]) >= ALIKE for i in gone[1 : 1 + NEAR]):
                return Change("gone", gone[0], come[0])
        return Change("changed", gone[0], come[0])


def aligned(old: Sequence[Hashable], new: Sequence[Hashable]) -> Alignment:
    """The longest row of things that both have in one order, by equality; of several the one that begins first.

    Equal beginnings, and what only one of them has, cost no more than a look; of the rest the work grows with the
    product of the lengths, 64 at a time. An equal end is no beginning: what is said last may be said again.
    """
    found: list[tuple[int, int]] = []
    _align(old, new, range(len(old)), range(len(new)), found)
    return Alignment(old, new, tuple(found))


def texts_alike(old: str, new: str) -> float:
    """The share of two texts that their common beginning and end make, from 0 to 1.

    A text that has words more than another one, at one place, is alike in any case.
    """
    start = equal_after(old, new)
    same = start + equal_before(old, new[start:], len(old), len(new) - start, start)
    share = same / (max(len(old), len(new)) or 1)
    return max(share, ALIKE) if same and same == min(len(old), len(new)) else share


def _align(
    old: Sequence[Hashable], new: Sequence[Hashable], mine: range, theirs: range, found: list[tuple[int, int]]
) -> None:
    """Add the pairs of two stretches, in order."""
    start, shortest = 0, min(len(mine), len(theirs))
    while start < shortest and old[mine[start]] == new[theirs[start]]:
        start += 1
    found += zip(mine[:start], theirs[:start], strict=True)
    in_mine, in_theirs = {old[i] for i in mine[start:]}, {new[j] for j in theirs[start:]}
    shared = [i for i in mine[start:] if old[i] in in_theirs], [j for j in theirs[start:] if new[j] in in_mine]
    if shared[0]:
        _align_shared(old, new, *shared, found)


def _align_shared(
    old: Sequence[Hashable], new: Sequence[Hashable], mine: list[int], theirs: list[int], found: list[tuple[int, int]]
) -> None:
    if len(mine) * len(theirs) <= LARGEST:
        found += _longest(old, new, mine, theirs)
        return
    counts = Counter(old[i] for i in mine), Counter(new[j] for j in theirs)
    at = {new[j]: j for j in theirs}
    once = [i for i in mine if counts[0][old[i]] == counts[1][old[i]] == 1]
    anchors = [(once[n], at[old[once[n]]]) for n in longest_rising([at[old[i]] for i in once])]
    i, j = mine[0], theirs[0]
    for a, b in (*anchors, (mine[-1] + 1, theirs[-1] + 1)) if anchors else ():
        _align(old, new, range(i, a), range(j, b), found)
        found += [(a, b)] if b <= theirs[-1] else []
        i, j = a + 1, b + 1


def _longest(
    old: Sequence[Hashable], new: Sequence[Hashable], mine: Sequence[int], theirs: Sequence[int]
) -> list[tuple[int, int]]:
    """The longest common row, from the end with a bit for each of ours (Hyyrö 2004); what went is passed first."""
    places: dict[Hashable, int] = {}
    for n, i in enumerate(reversed(mine)):
        places[old[i]] = places.get(old[i], 0) | 1 << n
    full = (1 << len(mine)) - 1
    rows, row = [full], full
    for j in reversed(theirs):
        hits = row & places.get(new[j], 0)
        row = (row + hits | row - hits) & full
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    n, m = len(mine), len(theirs)
    while n and m:
        i, j = mine[-n], theirs[-m]
        if old[i] == new[j]:
            pairs.append((i, j))
            n, m = n - 1, m - 1
        elif rows[m] >> (n - 1) & 1:  # a bit of 0 is a thing of ours by which the longest common row grows
            n -= 1
        else:
            m -= 1
    return pairs


def longest_rising(numbers: Sequence[int]) -> list[int]:
    """The places of the longest row of rising numbers, which may leave some out (patience sorting, n log n)."""
    tails: list[int] = []  # the smallest last number of a rising row of each length
    ends: list[int] = []
    back: list[int] = []
    for place, number in enumerate(numbers):
        at = bisect_left(tails, number)
        back.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [number]
        ends[at : at + 1] = [place]
    found: list[int] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        found.append(place)
        place = back[place]
    return found[::-1]


def moved_keys(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The fewest keys that must be taken out so that the others are in the same order; both have each key once."""
    if before == after:
        return []
    rank = {key: number for number, key in enumerate(before)}
    stay = set(longest_rising([rank[key] for key in after]))
    return [key for number, key in enumerate(after) if number not in stay]
