"""A body as the units that a vendor caches from the front, and how many of them two bodies share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.place import JsonPath, Place
from ctxlab.wires import WIRES

UNCACHED = frozenset({"thinking", "redacted_thinking"})
"""Blocks of Anthropic that can't be marked."""


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A value of the body by its path; `head` is one in front of the messages."""

    path: JsonPath
    value: object
    head: bool = False


def units_of(body: Mapping[str, Any], wire: str) -> list[Unit]:
    """The units of a body in the order in which its vendor reads them."""
    found: list[Unit] = []
    row = WIRES[wire]
    for name in row.heads:
        found += _head(name, body.get(name), row.blocks)
    settings = {name: body.get(name) for name in row.rereads if body.get(name) is not None}
    if settings:
        found.append(Unit((), settings, head=True))
    turns = body.get(row.messages)
    if isinstance(turns, str):
        return [*found, Unit((row.messages,), {"role": "user", "content": turns})]  # one message, as a text alone
    for index, turn in enumerate(_listed(turns)):
        found += _turn(turn, (row.messages, index), row.blocks)
    return found


def _head(name: str, value: object, blocks: str | None) -> Iterator[Unit]:
    if value is None or value in ([], ""):
        return
    if name == "system" and isinstance(value, list):
        for index, block in enumerate(cast("list[Any]", value)):
            yield Unit((name, index), bare(block), head=True)
    elif name == "systemInstruction" and isinstance(value, Mapping) and blocks:
        for index, part in enumerate(_listed(cast("Mapping[str, Any]", value).get(blocks))):
            yield Unit((name, blocks, index), part, head=True)
    else:
        yield Unit(
            (name,), [bare(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value, True
        )


def _listed(value: object) -> Sequence[Any]:
    """The items of a list; what a caller's own field put in the place of one has none."""
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def _turn(turn: Any, path: JsonPath, blocks: str | None) -> Iterator[Unit]:
    if blocks is None:
        yield Unit(path, turn)
        return
    content = turn.get(blocks) if isinstance(turn, Mapping) else None
    if content is None:
        yield Unit((), turn)  # a caller's own value that is no turn
        return
    if not isinstance(content, list):
        yield Unit((*path, blocks), (turn.get("role"), _as_blocks(content)))
        return
    for index, block in enumerate(cast("list[Any]", content)):
        yield Unit((*path, blocks, index), (turn.get("role"), bare(block)))


def _as_blocks(content: object) -> object:
    """A text alone as the block that it is the same as."""
    return {"type": "text", "text": content} if isinstance(content, str) else content


def bare(block: Any) -> Any:
    """A block without its cache mark."""
    if isinstance(block, Mapping) and "cache_control" in block:
        return {name: value for name, value in cast("Mapping[str, Any]", block).items() if name != "cache_control"}
    return block


def shared(old: Sequence[Unit], new: Sequence[Unit]) -> int:
    """The number of units that two bodies have in common from the front."""
    count = 0
    for before, after in zip(old, new, strict=False):
        if before.value != after.value or before.head != after.head or (before.head and before.path != after.path):
            break
        count += 1
    return count


def units_by_key(units: Sequence[Unit], places: Sequence[Place]) -> dict[str, list[int]]:
    """The numbers of the units in which each message is, by its draft's key."""
    at = {unit.path: number for number, unit in enumerate(units) if unit.path}
    found: dict[str, list[int]] = {}
    for place in places:
        for end in range(len(place.path), 0, -1):
            number = at.get(place.path[:end])
            if number is not None:
                found.setdefault(place.key, []).append(number)
                break
    return found
