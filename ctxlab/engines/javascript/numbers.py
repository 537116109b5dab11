"""Numbers as JavaScript reads, keeps and writes them: variables of macros and of sessions are made of them."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from ctxlab.lazy_pattern import lazy_pattern

# The blanks of JavaScript's trim().
WHITE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

DECIMAL = lazy_pattern(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
RADIX = lazy_pattern(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
INTEGER = lazy_pattern(r"[+-]?\d+", re.ASCII)
LONGEST = 400  # characters of a number: no other program writes more
INFINITIES = {"Infinity": float("inf"), "+Infinity": float("inf"), "-Infinity": float("-inf")}

EXACT = 2**53
"""Whole numbers below it are exact in JavaScript."""

Number = int | float


def number(value: Any) -> Number | None:
    """JavaScript's Number() of a value; None for NaN. A text of blanks is 0."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return None if value != value else value
    if not isinstance(value, str):
        return 0 if value is None else None
    text = value.strip(WHITE)
    if not text:
        return 0
    if len(text) > LONGEST:
        return None
    if text in INFINITIES:
        return INFINITIES[text]
    if RADIX.fullmatch(text):
        return plain(int(text, 0))
    return plain(float(text)) if DECIMAL.fullmatch(text) else None


def plain(value: Number) -> Number:
    """A whole number as an int where JavaScript's is exact, so that it is written without a point; else a float."""
    if abs(value) < EXACT:
        return int(value) if isinstance(value, int) or value.is_integer() else value
    return as_float(value)


def as_float(value: Number) -> float:
    """The nearest float; integers of JSON have no bounds, so that a large one is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def leading_integer(text: str) -> int | None:
    """JavaScript's parseInt of a text: the whole number it begins with; None when there is none."""
    match = INTEGER.match(text.strip(WHITE))
    return int(match.group()[:20]) if match else None


def as_text(value: Any) -> str:
    """JavaScript's String() of a value; lists and objects are JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return number_text(value)
    from ctxlab.documents.stored import as_json

    return as_json(value).decode()


def number_text(value: Number) -> str:
    """A number as JavaScript writes it; integers of Python below 1e21 keep all their digits.

    >>> number_text(7.5), number_text(100.0), number_text(1e-7), number_text(1e21)
    ('7.5', '100', '1e-7', '1e+21')
    """
    if isinstance(value, int) and abs(value) < 10**21:
        return str(value)
    value = as_float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    mantissa, _, power = format(Decimal(repr(value)).normalize(), "e").partition("e")
    return f"{mantissa}e{int(power):+d}"
