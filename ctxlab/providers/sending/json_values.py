"""Values of a vendor's JSON, taken for what they should be and for nothing where they aren't, and by their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.providers.sending.deltas import Data
from ctxlab.providers.sending.stream_errors import one_line


def values_at(data: Data, path: str) -> Iterator[tuple[str, Any]]:
    """The values at a path of names, `*` for each of a list, with their places."""
    return _at(data, path.split("."), "")


def _at(value: Any, path: list[str], place: str) -> Iterator[tuple[str, Any]]:
    if not path:
        yield place, value
        return
    name, *rest = path
    if name == "*":
        for number, item in enumerate(cast("list[Any]", value)) if isinstance(value, list) else ():
            yield from _at(item, rest, f"{place}[{number}]")
    elif isinstance(value, dict) and name in value:
        yield from _at(cast("Data", value)[name], rest, f"{place}.{name}" if place else name)


def kept_aside(what: str, kind: str) -> str:
    """A sentence on what is of an unknown kind."""
    return f"a {what} of the unknown kind {short(one_line(kind), 40)!r} is kept beside the reply and not shown"


def object_in(value: Any) -> Data:
    """The fields of an object; none of anything else."""
    return cast("Data", value) if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_in(value: Any) -> str:
    return value if isinstance(value, str) else ""


def index_in(value: Any, otherwise: int = 0) -> int:
    """A place in a list, as a vendor numbers it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise
