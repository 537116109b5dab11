"""Two JSON values side by side: whether they are the same, and the first place where they aren't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from ctxlab.display.one_line import plain
from ctxlab.providers import JsonPath, path_text
from ctxlab.providers.place import value_at
from ctxlab.secrets import without_secret_fields_at

MISSING = object()
"""In place of a value that only the other side has."""
VALUE = 60


def same_json(one: object, other: object) -> bool:
    """Whether two values are the same as JSON: true isn't 1, 1.0 is, and the order of members says nothing."""
    return first_difference(one, other) is None


def first_difference(one: object, other: object, path: JsonPath = ()) -> tuple[JsonPath, object, object] | None:
    """The path at which two values first differ and what each has there, `MISSING` for nothing; None for equal ones."""
    todo: list[tuple[JsonPath, object, object]] = [(path, one, other)]
    while todo:
        at, left, right = todo.pop()
        if left is right:
            continue
        inner = _members(left, right)
        if inner is None:
            if not _same_leaf(left, right):
                return at, left, right
            continue
        todo += [((*at, key), a, b) for key, a, b in reversed(inner)]
    return None


def value_or_missing(body: object, path: JsonPath) -> object:
    """The value at a path; `MISSING` where there is none, since the body was changed after it was written."""
    try:
        return value_at(body, path)
    except KeyError:
        return MISSING


def value_words(value: object, path: JsonPath) -> str:
    """A value of a body on one line, cut; a key is `***`."""
    if value is MISSING:
        return "none"
    shown = without_secret_fields_at(value, path)
    return plain(shown if isinstance(shown, str) else _written(shown), VALUE)


def place_words(path: JsonPath, value: object) -> str:
    """A place of a body with its value on one line."""
    return f"{path_text(path)}: {value_words(value, path)}"


def without_members(value: object, names: frozenset[str]) -> Any:
    """The value without the members of these names, at any depth."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {key: without_members(each, names) for key, each in members.items() if key not in names}
    if isinstance(value, list | tuple):
        return [without_members(each, names) for each in cast("Sequence[object]", value)]
    return value


def _members(left: object, right: object) -> list[tuple[str | int, object, object]] | None:
    """The members of both, side by side; None where they aren't both objects or both lists."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        one, other = cast("Mapping[str, object]", left), cast("Mapping[str, object]", right)
        return [(key, one.get(key, MISSING), other.get(key, MISSING)) for key in {**one, **other}]
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        a, b = cast("Sequence[object]", left), cast("Sequence[object]", right)
        longest = max(len(a), len(b))
        return [(i, a[i] if i < len(a) else MISSING, b[i] if i < len(b) else MISSING) for i in range(longest)]
    return None


def _same_leaf(left: object, right: object) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right or (left != left and right != right)  # NaN is the same as itself


def _written(value: object) -> str:
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # half a pair of UTF-16, or nested too deeply: it is shown all the same
        return repr(value)
