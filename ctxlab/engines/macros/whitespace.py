"""Macros that insert or remove whitespace, and repeat text."""

from __future__ import annotations

from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.engines.macros.call import BadCall, MacroCall, NoRoom
from ctxlab.engines.macros.registry import macro

MOST_REPEATS = 1000


@macro("newline", phase="substitute")
def newline(call: MacroCall) -> str:
    """A line break."""
    return "\n"


@macro("trim", phase="post")
def trim(call: MacroCall) -> str:
    """Nothing; removes all blanks and line breaks around it."""
    return ""


@macro("repeat", phase="post", arguments="2")
def repeat(call: MacroCall) -> str:
    """The first argument as often as the second says, at most 1000 times."""
    text, often = call.arguments[0], leading_integer(call.arguments[1])
    if often is None or often < 0:
        raise BadCall(f"{call.arguments[1]!r} is not how often: a whole number from 0 to {MOST_REPEATS} is")
    if often > MOST_REPEATS:
        raise BadCall(f"{often} times is too often, at most {MOST_REPEATS}")
    if len(text) * often > call.run.room:
        raise NoRoom
    return text * often
