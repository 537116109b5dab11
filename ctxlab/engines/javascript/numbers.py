"""Numbers and texts as JavaScript reads and writes them: variables of macros are made of both."""

from __future__ import annotations

import re
from typing import Any

from ctxlab.engines.macros.parser import WHITE

DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
LONGEST = 400  # characters of a number: no other program writes more
INFINITIES = {"Infinity": float("inf"), "+Infinity": float("inf"), "-Infinity": float("-inf")}

Number = int | float


def number(value: Any) -> Number | None:
    """What JavaScript's Number() makes of a value; None for NaN. A text of blanks is 0."""
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
    """A whole number as an int, so that it is written without a point."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e21 else value
    if abs(value) < 10**21:
        return value
    return float(value) if abs(value) < 10**308 else float("inf") * (1 if value > 0 else -1)


def leading_integer(text: str) -> int | None:
    """What JavaScript's parseInt makes of a text: the whole number it begins with; None when there is none."""
    match = INTEGER.match(text.strip(WHITE))
    return int(match.group()[:20]) if match else None


def as_text(value: Any) -> str:
    """What JavaScript's String() makes of a value; lists and objects are JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return _number_text(value)
    from ctxlab.documents.stored import as_json

    return as_json(value).decode()


def _number_text(value: Number) -> str:
    value = plain(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int):
        return str(value)
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('-', '').replace('.', '')) - 1 - power}f}"
    return f"{digits.removesuffix('.0')}e{power:+d}"
