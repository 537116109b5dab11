"""Scores summed by conversation, the unit that intervals and tests take as independent."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import fsum
from statistics import stdev

from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True)
class ConversationTotals:
    """By conversation, in order of their names: the sum of the scores, their number and the sum of their squares."""

    conversations: tuple[str, ...]
    sums: tuple[float, ...]
    counts: tuple[int, ...]
    squares: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.conversations) == len(self.sums) == len(self.counts) == len(self.squares):
            raise WrongArgument("each conversation needs one sum, one count and one sum of squares")

    def __repr__(self) -> str:
        return f"ConversationTotals({len(self)} conversations, {self.scores:,} scores)"

    def __len__(self) -> int:
        return len(self.conversations)

    @property
    def scores(self) -> int:
        return sum(self.counts)

    @cached_property
    def mean(self) -> float:
        """The mean over all scores, so that a conversation weighs as much as it has scores."""
        return fsum(self.sums) / self.scores

    @cached_property
    def pseudo_values(self) -> tuple[float, ...]:
        """By conversation, the jackknife's pseudo-value: n times the mean less n - 1 times the mean without it.

        With conversations of one size they are the means of the conversations.
        """
        n, total, scores = len(self), fsum(self.sums), self.scores
        if n < 2:
            return (self.mean,) * n
        without = [(total - own) / (scores - count) for own, count in zip(self.sums, self.counts, strict=True)]
        return tuple(n * self.mean - (n - 1) * each for each in without)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the pseudo-values; 0 where no conversation differs from another."""
        if len(self) < 2 or self.all_alike:
            return 0.0
        return stdev(self.pseudo_values)

    @property
    def standard_error(self) -> float:
        return self.spread / len(self) ** 0.5

    @cached_property
    def variance_of_scores(self) -> float:
        """The variance of the single scores, whichever conversation they are of; 0 up to rounding counts as 0."""
        squares, scores = fsum(self.squares), self.scores
        if scores < 2:
            return 0.0
        found = (squares - scores * self.mean**2) / (scores - 1)
        return found if found > 1e-12 * squares / scores else 0.0

    @cached_property
    def all_alike(self) -> bool:
        """Whether every conversation has the same mean, up to rounding."""
        means = [own / count for own, count in zip(self.sums, self.counts, strict=True)]
        return max(means) - min(means) <= 1e-12 * max(1.0, *map(abs, means))


def totals_of(scores: Iterable[tuple[str, float]]) -> ConversationTotals:
    """Totals of scores, each given with its conversation; the order in which they come makes no difference.

    >>> totals_of([("a", 1), ("b", 0), ("a", 0)]).sums
    (1.0, 0.0)
    """
    found: dict[str, list[float]] = {}
    for conversation, score in scores:
        found.setdefault(conversation, []).append(score)
    names = sorted(found)
    return ConversationTotals(
        conversations=tuple(names),
        sums=tuple(fsum(found[name]) for name in names),
        counts=tuple(len(found[name]) for name in names),
        squares=tuple(fsum(each * each for each in found[name]) for name in names),
    )
