"""Variables as SillyTavern's newer engine writes them: `{{.x}}` of the conversation, `{{$x}}` of all of them."""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxlab.engines.javascript.numbers import WHITE, as_text, number, plain
from ctxlab.engines.macros.call import ExpansionState
from ctxlab.engines.macros.variables import COMPACT, EVERYWHERE, SESSION, added, read_value
from ctxlab.lazy_pattern import lazy_pattern

SCOPES = {".": SESSION, "$": EVERYWHERE}
WRITTEN = lazy_pattern(
    r"\s*(?P<name>[a-zA-Z](?:[\w-]*\w)?)\s*"
    r"(?:(?P<step>\+\+|--)(?:\s*(?P<junk>[a-zA-Z]\w*)?\s*)"
    r"|(?P<operator>\+=|-=|==|!=|>=|<=|\|\|=|\?\?=|\|\||\?\?|=|>|<)(?P<value>.*)|(?P<more>[a-zA-Z]\w*)\s*)?",
    re.ASCII | re.DOTALL,
)
EMPTY = frozenset({"", "false", "0", "off"})
NAMES = {"=": "set", "+=": "add", "-=": "add"}


class Nonsense(Exception):
    """Nothing that can be done with a variable: it stays in the text."""


class Done(NamedTuple):
    """The text in the place of a shorthand, and the name of the macro that does the same."""

    value: str
    name: str


def is_filled(value: str) -> bool:
    """Whether a condition holds: `false`, `0` and `off` don't, in any case."""
    return value.lower() not in EMPTY


def value_of(sign: str, name: str, run: ExpansionState) -> str:
    return as_text(read_value(run, SCOPES[sign], name))


def shorthand(sign: str, text: str, run: ExpansionState) -> Done:
    """The value of `{{.text}}`, once it is carried out; raises Nonsense."""
    begun = text.lstrip(WHITE)[:1]
    if begun in ("", ".", "$"):
        return Done("", "getvar")
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise Nonsense
    scope, name = SCOPES[sign], match["name"]
    infix = "" if scope == SESSION else "global"
    if match["step"]:
        return Done(
            _added(run, scope, name, "1" if match["step"] == "++" else "-1"),
            f"{'inc' if match['step'] == '++' else 'dec'}{infix}var",
        )
    operator = match["operator"]
    if operator is None:
        return Done(value_of(sign, name, run), f"get{infix}var")
    value = match["value"].strip(WHITE)
    return Done(_done(operator, scope, sign, name, value, run), f"{NAMES.get(operator, 'get')}{infix}var")


def _done(operator: str, scope: str, sign: str, name: str, value: str, run: ExpansionState) -> str:
    now = value_of(sign, name, run)
    match operator:
        case "=":
            run.set(scope, name, value)
            return ""
        case "+=":
            _added(run, scope, name, value)
            return ""
        case "-=":
            less = number(value)
            if less is not None:
                _added(run, scope, name, as_text(plain(-less)))
            return ""
        case "==":
            return _said(now == value)
        case "!=":
            return _said(now != value)
        case "||" | "||=":
            is_there = is_filled(now)
        case "??" | "??=":
            is_there = name in run.variables_of(scope)
        case _:
            return _said(_compared(operator, number(now), number(value)))
    if not is_there and operator.endswith("="):
        run.set(scope, name, value)
    return now if is_there else value


def _added(run: ExpansionState, scope: str, name: str, more: str) -> str:
    run.works(run.length_of(scope, name))
    return added(run, scope, name, more, COMPACT)


def _said(holds: object) -> str:
    return "true" if holds else "false"


def _compared(operator: str, left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return False
    return {">": left > right, "<": left < right, ">=": left >= right, "<=": left <= right}[operator]
