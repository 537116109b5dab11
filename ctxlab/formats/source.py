"""Parsed data on its way to a reader, and what is known of where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, cast

from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss

SAMPLE = 50
"""Items of a list that are looked at to tell what it is."""


@dataclass(frozen=True, slots=True, repr=False)
class Material:
    """A JSON value, or the list of the values of JSON lines.

    `raw` is the UTF-8 text it was parsed from, if any; `lines` the line number of each item of JSON lines.
    `keep_prompts` leaves system messages at the head of a list in the tree; else they become an agent's presets.
    """

    data: Any
    source: str
    raw: bytes = b""
    lines: tuple[int, ...] | None = None
    losses: tuple[Loss, ...] = ()
    keep_prompts: bool = False

    @property
    def stem(self) -> str:
        """The source's name without folder and ending; names what has no name of its own."""
        return PurePath(self.source).stem or "data"

    def items(self) -> Iterator[tuple[str, Any]]:
        """The items of a list, or the one value itself, each with its place."""
        if not isinstance(self.data, list):
            yield "", self.data
            return
        for index, value in enumerate(cast("list[Any]", self.data)):
            yield (f"line {self.lines[index]}" if self.lines else f"[{index}]"), value


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: `sniff` tells by content whether data has its shape, `read` makes an Import of it."""

    name: str
    sniff: Callable[[Any], bool] = field(repr=False)
    read: Callable[[Material], Import] = field(repr=False)


def mostly(items: Any, test: Callable[[Any], bool]) -> bool:
    """Whether at least half of the first items of a list pass; broken ones amongst good ones don't hide a format."""
    if not isinstance(items, list) or not items:
        return False
    sample = cast("list[Any]", items)[:SAMPLE]
    return 2 * sum(1 for item in sample if test(item)) >= len(sample)


def one_or_mostly(data: Any, test: Callable[[Any], bool]) -> bool:
    """Whether `data`, or most of it when it is a list, passes."""
    return mostly(data, test) if isinstance(data, list) else test(data)


def described(data: Any) -> str:
    """What the data looks like, in a few words."""
    if isinstance(data, dict):
        keys = [str(key) for key in cast("dict[Any, Any]", data)]
        if not keys:
            return "an empty object"
        return f"an object with the keys {_few(keys)}"
    if isinstance(data, list):
        items = cast("list[Any]", data)
        if not items:
            return "an empty list"
        return f"a list of {len(items)}, the first of them {described(items[0])}"
    if isinstance(data, str):
        return "a string"
    return f"the value {data!r:.40}" if isinstance(data, int | float) or data is None else type(data).__name__


def _few(keys: Sequence[str]) -> str:
    readable = [key if key.isprintable() else repr(key) for key in keys[:6]]
    shown = ", ".join(key if len(key) <= 30 else key[:27] + "..." for key in readable)
    return f"{shown}, ..." if len(keys) > 6 else shown
