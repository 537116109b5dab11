"""Cache marks in messages: they move from request to request, so they are kept beside the messages that carry them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ctxlab.formats.requests.blocks import fields_of, items_of

MARK: Final = "cache_control"
Mark = tuple[tuple[int, ...], int, Any]
"""The numbers of the blocks that lead to a marked one, the mark's place among its fields, and its value."""
CONTENTS: Final = "content"


def without_marks(message: Any) -> tuple[Any, tuple[Mark, ...]]:
    """A message without the marks of its blocks, and where they stood; the message itself where it has none."""
    marks = tuple(_marks(message, ()))
    return (_without(message), marks) if marks else (message, ())


def with_marks(message: Any, marks: Sequence[Mark]) -> Any:
    """The message with its marks again; the message is not changed."""
    for way, place, value in marks:
        message = _put(message, way, place, value)
    return message


def _marks(block: Any, way: tuple[int, ...]) -> Iterator[Mark]:
    fields = fields_of(block)
    if MARK in fields:
        yield way, [*fields].index(MARK), fields[MARK]
    for number, inner in enumerate(items_of(fields.get(CONTENTS)) if len(way) < 2 else ()):
        yield from _marks(inner, (*way, number))


def _without(block: Any, depth: int = 0) -> Any:
    fields = fields_of(block)
    if not fields or depth > 2:
        return block
    kept = {key: value for key, value in fields.items() if key != MARK}
    if depth < 2 and isinstance(kept.get(CONTENTS), list):
        kept[CONTENTS] = [_without(inner, depth + 1) for inner in kept[CONTENTS]]
    return kept


def _put(block: Any, way: tuple[int, ...], place: int, value: Any) -> Any:
    if not way:
        fields = [*block.items()]
        fields.insert(place, (MARK, value))
        return dict(fields)
    inner = [*block[CONTENTS]]
    inner[way[0]] = _put(inner[way[0]], way[1:], place, value)
    return {**block, CONTENTS: inner}
