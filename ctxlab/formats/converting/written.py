"""What a writer of `convert` takes and gives, and how one of several things is picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ctxlab.display.text import counted
from ctxlab.errors import ReadError
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss

T = TypeVar("T")

Written = tuple[bytes, list[Loss]]
Writer = Callable[[Import, int | str | None], Written]


def one_of(
    values: Sequence[T],
    pick: int | str | None,
    *,
    source: str,
    names: Callable[[T], Sequence[Any]],
    noun: str,
    nouns: str | None = None,
) -> T:
    """The only value, or the one of this index, id or name; `names` gives the id first."""
    if not values:
        raise ReadError(f"{source} holds no {noun}")
    if pick is None and len(values) == 1:
        return values[0]
    for index, value in enumerate(values):
        if pick is not None and pick in (index, *names(value)):
            return value
    known = ", ".join(repr(names(value)[0]) for value in values[:8])
    asked = "say which with pick=" if pick is None else f"none of them is {pick!r}"
    raise ReadError(f"{source} holds {counted(len(values), noun, nouns)}: {known}; {asked}")
