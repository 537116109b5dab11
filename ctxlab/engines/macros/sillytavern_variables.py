"""SillyTavern's macros of variables: text and lists can be added to, and counting gives the new value."""

from __future__ import annotations

import json
from typing import Any

from ctxlab.engines.javascript.numbers import as_text, number, plain
from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.registry import SILLYTAVERN, macro
from ctxlab.engines.macros.variables import EVERYWHERE, SESSION, name_of


def _read(call: MacroCall, scope: str) -> Any:
    """The value of a variable, as a number where it reads as one."""
    value = call.run.variables_of(scope).get(call.arguments[0].strip(), "")
    found = number(value) if value != "" else None
    return value if found is None else found


def _put(call: MacroCall, scope: str) -> str:
    call.run.set(scope, name_of(call), call.arguments[1])
    return ""


def _add(call: MacroCall, scope: str, more: str) -> str:
    """The new value as text: numbers are added, an element is appended to a list, anything else is concatenated."""
    before = _read(call, scope)
    elements = _elements(before)
    left, right = number(before or 0), number(more)
    if elements is not None:
        after: Any = json.dumps([*elements, more], ensure_ascii=False)
    elif left is not None and right is not None:
        after = plain(left + right)
    else:
        after = (as_text(before) if before != "" else "") + more
    call.run.set(scope, name_of(call), after)
    return as_text(after)


def _elements(value: Any) -> list[Any] | None:
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value if isinstance(value, list) else None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


@macro("getvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def getvar(call: MacroCall) -> str:
    """A variable of this conversation; empty when it has no value."""
    return as_text(_read(call, SESSION))


@macro("setvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def setvar(call: MacroCall) -> str:
    """Nothing; gives a variable of this conversation a value."""
    return _put(call, SESSION)


@macro("addvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def addvar(call: MacroCall) -> str:
    """Nothing; adds to a variable of this conversation."""
    _add(call, SESSION, call.arguments[1])
    return ""


@macro("incvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def incvar(call: MacroCall) -> str:
    """A variable of this conversation with 1 added."""
    return _add(call, SESSION, "1")


@macro("decvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def decvar(call: MacroCall) -> str:
    """A variable of this conversation with 1 taken from it."""
    return _add(call, SESSION, "-1")


@macro("getglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def getglobalvar(call: MacroCall) -> str:
    """A variable that holds everywhere; empty when it has no value."""
    return as_text(_read(call, EVERYWHERE))


@macro("setglobalvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def setglobalvar(call: MacroCall) -> str:
    """Nothing; gives a variable that holds everywhere a value."""
    return _put(call, EVERYWHERE)


@macro("addglobalvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def addglobalvar(call: MacroCall) -> str:
    """Nothing; adds to a variable that holds everywhere."""
    _add(call, EVERYWHERE, call.arguments[1])
    return ""


@macro("incglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def incglobalvar(call: MacroCall) -> str:
    """A variable that holds everywhere with 1 added."""
    return _add(call, EVERYWHERE, "1")


@macro("decglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def decglobalvar(call: MacroCall) -> str:
    """A variable that holds everywhere with 1 taken from it."""
    return _add(call, EVERYWHERE, "-1")
