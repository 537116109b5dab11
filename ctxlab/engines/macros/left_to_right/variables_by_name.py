"""Macros of variables in SillyTavern's newer engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from ctxlab.engines.javascript.numbers import as_text
from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.registry import NEWER, Macro, MacroFamily
from ctxlab.engines.macros.variables import COMPACT, SCOPES, added, as_number, name_of, read_value

MOST_ELEMENTS = 10_000
READ = 4
"""Times that reading a character as JSON is more work."""


def _get(call: MacroCall, scope: str) -> str:
    return as_text(read_value(call.run, scope, call.arguments[0]))


def _set(call: MacroCall, scope: str) -> str:
    call.run.set(scope, name_of(call), call.arguments[1])
    return ""


def _add(call: MacroCall, scope: str) -> str:
    _counted(call, scope, call.arguments[1])
    return ""


def _counted(call: MacroCall, scope: str, more: str) -> str:
    call.run.works(call.run.length_of(scope, name_of(call)))
    return added(call.run, scope, name_of(call), more, COMPACT)


def _has(call: MacroCall, scope: str) -> str:
    return "true" if call.arguments[0] in call.run.variables_of(scope) else "false"


def _delete(call: MacroCall, scope: str) -> str:
    call.run.delete(scope, call.arguments[0])
    return ""


def _held(call: MacroCall, scope: str) -> Any:
    """The list or the object that a variable holds; the value itself where it is neither."""
    value = call.run.variables_of(scope).get(call.arguments[0])
    if not isinstance(value, str):
        return value
    call.run.works(READ * len(value))
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _get_key(call: MacroCall, scope: str) -> str:
    held, key = _held(call, scope), call.arguments[1]
    found: Any = held
    if isinstance(held, list):
        items = cast("list[Any]", held)
        found = items[int(key)] if key.isdecimal() and int(key) < len(items) else ""
    elif isinstance(held, dict):
        found = cast("dict[str, Any]", held).get(key, "")
    found = "" if found is None else found
    if isinstance(found, list | dict):
        return json.dumps(found, ensure_ascii=False, separators=COMPACT)
    return as_text(as_number(found))


def _set_key(call: MacroCall, scope: str) -> str:
    name, key, value = name_of(call), call.arguments[1], call.arguments[2]
    held = _held(call, scope)
    if held is None or held == "":
        held = [] if key.isdecimal() else {}
    if isinstance(held, list) and key.isdecimal():
        items, at = [*cast("list[Any]", held)], int(key)
        if at >= MOST_ELEMENTS:
            raise BadCall(f"{key} is too far in a list, which holds {MOST_ELEMENTS} at most")
        items.extend([None] * (at + 1 - len(items)))
        items[at] = value
        held = items
    elif isinstance(held, dict):
        held = {**cast("dict[str, Any]", held), key: value}
    else:
        return ""
    call.run.set(scope, name, json.dumps(held, ensure_ascii=False, separators=COMPACT))
    return ""


def _of_scope(infix: str, scope: str, what: str) -> tuple[Macro, ...]:
    def made(
        names: tuple[str, ...], run: Callable[[MacroCall, str], str], description: str, arguments: int
    ) -> list[Macro]:
        return [
            Macro(name, "pre", lambda call: run(call, scope), description, arguments, arguments, dialect=NEWER)
            for name in names
        ]

    var = f"{infix}var"
    return (
        *made((f"get{var}",), _get, f"A {what}; empty when it has no value.", 1),
        *made((f"set{var}",), _set, f"Nothing; gives a {what} a value.", 2),
        *made((f"add{var}",), _add, f"Nothing; adds to a {what}.", 2),
        *made((f"inc{var}",), lambda call, scope: _counted(call, scope, "1"), f"A {what} with 1 added.", 1),
        *made((f"dec{var}",), lambda call, scope: _counted(call, scope, "-1"), f"A {what} with 1 taken from it.", 1),
        *made((f"has{var}", f"{var}exists"), _has, f"Whether a {what} has a value, `true` or `false`.", 1),
        *made((f"delete{var}", f"flush{var}"), _delete, f"Nothing; takes a {what} away.", 1),
        *made((f"get{var}key", f"get{var}index"), _get_key, f"An element of the list or object in a {what}.", 2),
        *made(
            (f"set{var}key", f"set{var}index"),
            _set_key,
            f"Nothing; sets an element of the list or object in a {what}.",
            3,
        ),
    )


variables = MacroFamily(tuple(each for scope in SCOPES for each in _of_scope(*scope)))
