"""Copies of JSON values."""

from __future__ import annotations

from typing import Any


def copy_of(value: Any) -> Any:
    """A copy of a JSON value whose lists and objects are its own, however deep it is nested."""
    whole: list[Any] = [value]
    open_ones: list[Any] = [whole]
    while open_ones:
        into = open_ones.pop()
        for key, each in into.items() if isinstance(into, dict) else enumerate(into):
            if isinstance(each, (dict, list)):
                into[key] = each.copy()
                open_ones.append(into[key])
    return whole[0]
