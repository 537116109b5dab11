"""Limits of templates, which are strangers' programs: of characters, of steps, and of numbers that make either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from ctxlab.lazy_pattern import lazy_pattern

MOST_CHARACTERS = 16_000_000
MOST_STEPS = 2_000_000
MOST_SOURCE = 1_000_000
WIDEST = 10_000
"""The largest width, indent or number of copies."""
MOST_BITS = 10_000
"""Bits of the largest number that a template may work out."""
_WIDE = lazy_pattern(r"\d{5,}|\*")


class TemplateTooLarge(Exception):
    """A template makes more text, or takes more steps, than any real one."""

    def __init__(self) -> None:
        super().__init__(f"it makes more than {MOST_CHARACTERS:,} characters or takes more than {MOST_STEPS:,} steps")


class StepCounter:
    """Counts the steps of loops of one rendering."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def counted(self, iterable: Iterable[Any]) -> Iterable[Any]:
        """The values that a loop goes through, their length counted at once where it has one."""
        try:
            size = len(iterable)  # type: ignore[arg-type]
        except TypeError:
            return self._one_by_one(iterable)
        self.left -= size
        if self.left < 0:
            raise TemplateTooLarge
        return iterable

    def _one_by_one(self, iterable: Iterable[Any]) -> Iterator[Any]:
        for each in iterable:
            self.left -= 1
            if self.left < 0:
                raise TemplateTooLarge
            yield each


def check_operation(operator: str, left: Any, right: Any) -> None:
    """Refuse a product, a power or a formatted text that would be larger than any real one."""
    if operator == "%":
        if isinstance(left, str):
            check_format(left)
    elif operator == "*":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, str | list | tuple) and isinstance(other, int) and len(one) * other > MOST_CHARACTERS:  # pyright: ignore[reportUnknownArgumentType]
                raise TemplateTooLarge
        _check_bits(left, right, power=False)
    else:
        _check_bits(left, right, power=True)


def _check_bits(left: Any, right: Any, *, power: bool) -> None:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * abs(right) if power else left.bit_length() + right.bit_length()
        if bits > MOST_BITS:
            raise TemplateTooLarge


def check_format(text: str) -> None:
    """Refuse a text with a width of five digits or one that is an argument."""
    if _WIDE.search(text):
        raise TemplateTooLarge


def check_replace(text: str, old: object = "", new: object = "") -> None:
    """Refuse a replacement that makes too long a text."""
    if isinstance(old, str) and isinstance(new, str) and len(text) + text.count(old) * len(new) > MOST_CHARACTERS:
        raise TemplateTooLarge


def check_size(value: object) -> None:
    """Refuse a value whose texts, each counted as often as it is named, are too long to be written."""
    left = MOST_CHARACTERS
    waiting: list[object] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            members = cast("dict[object, object]", each)
            waiting += [*members.keys(), *members.values()]
        elif isinstance(each, list | tuple | set):
            waiting += cast("list[object]", each)
        left -= len(each) if isinstance(each, str) else 1
        if left < 0 or len(waiting) > MOST_STEPS:
            raise TemplateTooLarge


def check_count(parts: int) -> None:
    """Refuse more parts of a text than a loop may have steps."""
    if parts > MOST_STEPS:
        raise TemplateTooLarge


def check_indent(text: str, width: int | str = 4) -> None:
    """Refuse an indented text that is too long."""
    size = width if isinstance(width, int) else len(width)
    if len(text) + (text.count("\n") + 1) * size > MOST_CHARACTERS:
        raise TemplateTooLarge


def check_numbers(values: Iterable[Any]) -> None:
    """Refuse large numbers as arguments of filters and methods, such as a width."""
    for each in values:
        if isinstance(each, int) and each > WIDEST:
            raise TemplateTooLarge
