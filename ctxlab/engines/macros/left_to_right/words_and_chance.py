"""Macros of words, conditions and chance in SillyTavern's newer engine."""

from __future__ import annotations

from ctxlab.engines.macros import sillytavern
from ctxlab.engines.macros.call import BadCall, MacroCall, NoRoom
from ctxlab.engines.macros.dice import random_index
from ctxlab.engines.macros.left_to_right.names_and_card import whole_number
from ctxlab.engines.macros.left_to_right.pieces import TRIM
from ctxlab.engines.macros.registry import NEWER, macro

MOST_DICE = 10_000


@macro("if", phase="substitute", arguments="2", dialect=NEWER)
def condition(call: MacroCall) -> str:
    """The text up to {{/if}} or {{else}}, where the first argument is filled and not false, 0 or off."""
    raise BadCall("it is no value")


@macro("else", phase="substitute", dialect=NEWER)
def otherwise(call: MacroCall) -> str:
    """Nothing; inside {{if}} begins what stands where the condition doesn't hold."""
    return ""


@macro("trim", phase="post", arguments="0-1", dialect=NEWER)
def trim(call: MacroCall) -> str:
    """Nothing; removes the line breaks around it. With an end, what stands in between without blanks at its ends."""
    return TRIM


@macro("noop", phase="substitute", dialect=NEWER)
def noop(call: MacroCall) -> str:
    """Nothing."""
    return ""


@macro("newline", phase="substitute", arguments="0-1", dialect=NEWER)
def newline(call: MacroCall) -> str:
    """A line break, or several."""
    return _repeated(call, "\n")


@macro("space", phase="substitute", arguments="0-1", dialect=NEWER)
def space(call: MacroCall) -> str:
    """A blank, or several."""
    return _repeated(call, " ")


def _repeated(call: MacroCall, text: str) -> str:
    times = whole_number(call, 0, 1)
    if times < 0:
        raise BadCall(f"{times} is not how often: it is from 0 on")
    if times > call.run.room:
        raise NoRoom(f"{times} characters are too many", key="too long")
    return text * times


@macro("//", "comment", phase="post", arguments="1", dialect=NEWER)
def comment(call: MacroCall) -> str:
    """Nothing: a remark for those who read the preset."""
    return ""


@macro("reverse", phase="post", arguments="1", dialect=NEWER)
def reverse(call: MacroCall) -> str:
    """The argument, back to front."""
    return call.arguments[0][::-1]


@macro("banned", phase="post", arguments="1", dialect=NEWER)
def banned(call: MacroCall) -> str:
    """Nothing: a word that the model shall not say, for services that can forbid words."""
    return str(sillytavern.banned.macros[0](call))


@macro("roll", phase="post", arguments="1", dialect=NEWER)
def roll(call: MacroCall) -> str:
    """The sum of dice such as 2d6+1, d20, or 20 for one die of so many sides; empty where it is none."""
    formula = call.arguments[0].strip()
    match = sillytavern.DICE.fullmatch(f"1d{formula}" if formula.isdecimal() else formula)
    number, sides = (int(match.group(1) or 1), int(match.group(2))) if match is not None else (0, 0)
    if match is None or not number or not 1 <= sides <= sillytavern.MOST_SIDES or number > MOST_DICE:
        if call.run.is_new(f"roll {formula}"):
            call.run.note(
                f"{{{{roll}}}} gives nothing: {formula!r} are no dice; 2d6+1 are two of six sides and one more"
            )
        return ""
    call.run.works(number)
    return str(sum(random_index(call, sides) + 1 for _ in range(number)) + int(match.group(3) or 0))


@macro("random", phase="post", arguments="0+", dialect=NEWER)
def random(call: MacroCall) -> str:
    """One of the options, by chance; they stand between `::`, or between commas."""
    return str(sillytavern.random.macros[0](call)) if call.arguments else ""


@macro("pick", phase="post", arguments="0+", dialect=NEWER)
def pick(call: MacroCall) -> str:
    """One of the options: always the same in this place of this text in one conversation."""
    return str(sillytavern.pick.macros[0](call)) if call.arguments else ""
