"""Values of session variables: JSON values by dotted path, and their text."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, cast

import orjson

from ctxlab.documents.stored import as_json

Compat = Literal["ctxlab", "reference"]
Values = Mapping[str, Any]

EXACT = 2**53
"""Integers below it are the same in JavaScript."""
LARGEST = int(sys.float_info.max)
DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
BASED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
INDEX = re.compile(r"\d{1,9}", re.ASCII)


class Missing:
    """The value of a variable that isn't there."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def number_of(text: str) -> int | float | None:
    """The number that a text is: decimal, `1e2`, `0x10`; None for anything else, infinities included."""
    word = text.strip()
    if BASED.fullmatch(word):
        return plain(float(int(word, 0))) if len(word) <= 250 else None
    return plain(float(word)) if DECIMAL.fullmatch(word) else None


def plain(number: float) -> int | float | None:
    """An integer where it is one; None for what is not finite."""
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_of(text: str) -> Any:
    """The value of an attribute's text: JSON where it begins with a bracket, a number, else the text."""
    if text.lstrip().startswith(("{", "[")):
        try:
            return orjson.loads(text)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return text
    number = number_of(text)
    return text if number is None else number


def as_text(value: Any, *, compat: Compat = "ctxlab") -> str:
    """The text of a value; lists and objects are JSON (in `reference`, as JavaScript's String())."""
    match value:
        case str():
            return value
        case bool() | None:
            return "null" if value is None else str(value).lower()
        case int() | float():
            return number_text(value)
        case list() if compat == "reference":
            items = cast("list[Any]", value)
            return ",".join("" if item is None else as_text(item, compat=compat) for item in items)
        case dict() if compat == "reference":
            return "[object Object]"
        case _:
            return as_json(value).decode()


def number_text(number: float) -> str:
    """A number as JavaScript writes it.

    >>> number_text(7.5), number_text(100.0), number_text(1e-7), number_text(1e21)
    ('7.5', '100', '1e-7', '1e+21')
    """
    if isinstance(number, int) and abs(number) > LARGEST:  # integers of JSON have no bounds
        return "Infinity" if number > 0 else "-Infinity"
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        text = str(number) if isinstance(number, int) else format(Decimal(repr(number)), "f")
        return text.removesuffix(".0")
    mantissa, _, power = format(Decimal(repr(float(number))).normalize(), "e").partition("e")
    return f"{mantissa}e{int(power):+d}"


def look_up(values: Values, path: str) -> Any:
    """The value at a dotted path, through lists by index; MISSING when there is none."""
    found: Any = values
    for step in path.split("."):
        if isinstance(found, Mapping):
            found = cast("Values", found).get(step, MISSING)
        elif isinstance(found, list) and INDEX.fullmatch(step) and int(step) < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[int(step)]
        else:
            return MISSING
    return found


def put(values: Values, path: str, value: Any) -> dict[str, Any]:
    """The values with another one at a path, MISSING to take it out; what is on the way there is made."""
    return _put(values, path.split("."), value)


def _put(holder: Any, steps: Sequence[str], value: Any) -> Any:
    first, *rest = steps
    if isinstance(holder, list) and INDEX.fullmatch(first) and int(first) <= len(cast("list[Any]", holder)):
        items = list(cast("list[Any]", holder))
        at = int(first)
        inner = _put(items[at] if at < len(items) else {}, rest, value) if rest else value
        items[at : at + 1] = [] if inner is MISSING else [inner]
        return items
    fields = dict(cast("Values", holder)) if isinstance(holder, Mapping) else dict[str, Any]()
    if rest:
        fields[first] = _put(fields.get(first), rest, value)
    elif value is MISSING:
        fields.pop(first, None)
    else:
        fields[first] = value
    return fields
