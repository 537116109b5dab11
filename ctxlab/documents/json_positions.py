"""Lines and columns of values in JSON text, by their paths."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ctxlab.lazy_pattern import lazy_pattern

BLANKS = lazy_pattern(r"[ \t\r\n]*")
_decoder = json.JSONDecoder()


def position_of(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Line and column, both from 1, of the value at a path in valid JSON; where there is none, of what is around it.

    >>> position_of('{"a": [1,\\n 22]}', ["a", 1])
    (2, 2)
    """
    at = _blank(text, 0)
    for step in path:
        found = _item(text, at, step) if isinstance(step, int) else _member(text, at, step)
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _member(text: str, at: int, name: str) -> int | None:
    """The offset of the last member of this name, which is the one that counts."""
    found = None
    if text[at] != "{":
        return None
    at = _blank(text, at + 1)
    while text[at] == '"':
        key, at = _decoder.raw_decode(text, at)
        at = _blank(text, _blank(text, at) + 1)
        found = at if key == name else found
        at = _behind(text, at)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    if text[at] != "[":
        return None
    at = _blank(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        at = _behind(text, at)
    return None if text[at] == "]" else at


def _behind(text: str, at: int) -> int:
    """The offset of what comes after a value and its comma."""
    at = _blank(text, _decoder.raw_decode(text, at)[1])
    return _blank(text, at + 1) if text[at] == "," else at


def _blank(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at
