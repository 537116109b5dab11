"""The value of a body that can't be written as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from ctxlab.errors import CtxlabError
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem

_DEEPEST = 250
_ALL_OURS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def written(body: Mapping[str, Any]) -> bytes:
    """The body as UTF-8 JSON. Raises CtxlabError that names the first value that JSON has no form for."""
    data, problem = _dumped(body)
    if problem is not None:
        raise CtxlabError(f"the request can't be written: {problem}")
    return data


def written_size(body: Mapping[str, Any]) -> int | Problem:
    """The bytes of a body, or the problem of the first value that JSON has no form for."""
    data, problem = _dumped(body)
    return len(data) if problem is None else problem


def size_problem(body: Mapping[str, Any], most: int, mend: str) -> Problem | None:
    """The problem of a body of more than `most` bytes, or of one that can't be written as JSON."""
    size = written_size(body)
    if isinstance(size, Problem):
        return size
    reason = f"a request has at most {most:,} bytes, and this one {size:,}"
    return Problem((), "request-size", reason, mend) if size > most else None


def _dumped(body: Mapping[str, Any]) -> tuple[bytes, Problem | None]:
    try:
        data = orjson.dumps(body, option=_ALL_OURS)
    except TypeError:
        return b"", _first_unwritable(body) or Problem((), "unwritable", "a value in it is no JSON", "take it out")
    return data, _first_unwritable(body) if b"null" in data else None  # which is also written for no number


def _first_unwritable(body: object) -> Problem | None:
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
    return None


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
    if isinstance(value, float) and not math.isfinite(value):
        return "it is infinite or no number"
    known = value is None or isinstance(value, bool | int | float | list | tuple)
    return "" if known else "it is no JSON value"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
