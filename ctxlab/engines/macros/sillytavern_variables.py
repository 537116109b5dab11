"""SillyTavern's variables: what is added to may be text or a list, and counting says what it has come to."""

from __future__ import annotations

import json
from typing import Any

from ctxlab.engines.javascript.numbers import as_text, number, plain
from ctxlab.engines.macros.call import Call
from ctxlab.engines.macros.registry import SILLYTAVERN, macro
from ctxlab.engines.macros.variables import EVERYWHERE, SESSION, name_of


def _read(call: Call, scope: str) -> Any:
    """A number where it reads as one."""
    value = call.run.variables_of(scope).get(call.arguments[0].strip(), "")
    found = number(value) if value != "" else None
    return value if found is None else found


def _put(call: Call, scope: str) -> str:
    call.run.set(scope, name_of(call), call.arguments[1])
    return ""


def _add(call: Call, scope: str, more: str) -> str:
    """Numbers are added, an element goes to the end of a list, and anything else is written behind."""
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
def getvar(call: Call) -> str:
    """A variable of this conversation; empty when it has no value."""
    return as_text(_read(call, SESSION))


@macro("setvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def setvar(call: Call) -> str:
    """Nothing; gives a variable of this conversation a value."""
    return _put(call, SESSION)


@macro("addvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def addvar(call: Call) -> str:
    """Nothing; adds to a variable of this conversation."""
    _add(call, SESSION, call.arguments[1])
    return ""


@macro("incvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def incvar(call: Call) -> str:
    """A variable of this conversation with 1 added."""
    return _add(call, SESSION, "1")


@macro("decvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def decvar(call: Call) -> str:
    """A variable of this conversation with 1 taken from it."""
    return _add(call, SESSION, "-1")


@macro("getglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def getglobalvar(call: Call) -> str:
    """A variable that holds everywhere; empty when it has no value."""
    return as_text(_read(call, EVERYWHERE))


@macro("setglobalvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def setglobalvar(call: Call) -> str:
    """Nothing; gives a variable that holds everywhere a value."""
    return _put(call, EVERYWHERE)


@macro("addglobalvar", phase="pre", arguments="2", rest=True, dialect=SILLYTAVERN)
def addglobalvar(call: Call) -> str:
    """Nothing; adds to a variable that holds everywhere."""
    _add(call, EVERYWHERE, call.arguments[1])
    return ""


@macro("incglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def incglobalvar(call: Call) -> str:
    """A variable that holds everywhere with 1 added."""
    return _add(call, EVERYWHERE, "1")


@macro("decglobalvar", phase="pre", arguments="1", dialect=SILLYTAVERN)
def decglobalvar(call: Call) -> str:
    """A variable that holds everywhere with 1 taken from it."""
    return _add(call, EVERYWHERE, "-1")
