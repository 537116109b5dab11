"""A parsed file on its way to a reader, and what is known of where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any, cast

from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass

SAMPLE = 50
"""Items of a list that are looked at to recognise it."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Archive:
    """A zip archive, in memory or in its file, which isn't read whole: the data of a Source that is no text."""

    raw: bytes | Path


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Source:
    """A parsed file: `data` is its JSON value, the list of the values of JSON lines, or an Archive.

    `name` is the file's, as the caller gave it. `raw` is the UTF-8 text that was parsed, if any; `lines` the line
    number of each item of JSON lines; `losses` name what parsing left out. `keep_prompts` leaves system
    messages at the head of a list in the tree; else they become an agent's presets. `picture` is the PNG
    file that the text was in.
    """

    data: Any
    name: str
    raw: bytes = b""
    lines: tuple[int, ...] | None = None
    losses: tuple[Loss, ...] = ()
    keep_prompts: bool = False
    picture: bytes = b""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending; names what has no name of its own."""
        return PurePath(self.name).stem or "data"

    def items(self) -> Iterator[tuple[str, Any]]:
        """The items of a list, or the one value itself, each with its place."""
        if not isinstance(self.data, list):
            yield "", self.data
            return
        for index, value in enumerate(cast("list[Any]", self.data)):
            yield (f"line {self.lines[index]}" if self.lines else f"[{index}]"), value


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
    """A description of the data in a few words."""
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
