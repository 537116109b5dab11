"""Macros of chance; the dice come from the request, so that the same request gives the same values."""

from __future__ import annotations

import re

from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.registry import macro
from ctxlab.lazy_pattern import lazy_pattern

DICE = lazy_pattern(r"(\d+)d(\d+)", re.ASCII | re.IGNORECASE)
MOST_DICE, MOST_SIDES = 100, 1000
FARTHEST = 2**52


def random_index(call: MacroCall, options: int) -> int:
    """A random index below `options`, by the request's dice."""
    return min(int(call.roll() * options), options - 1)


@macro("roll", phase="pre", arguments="1")
def roll(call: MacroCall) -> str:
    """The sum of dice such as 3d6, with each die in brackets when there are several."""
    match = DICE.fullmatch(call.arguments[0].strip())
    if match is None:
        raise BadCall(f"{call.arguments[0]!r} are no dice; 2d6 are two of six sides")
    number, sides = (int(digits[:6]) for digits in match.groups())
    if not 1 <= number <= MOST_DICE:
        raise BadCall(f"{match.group(1)} dice are not from 1 to {MOST_DICE}")
    if not 1 <= sides <= MOST_SIDES:
        raise BadCall(f"{match.group(2)} sides are not from 1 to {MOST_SIDES}")
    rolls = [random_index(call, sides) + 1 for _ in range(number)]
    return str(rolls[0]) if number == 1 else f"{sum(rolls)} ({', '.join(map(str, rolls))})"


@macro("random", phase="post", arguments="1+")
def random(call: MacroCall) -> str:
    """One of the arguments, by chance."""
    return call.arguments[random_index(call, len(call.arguments))]


@macro("randomInt", phase="post", arguments="2")
def random_int(call: MacroCall) -> str:
    """A whole number between the two arguments, both included."""
    least, most = (leading_integer(text) for text in call.arguments[:2])
    if least is None or most is None:
        raise BadCall(f"{call.arguments[0]!r} and {call.arguments[1]!r} are not two whole numbers")
    if max(abs(least), abs(most)) > FARTHEST:
        raise BadCall(f"{call.arguments[0]!r} to {call.arguments[1]!r} is too far, at most {FARTHEST:,}")
    if least > most or (call.run.reference and least == most):
        raise BadCall(f"{least} is not below {most}")
    return str(least + random_index(call, most - least + 1))


@macro("pick", phase="post", arguments="1+")
def pick(call: MacroCall) -> str:
    """One of the arguments: always the same in one conversation."""
    seed = call.env.session_id or call.env.messages.newest()
    return call.arguments[abs(_hash(seed)) % len(call.arguments)]


def _hash(text: str) -> int:
    """A 32-bit hash over UTF-16 units: h*31 + unit."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for i in range(0, len(units), 2):
        value = (value * 31 + units[i] + (units[i + 1] << 8)) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value
