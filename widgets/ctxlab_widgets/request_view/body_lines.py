"""The body of a request as numbered lines: JSON with one line a value, small objects on one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers import JsonPath

BitKind = Literal["key", "sign", "value", "string"]

MOST_INLINE = 4
"""Members of an object that stands on one line."""
MOST_IN_INNER = 2
"""Members of an object inside such a one."""
SHORT = 48
"""Characters of a string of which a line holds several; of longer ones one at most."""
MOST_IN_LIST = 72
"""Characters of a list of numbers and words that stands on one line."""


@dataclass(frozen=True, slots=True)
class Bit:
    """A piece of a line. Of a key, number or string `path` is the value's; of a string `text` is what it says."""

    kind: BitKind
    text: str
    path: JsonPath = ()

    def __str__(self) -> str:
        return json.dumps(self.text, ensure_ascii=False) if self.kind in ("string", "key") else self.text


@dataclass(slots=True, eq=False)
class Line:
    """One line. `path` is the value that begins on it, `end` the number of the line that closes it, else its own."""

    depth: int
    path: JsonPath
    bits: list[Bit] = field(default_factory=list[Bit])
    closes: bool = False
    end: int = 0

    def __str__(self) -> str:
        return "  " * self.depth + "".join(map(str, self.bits))


def body_lines(body: Mapping[str, Any]) -> list[Line]:
    """The lines of a body; line 1 is the first of the list."""
    layout = _Layout()
    layout.value(body, (), 0, ())
    return layout.lines


def body_text(body: Mapping[str, Any]) -> str:
    """The body as JSON, laid out in these very lines."""
    return "\n".join(map(str, body_lines(body)))


class _Layout:
    def __init__(self) -> None:
        self.lines: list[Line] = []

    def value(self, value: object, path: JsonPath, depth: int, before: tuple[Bit, ...], end: str = "") -> None:
        """Put a value on lines of its own; `before` is its key, `end` a comma."""
        if not isinstance(value, (dict, list)) or _fits_line(cast("object", value)):
            bits = [*before, *_inline(cast("object", value), path), *([Bit("sign", end)] if end else ())]
            self._add(Line(depth, path, bits))
            return
        members = cast("dict[str, object] | list[object]", value)
        opening, closing = "{}" if isinstance(members, dict) else "[]"
        bits = [*before, Bit("sign", opening, path)]
        around = ""
        if isinstance(members, dict) and path and (inner := _last_opens(members)):
            # { "role": "user", "content": [ ... ] }: what names a message and what is in it share a line.
            bits[-1] = Bit("sign", "{ ", path)
            for step, key, member in _members(members, path):
                bits += key if step == inner else [*key, *_inline(member, (*path, step)), Bit("sign", ", ")]
            path_inside, members = (*path, inner), cast("dict[str, object] | list[object]", members[inner])
            bits.append(Bit("sign", "{" if isinstance(members, dict) else "[", path_inside))
            around, closing = " }", "}" if isinstance(members, dict) else "]"
        else:
            path_inside = path
        line = self._add(Line(depth, path, bits))
        last = len(members) - 1
        for number, (step, key, member) in enumerate(_members(members, path_inside)):
            self.value(member, (*path_inside, step), depth + 1, key, "," if number < last else "")
        line.end = self._add(Line(depth, path, [Bit("sign", closing + around + end)], closes=True)).end

    def _add(self, line: Line) -> Line:
        self.lines.append(line)
        line.end = len(self.lines)
        return line


def _last_opens(members: dict[str, object]) -> str:
    """The name of the last member where it alone needs lines of its own, and the others are few and short."""
    *others, last = members
    few = len(others) < MOST_INLINE and not any(isinstance(members[each], (dict, list)) for each in others)
    short = all(len(str(members[each])) <= SHORT for each in others)
    opens = isinstance(members[last], (dict, list)) and not _fits_line(members[last])
    return last if others and few and short and opens else ""


def _members(
    value: dict[str, object] | list[object], path: JsonPath
) -> Iterator[tuple[str | int, tuple[Bit, ...], object]]:
    if isinstance(value, list):
        yield from ((number, (), each) for number, each in enumerate(value))
    else:
        for name, each in value.items():
            yield name, (Bit("key", name, (*path, name)), Bit("sign", ": ")), each


def _inline(value: object, path: JsonPath) -> Iterator[Bit]:
    if isinstance(value, str):
        yield Bit("string", value, path)
    elif not isinstance(value, (dict, list)):
        yield Bit("value", json.dumps(value), path)
    elif not value:
        yield Bit("sign", "{}" if isinstance(value, dict) else "[]", path)
    else:
        members = cast("dict[str, object] | list[object]", value)
        opening, closing = ("{ ", " }") if isinstance(members, dict) else ("[", "]")
        yield Bit("sign", opening, path)
        for number, (step, key, member) in enumerate(_members(members, path)):
            if number:
                yield Bit("sign", ", ")
            yield from key
            yield from _inline(member, (*path, step))
        yield Bit("sign", closing)


def _fits_line(value: object) -> bool:
    """Whether a list or an object is small enough for one line: at most one long string, and hardly anything inside."""
    if isinstance(value, dict):
        members = list(cast("dict[str, object]", value).values())
        long = sum(isinstance(each, str) and len(each) > SHORT for each in members)
        return len(members) <= MOST_INLINE and long <= 1 and all(map(_fits_inside, members))
    members = cast("list[object]", value)
    return (
        len(members) <= MOST_IN_LIST
        and not any(isinstance(each, (dict, list)) for each in members)
        and sum(len(str(each)) + 4 for each in members) <= MOST_IN_LIST
    )


def _fits_inside(value: object) -> bool:
    if not isinstance(value, (dict, list)):
        return True
    if isinstance(value, list):
        return not value
    members = cast("dict[str, object]", value)
    small = not any(
        isinstance(each, (dict, list)) or (isinstance(each, str) and len(each) > SHORT) for each in members.values()
    )
    return small and len(members) <= MOST_IN_INNER
