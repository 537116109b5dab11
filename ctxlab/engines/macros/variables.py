"""Macros of variables: of the conversation, and global ones."""

from __future__ import annotations

from typing import Any

from ctxlab.engines.javascript.numbers import Number, as_text, number, plain
from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.registry import macro

SESSION, EVERYWHERE = "session", "everywhere"


def stored_value(text: str, *, reference: bool) -> Any:
    """A number where it says the same as the text; the reference takes everything that JavaScript reads as one."""
    found = number(text)
    if found is None:
        return text
    return found if reference or as_text(found) == text else text


def name_of(call: MacroCall) -> str:
    name = call.arguments[0].strip()
    if not name and not call.run.reference:
        raise BadCall("a variable needs a name")
    return name


def get(call: MacroCall, scope: str) -> str:
    variables, name = call.run.variables_of(scope), call.arguments[0].strip()
    return as_text(variables[name]) if name in variables else ""


def put(call: MacroCall, scope: str) -> str:
    call.run.set(scope, name_of(call), stored_value(call.arguments[1], reference=call.run.reference))
    return ""


def count(call: MacroCall, scope: str, step: int) -> str:
    name = name_of(call)
    before: Number = number(call.run.variables_of(scope).get(name)) or 0
    call.run.set(scope, name, plain(before + step))
    return ""


@macro("setvar", phase="pre", arguments="2", rest=True)
def setvar(call: MacroCall) -> str:
    """Nothing; gives a variable of this conversation a value."""
    return put(call, SESSION)


@macro("getvar", phase="substitute", arguments="1")
def getvar(call: MacroCall) -> str:
    """A variable of this conversation; empty when it has no value."""
    return get(call, SESSION)


@macro("incvar", phase="pre", arguments="1")
def incvar(call: MacroCall) -> str:
    """Nothing; adds 1 to a variable of this conversation."""
    return count(call, SESSION, 1)


@macro("decvar", phase="pre", arguments="1")
def decvar(call: MacroCall) -> str:
    """Nothing; takes 1 from a variable of this conversation."""
    return count(call, SESSION, -1)


@macro("setglobalvar", phase="pre", arguments="2", rest=True)
def setglobalvar(call: MacroCall) -> str:
    """Nothing; gives a variable that holds everywhere a value."""
    return put(call, EVERYWHERE)


@macro("getglobalvar", phase="substitute", arguments="1")
def getglobalvar(call: MacroCall) -> str:
    """A variable that holds everywhere; empty when it has no value."""
    return get(call, EVERYWHERE)


@macro("incglobalvar", phase="pre", arguments="1")
def incglobalvar(call: MacroCall) -> str:
    """Nothing; adds 1 to a variable that holds everywhere."""
    return count(call, EVERYWHERE, 1)


@macro("decglobalvar", phase="pre", arguments="1")
def decglobalvar(call: MacroCall) -> str:
    """Nothing; takes 1 from a variable that holds everywhere."""
    return count(call, EVERYWHERE, -1)
