"""Values as people's files have them: numbers in quotes, flags as 0 and 1, lists as text with commas.

Each reader gives the value, or raises ValueError with what is wrong, in words that go on after the value; Partly when
something can be used all the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from ctxlab.formats.results import Loss
from ctxlab.lazy_pattern import lazy_pattern

T = TypeVar("T")
TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})
PIECE = lazy_pattern(r"\s*(/(?:[^/\\]|\\.)*/[a-z]*\s*(?=,|$)|[^,]*)", re.DOTALL)


class Partly(ValueError):
    """Some of a value can be used: `value`."""

    def __init__(self, reason: str, value: Any) -> None:
        super().__init__(reason)
        self.value = value


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError("is no text")


def flag(value: Any) -> bool:
    word = value.strip().lower() if isinstance(value, str) else str(value).lower() if isinstance(value, int) else None
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise ValueError("is neither true nor false")


def number(value: Any) -> int | float:
    """A finite number, whole where it can be."""
    if isinstance(value, str):
        value = _number_in(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise ValueError("is no number")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole(value: Any) -> int:
    try:
        found = number(value)
    except ValueError:
        found = None
    if not isinstance(found, int):
        raise ValueError("is no whole number")
    return found


def whole_or_flag(value: Any) -> int | bool:
    if isinstance(value, bool):
        return value
    try:
        return whole(value)
    except ValueError:
        return flag(value)


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts; one text is cut at its commas, but not inside a /regex/."""
    if isinstance(value, str):
        return tuple(piece for found in PIECE.finditer(value) if (piece := found[1].strip()))
    if isinstance(value, list | tuple):
        items = cast("list[Any]", value)
        good = tuple(text(item) for item in items if isinstance(item, str | int | float) and not isinstance(item, bool))
        if len(good) < len(items):
            raise Partly("holds what is no text", good)
        return good
    raise ValueError("is no list of texts")


def as_object(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict | Mapping) else {}


def shown(value: Any) -> str:
    """The value for a message, shortened."""
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."


def _number_in(value: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def field(data: Mapping[str, Any], key: str, read: Callable[[Any], T], default: T, losses: list[Loss] | None) -> T:
    """The value of a key as `read` reads it; the default where there is none, or where it can't be read: a loss."""
    value = data.get(key)
    if value is None:
        return default
    try:
        return read(value)
    except ValueError as problem:
        if losses is not None:
            losses.append(Loss(key, f"{shown(value)} {problem}; {default!r} is used"))
        return default
