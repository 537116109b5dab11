"""Values of session variables: JSON values by dotted path, and their text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import orjson

from ctxlab.documents.stored import as_json
from ctxlab.engines.javascript.numbers import WHITE, number, number_text
from ctxlab.lazy_pattern import lazy_pattern

Compat = Literal["ctxlab", "reference"]
Values = Mapping[str, Any]

INDEX = lazy_pattern(r"\d{1,9}", re.ASCII)


class Missing:
    """The value of a variable that isn't there."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def number_of(text: str) -> int | float | None:
    """The number that a text is: decimal, `1e2`, `0x10`; None for anything else, infinities included."""
    found = number(text) if text.strip(WHITE) else None
    return found if found is not None and math.isfinite(found) else None


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_of(text: str) -> Any:
    """The value of an attribute's text: JSON where it begins with a bracket, a number, else the text."""
    if text.lstrip().startswith(("{", "[")):
        try:
            return orjson.loads(text)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return text
    found = number_of(text)
    return text if found is None else found


def as_text(value: Any, *, compat: Compat = "ctxlab") -> str:
    """The text of a value; lists and objects are JSON (in `reference`, as JavaScript's String())."""
    match value:
        case str():
            return value
        case bool() | None:
            return "null" if value is None else str(value).lower()
        case int() | float():
            return number_text(value)
        case list() if compat == "reference":
            items = cast("list[Any]", value)
            return ",".join("" if item is None else as_text(item, compat=compat) for item in items)
        case dict() if compat == "reference":
            return "[object Object]"
        case _:
            return as_json(value).decode()


def look_up(values: Values, path: str) -> Any:
    """The value at a dotted path, through lists by index; MISSING when there is none."""
    found: Any = values
    for step in path.split("."):
        if isinstance(found, Mapping):
            found = cast("Values", found).get(step, MISSING)
        elif isinstance(found, list) and INDEX.fullmatch(step) and int(step) < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[int(step)]
        else:
            return MISSING
    return found


def put(values: Values, path: str, value: Any) -> dict[str, Any]:
    """The values with another one at a path, MISSING to take it out; what is on the way there is made."""
    return _put(values, path.split("."), value)


def _put(holder: Any, steps: Sequence[str], value: Any) -> Any:
    first, *rest = steps
    if isinstance(holder, list) and INDEX.fullmatch(first) and int(first) <= len(cast("list[Any]", holder)):
        items = list(cast("list[Any]", holder))
        at = int(first)
        inner = _put(items[at] if at < len(items) else {}, rest, value) if rest else value
        items[at : at + 1] = [] if inner is MISSING else [inner]
        return items
    fields = dict(cast("Values", holder)) if isinstance(holder, Mapping) else dict[str, Any]()
    if rest:
        fields[first] = _put(fields.get(first), rest, value)
    elif value is MISSING:
        fields.pop(first, None)
    else:
        fields[first] = value
    return fields
