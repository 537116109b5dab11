"""Fields of a body for Gemini in either of their spellings, with the one that stands there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.providers.gemini.shapes import snake

_SNAKE: dict[str, str] = {}

Object = Mapping[str, Any]
NOTHING: Object = {}


def spelled(own: Object, name: str) -> str | None:
    """The spelling in which a field stands there; None where it doesn't, or is null."""
    if own.get(name) is not None:
        return name
    other = _SNAKE.get(name)
    if other is None:
        other = _SNAKE[name] = snake(name)
    return other if own.get(other) is not None else None


def of(own: Object, name: str) -> Any:
    """The value of a field, however it is spelled."""
    found = spelled(own, name)
    return own[found] if found is not None else None


def object_of(own: Object, name: str) -> Object:
    """The object under a field; an empty one where there is none."""
    value = of(own, name)
    return cast("Object", value) if isinstance(value, dict) else NOTHING


def items(value: object) -> list[tuple[tuple[int, ...], Object]]:
    """The objects of a list with their indexes; an object by itself, which stands for a list of one, has none."""
    if isinstance(value, dict):
        return [((), cast("Object", value))]
    if not isinstance(value, list | tuple):
        return []
    found = enumerate(cast("Sequence[Any]", value))
    return [((i,), cast("Object", each)) for i, each in found if isinstance(each, dict)]
