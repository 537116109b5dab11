"""Data of stored values as plain JSON: dicts and lists of the builtin types, of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def plain_json(value: Any) -> Any:
    """A copy of JSON data in which every object is a dict and every array a list, to be changed by whoever has it."""
    if isinstance(value, Mapping):
        return {str(name): plain_json(item) for name, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain_json(item) for item in cast("list[Any]", value)]
    return value
