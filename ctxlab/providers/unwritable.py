"""The value of a body that can't be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem

_DEEPEST = 250


def unwritable_problem(body: object) -> Problem:
    """The problem of the first value that JSON has no form for: half a character, a huge number, too many levels."""
    waiting: list[tuple[JsonPath, object]] = [((), body)]
    while waiting:
        at, value = waiting.pop()
        reason = _reason(value, at)
        if reason:
            return Problem(at, "unwritable", reason, "take it out, or write it as a text")
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            waiting += [((*at, str(name)), each) for name, each in reversed(list(items))]
        elif isinstance(value, list | tuple):
            numbered = list(enumerate(cast("Sequence[Any]", value)))
            waiting += [((*at, i), each) for i, each in reversed(numbered)]
    return Problem((), "unwritable", "a value in it can't be written as JSON", "take it out")


def _reason(value: object, at: JsonPath) -> str:
    if len(at) > _DEEPEST:
        return f"it is nested deeper than {_DEEPEST} levels"
    if isinstance(value, str):
        return "" if value.isascii() or _encodes(value) else "a text in it has half of a character"
    if isinstance(value, Mapping):
        names = list(cast("Mapping[Any, Any]", value))
        fine = all(isinstance(name, str) and _encodes(name) for name in names)
        return "" if fine else "a name in it can't be written as JSON"
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64:
        return "it is a number of more than 64 bits"
    known = value is None or isinstance(value, bool | int | float | list | tuple)
    return "" if known else "it is no JSON value"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
