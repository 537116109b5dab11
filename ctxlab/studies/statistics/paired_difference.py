"""The difference of a score between two variants on the same cases, with its interval, its tests and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.statistics.conversation_totals import totals_of
from ctxlab.studies.statistics.effect_size import conversations_needed, paired_effect
from ctxlab.studies.statistics.interval import Interval, Method, interval_of
from ctxlab.studies.statistics.significance import (
    EXACT_UP_TO,
    holm,
    least_conversations,
    least_p,
    most_comparisons,
    sign_flip_test,
    sign_test,
)
from ctxlab.studies.study.scorer import Better

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["better", "worse", "higher", "lower", "equal", "open"]
NAME = 40


class CellKey(NamedTuple):
    """The key that a cell shares with the same cell of other variants; `rest` are its budget, its seed and so on."""

    conversation: str
    case: str
    rest: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of `first` less the mean of `second` over cells that both have; `p` is of the sign-flip test.

    `ups` and `downs` are conversations where the first is higher and lower; `p_holm` is p corrected for `comparisons`.
    `needed` are the conversations with which a difference of this size is found in 80 % of studies at the level that
    Holm asks of the smallest p, and no fewer than those from which on the corrected test can decide at all. Of scores
    that are equal in every cell `is_equal` is true, and there is no interval.
    """

    first: str
    second: str
    score: str
    better: Better | None
    is_share: bool
    mean: float
    interval: Interval | None
    level: float
    cases: int
    conversations: int
    ups: int
    downs: int
    p: float
    sign_p: float
    p_holm: float
    comparisons: int = 1
    effect: float | None = None
    effect_interval: Interval | None = None
    needed: int | None = None
    is_equal: bool = False
    pairs: tuple[tuple[CellKey, float, float], ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return (
            f"PairedDifference({plain(self.first, NAME)!r} less {plain(self.second, NAME)!r}, {self.mean:+.4g}, "
            f"p {self.p_holm:.3g}, {self.verdict})"
        )

    @property
    def is_decided(self) -> bool:
        """Whether the corrected p is below 1 - level and the interval, where there is one, leaves 0 out."""
        return self.p_holm < 1 - self.level and (self.interval is None or 0 not in self.interval)

    @property
    def verdict(self) -> Verdict:
        """`better` or `worse` where decided, or `higher` or `lower` of scores where neither is better; else `open`.

        `equal` says that both score alike in every cell of this study, not that they always would.
        """
        if self.is_equal:
            return "equal"
        if not self.is_decided:
            return "open"
        if self.better is None:
            return "higher" if self.mean > 0 else "lower"
        return "better" if (self.mean > 0) == (self.better == "higher") else "worse"

    @property
    def is_drawn(self) -> bool:
        """Whether p is of draws: more conversations differ than all signs are tried of."""
        return self.ups + self.downs > EXACT_UP_TO

    @property
    def can_decide(self) -> bool:
        """Whether any outcome with so many conversations could have been told apart."""
        return self.comparisons * least_p(self.conversations) < 1 - self.level

    def as_row(self) -> dict[str, Any]:
        interval, effect = self.interval, self.effect_interval
        return {
            "difference": self.mean,
            "difference_low": interval.low if interval else None,
            "difference_high": interval.high if interval else None,
            "ups": self.ups,
            "downs": self.downs,
            "p": self.p,
            "p_holm": self.p_holm,
            "p_sign": self.sign_p,
            "effect": self.effect,
            "effect_low": effect.low if effect else None,
            "effect_high": effect.high if effect else None,
            "conversations_needed": self.needed,
            "verdict": self.verdict,
        }

    def frame(self) -> pd.DataFrame:
        """One row a cell that both have: conversation, case, the score of each, and the difference."""
        columns = ("conversation", "case", "first", "second", "difference")
        rows = ((key.conversation, key.case, a, b, a - b) for key, a, b in self.pairs)
        return frame_of([dict(zip(columns, row, strict=True)) for row in rows], columns)

    def sentence(self) -> str:
        """The difference, its interval, and what may be claimed of it."""
        between = ""
        if self.interval is not None:
            between = f", {self.interval.level:.0%} interval {self.amount(self.interval.low)} to "
            between += self.amount(self.interval.high)
        unit = " points" if self.is_share else ""
        told = f"{plain(self.first, NAME)} less {plain(self.second, NAME)}: "
        if self.is_equal:
            return told + equal_on_every_case(self)
        told += f"{self.amount(self.mean)}{unit}{between}, "
        told += f"paired over {counted(self.conversations, 'conversation')}"
        if self.is_decided:
            return f"{told}; {self.verdict}, p {self.p_holm:.2g}."
        return f"{told}; open, p {self.p_holm:.2g}: no order is claimed.{self._why_open()}"

    def _why_open(self) -> str:
        if not self.can_decide:
            return f" {few_conversations(self.conversations, self.comparisons, self.level)}"
        if self.needed is None or self.needed <= self.conversations:
            return ""
        return f" If it is as large as it looks, about {self.needed:,} conversations would be needed to tell it apart."

    def amount(self, value: float) -> str:
        """A difference with its sign, of shares in points of a hundred."""
        shown = f"{100 * value:+.1f}" if self.is_share else f"{value:+.4g}"
        return shown.replace("-", "−")

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.as_row()) + lines([self.sentence()], cells=400)


def equal_on_every_case(difference: PairedDifference) -> str:
    """The words for scores that are equal in every cell, and how many conversations may yet be otherwise."""
    others = 1 - (1 - difference.level) ** (1 / difference.conversations)
    seen = f"{counted(difference.cases, 'case')} of {counted(difference.conversations, 'conversation')}"
    return (
        f"equal on every one of {seen}, so that there is no interval; at {difference.level:.0%} confidence they differ "
        f"in no more than {others:.0%} of conversations like these."
    )


def few_conversations(conversations: int, comparisons: int, level: float) -> str:
    """The sentence that says why nothing can be decided with so few conversations, or so many comparisons."""
    many = f" of {comparisons:,} comparisons" if comparisons > 1 else ""
    enough = least_conversations(level, comparisons=comparisons)
    test = "exact test" if conversations <= EXACT_UP_TO else "test"
    least = f"With {counted(conversations, 'conversation')} the {test} can't go below p = {least_p(conversations):.4g}"
    remedy = f"it takes {enough} or more"
    if enough is None:
        remedy = f"no number of conversations is enough: compare {most_comparisons(level):,} at most"
    return f"{least}, so that none{many} can be told apart at {1 - level:.2g}; {remedy}."


def difference_of(
    first: tuple[str, Mapping[CellKey, float]],
    second: tuple[str, Mapping[CellKey, float]],
    *,
    score: str,
    better: Better | None = "higher",
    is_share: bool = False,
    level: float = 0.95,
    method: Method = "auto",
) -> PairedDifference | None:
    """The difference of two variants, each given as its name and its scores by cell; None where they share no cell."""
    (name, ours), (other, theirs) = first, second
    pairs = tuple((key, ours[key], theirs[key]) for key in ours if key in theirs)
    if not pairs:
        return None
    totals = totals_of((key.conversation, a - b) for key, a, b in pairs)
    effect = paired_effect(totals, level=level)
    p = sign_flip_test(totals.sums)
    is_equal = all(a == b for _, a, b in pairs)
    interval = (
        None if is_equal else interval_of(totals, bounds=(-1, 1) if is_share else None, level=level, method=method)
    )
    return PairedDifference(
        first=name,
        second=other,
        score=score,
        better=better,
        is_share=is_share,
        mean=totals.mean,
        interval=interval,
        level=level,
        cases=len({(key.conversation, key.case) for key, _, _ in pairs}),
        conversations=len(totals),
        ups=sum(each > 0 for each in totals.sums),
        downs=sum(each < 0 for each in totals.sums),
        p=p,
        sign_p=sign_test(totals.sums),
        p_holm=p,
        effect=effect[0] if effect else None,
        effect_interval=effect[1] if effect else None,
        needed=_needed(effect[0] if effect else None, 1, level),
        is_equal=is_equal,
        pairs=pairs,
    )


def with_holm(differences: Sequence[PairedDifference]) -> tuple[PairedDifference, ...]:
    """The differences with p corrected for their number."""
    corrected = holm([each.p for each in differences])
    many = len(differences)
    return tuple(
        replace(each, p_holm=p, comparisons=many, needed=_needed(each.effect, many, each.level))
        for each, p in zip(differences, corrected, strict=True)
    )


def _needed(effect: float | None, comparisons: int, level: float) -> int | None:
    """The conversations needed, no fewer than those without which the corrected test can't decide."""
    least = least_conversations(level, comparisons=comparisons)
    if effect is None or least is None:
        return None
    return conversations_needed(effect, level=1 - (1 - level) / comparisons, least=least)
