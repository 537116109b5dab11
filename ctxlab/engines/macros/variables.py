"""Macros of variables, of the conversation and global ones, in our dialect and in SillyTavern's.

SillyTavern's can add to text and lists, and counting gives the new value; ours only count, and give nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ctxlab.engines.javascript.numbers import Number, as_text, number, plain
from ctxlab.engines.macros.call import BadCall, ExpansionState, MacroCall
from ctxlab.engines.macros.registry import SILLYTAVERN, Macro, MacroFamily, Phase

SESSION, EVERYWHERE = "session", "everywhere"
COMPACT = (",", ":")
SCOPES = (("", SESSION, "variable of this conversation"), ("global", EVERYWHERE, "variable that holds everywhere"))


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


def _macros(infix: str, scope: str, what: str) -> tuple[Macro, ...]:
    """Our macros of one scope, such as setvar and setglobalvar."""

    def made(verb: str, phase: Phase, run: Callable[[MacroCall], str], description: str, arguments: int = 1) -> Macro:
        name = f"{verb}{infix}var"
        return Macro(name, phase, run, description, arguments, arguments, rest=arguments == 2)

    return (
        made("set", "pre", lambda call: put(call, scope), f"Nothing; gives a {what} a value.", 2),
        made("get", "substitute", lambda call: get(call, scope), f"A {what}; empty when it has no value."),
        made("inc", "pre", lambda call: count(call, scope, 1), f"Nothing; adds 1 to a {what}."),
        made("dec", "pre", lambda call: count(call, scope, -1), f"Nothing; takes 1 from a {what}."),
    )


own = MacroFamily(tuple(each for scope in SCOPES for each in _macros(*scope)))


# --- SillyTavern's dialect


def read_value(run: ExpansionState, scope: str, name: str) -> Any:
    """The value of a variable, as a number where it reads as one; empty where there is none."""
    return as_number(run.variables_of(scope).get(name, ""))


def as_number(value: Any) -> Any:
    """The value, as a number where it reads as one."""
    found = number(value) if value != "" else None
    return value if found is None else found


def _put(call: MacroCall, scope: str) -> str:
    call.run.set(scope, name_of(call), call.arguments[1])
    return ""


def added(run: ExpansionState, scope: str, name: str, more: str, separators: tuple[str, str] | None = None) -> str:
    """The new value as text: numbers are added, an element is appended to a list, anything else is concatenated."""
    before = read_value(run, scope, name)
    elements = _elements(before)
    left, right = number(before or 0), number(more)
    if elements is not None:
        after: Any = json.dumps([*elements, more], ensure_ascii=False, separators=separators)
    elif left is not None and right is not None:
        after = plain(left + right)
    else:
        after = (as_text(before) if before != "" else "") + more
    run.set(scope, name, after)
    return as_text(after)


def _add(call: MacroCall, scope: str, more: str) -> str:
    return added(call.run, scope, name_of(call), more)


def _elements(value: Any) -> list[Any] | None:
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value if isinstance(value, list) else None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _append(call: MacroCall, scope: str) -> str:
    _add(call, scope, call.arguments[1])
    return ""


def _sillytavern_macros(infix: str, scope: str, what: str) -> tuple[Macro, ...]:
    def made(verb: str, run: Callable[[MacroCall], str], description: str, arguments: int) -> Macro:
        name = f"{verb}{infix}var"
        return Macro(name, "pre", run, description, arguments, arguments, rest=arguments == 2, dialect=SILLYTAVERN)

    return (
        made(
            "get",
            lambda call: as_text(read_value(call.run, scope, call.arguments[0].strip())),
            f"A {what}; empty when it has no value.",
            1,
        ),
        made("set", lambda call: _put(call, scope), f"Nothing; gives a {what} a value.", 2),
        made("add", lambda call: _append(call, scope), f"Nothing; adds to a {what}.", 2),
        made("inc", lambda call: _add(call, scope, "1"), f"A {what} with 1 added.", 1),
        made("dec", lambda call: _add(call, scope, "-1"), f"A {what} with 1 taken from it.", 1),
    )


sillytavern = MacroFamily(tuple(each for scope in SCOPES for each in _sillytavern_macros(*scope)))
