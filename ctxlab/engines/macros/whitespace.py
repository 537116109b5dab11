"""Macros that make and take away characters."""

from __future__ import annotations

from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.engines.macros.call import BadCall, Call, NoRoom
from ctxlab.engines.macros.registry import macro

MOST_REPEATS = 1000


@macro("newline", phase="substitute")
def newline(call: Call) -> str:
    """A line break."""
    return "\n"


@macro("trim", phase="post")
def trim(call: Call) -> str:
    """Nothing, and it takes all blanks and line breaks around it along."""
    return ""


@macro("repeat", phase="post", arguments="2")
def repeat(call: Call) -> str:
    """The first argument as often as the second says, at most 1000 times."""
    text, often = call.arguments[0], leading_integer(call.arguments[1])
    if often is None or often < 0:
        raise BadCall(f"{call.arguments[1]!r} is not how often: a whole number from 0 to {MOST_REPEATS} is")
    if often > MOST_REPEATS:
        raise BadCall(f"{often} times is too often, at most {MOST_REPEATS}")
    if len(text) * often > call.run.room:
        raise NoRoom
    return text * often
