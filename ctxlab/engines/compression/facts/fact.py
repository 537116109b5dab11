"""A fact: words of a text that a summary keeps or loses, and what they mean apart from their spelling."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ctxlab.lazy_dataclass import dataclass

FactKind = Literal[
    "must-keep", "rule", "decision", "task", "error", "number", "date", "name", "path", "identifier", "quote"
]
KINDS: tuple[FactKind, ...] = (
    "must-keep",
    "rule",
    "decision",
    "task",
    "error",
    "number",
    "date",
    "name",
    "path",
    "identifier",
    "quote",
)
"""Kinds in the order in which their losses are told: what the user demanded first."""

_WIDE = {0xFF01 + i: 0x21 + i for i in range(94)}
_MARKS = {0x3000: " ", 0xA0: " ", 0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2212: "-"}
_FOLDS: dict[int, int | str] = {**_WIDE, **_MARKS}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, in the base unit of what is measured; `high` is above `low` in a range.

    `unit` is empty for a number of things, which the words beside it name.
    """

    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        if self.high < self.low:
            raise ValueError(f"a range runs upwards, not from {self.low} to {self.high}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a time of day, or a part of one; what isn't said is None.

    `hour` is of 24, `is_half_day` where morning or afternoon isn't said: 5 is also 17. `is_day_or_month` where nothing
    says which of the two numbers is the day: 03/04/2025 is 4 March in one country and 3 April in another.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    is_half_day: bool = False
    is_day_or_month: bool = False

    @property
    def readings(self) -> tuple[Moment, ...]:
        """All days that may be meant: one, or two where day and month can't be told apart."""
        if not self.is_day_or_month:
            return (self,)
        one = replace(self, is_day_or_month=False)
        return one, replace(one, month=one.day, day=one.month)


FactValue = Quantity | Moment | str
"""The value that is compared: a quantity, a moment, or words as `folded` gives them."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Characters `start` up to `end` of a text, their kind, and their value: the same for every spelling of it."""

    kind: FactKind
    start: int
    end: int
    text: str
    value: FactValue


def width_folded(text: str) -> str:
    """The text with full-width letters, blanks and curly quotation marks as plain ones, each in its place."""
    return text if text.isascii() else text.translate(_FOLDS)


def folded(text: str) -> str:
    """The text in small letters of plain width, each character in its place.

    >>> folded("ＡＩ 伴侣，“Hi”")
    'ai 伴侣,"hi"'
    """
    plain = width_folded(text)
    low = plain.lower()
    if len(low) == len(plain):
        return low
    return "".join(small if len(small := each.lower()) == 1 else each for each in plain)
