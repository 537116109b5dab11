"""Cache marks of requests: in tools, in system texts, in messages, and one of the body.

Those in messages move from request to request, so they are kept beside the messages that carry them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ctxlab.formats.requests.blocks import fields_of, items_of
from ctxlab.recordings.request_head import SYSTEM, RequestHead

if TYPE_CHECKING:
    from ctxlab.recordings.recorded_request import RecordedRequest

MARK: Final = "cache_control"
Mark = tuple[tuple[int, ...], int, Any]
"""The numbers of the blocks that lead to a marked one, the mark's place among its fields, and its value."""
CONTENTS: Final = "content"
SCHEMAS: Final = frozenset({"input_schema", "parameters", "json_schema", "schema"})
"""Fields whose members are names of somebody's own, among which a mark's name marks nothing."""


def all_marks(request: RecordedRequest) -> list[Any]:
    """The values of all cache marks of a request: in its tools, its system texts and its messages, and its own."""
    held = (request.head_marks, request.marks)
    return [*_marks_of_head(request.head), *(value for marks in held for each in marks.values() for *_, value in each)]


@lru_cache(maxsize=64)
def _marks_of_head(head: RequestHead) -> tuple[Any, ...]:
    places = ("tools", *SYSTEM, MARK)
    return tuple(value for name, field in head.fields if name in places for value in _values({name: field}))


def _values(value: Any) -> Iterable[Any]:
    """The values of the marks inside a field of a body."""
    if isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, dict):
        if value.get(MARK) is not None:
            yield value[MARK]
        for name, inner in value.items():
            if name != MARK and name not in SCHEMAS:
                yield from _values(inner)


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
