"""The context of each request as columns of numbers: by source, by tool and by file, each message added once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from ctxlab.recordings.parts import SOURCES, ContextParts, Part
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "tools": ("tools", "tools"),
    "system": ("preset", "system"),
    "summary": ("summary", "summary"),
    "reminders": ("lore", "reminders"),
    "files": ("knowledge", "files read"),
    "results": ("macro", "other results"),
    "attachments": ("attachment", "attachments"),
    "conversation": ("history", "conversation"),
    "calls": ("overhead", "calls"),
    "reasoning": ("profile", "reasoning"),
}
"""Of each source the sign that it is drawn with, and its words."""
ORDER: Final = ("tools", "system", "summary", "reminders", "attachments", "files", "results", "reasoning", "calls")
"""Sources from the bottom of a stack; conversation is on top."""
NAMED_SIGNS: Final = ("knowledge", "preset", "tools", "attachment", "profile", "macro", "lore")
"""Signs of the largest tools or files, in the order of their tokens."""
RESULTS: Final = frozenset({"files", "results"})
OTHERS, REST = "\0others", "\0rest"
Key = Callable[[Part], str]


def stacks_of(parts: ContextParts, requests: Sequence[RecordedRequest]) -> dict[str, list[dict[str, Any]]]:
    """The three ways to stack: {"source" | "tool" | "file": [{"name", "title", "sign", "values"}, from the bottom]}."""
    by_source = [{str(name): n for name, n in parts.tokens_by_source(request).items()} for request in requests]
    names = [*ORDER, *(source for source in SOURCES if source not in ORDER and source in SIGNS)]
    source = [
        {"name": name, "title": SIGNS[name][1], "sign": SIGNS[name][0], "values": values}
        for name in names
        if any(values := [sums.get(name, 0) for sums in by_source])
    ]
    return {"source": source, "tool": _by(tool_of, parts, requests), "file": _by(file_of, parts, requests)}


def tool_of(part: Part) -> str:
    """The tool that a part belongs to: by its definition, a call of it, or a result."""
    return part.name if part.source in ("tools", "calls", *RESULTS) else ""


def file_of(part: Part) -> str:
    """The file that a result shows or is about."""
    return part.file if part.source in RESULTS else ""


def _by(key: Key, parts: ContextParts, requests: Sequence[RecordedRequest]) -> list[dict[str, Any]]:
    named = _largest(key, parts, requests)
    if not named:
        return []
    column = {name: number for number, name in enumerate(named)}
    sums = _Sums(key, column, parts)
    rows = [sums.of(request) for request in requests]
    titles = [*((name, sign) for name, sign in zip(named, NAMED_SIGNS, strict=False)), (OTHERS, "summary")]
    columns = [[row[number] for row in rows] for number in range(len(named) + 2)]
    words = "other tools" if key is tool_of else "other files"
    found = [
        {"name": name, "title": words if name == OTHERS else name, "sign": sign, "values": values}
        for (name, sign), values in zip(titles, columns, strict=False)
        if any(values)
    ]
    rest = "no tool" if key is tool_of else "no file"
    return [*found, {"name": REST, "title": rest, "sign": "history", "values": columns[-1]}]


def _largest(key: Key, parts: ContextParts, requests: Sequence[RecordedRequest]) -> list[str]:
    weights: dict[str, int] = {}
    for part in each_part_once(parts, requests):
        name = key(part)
        if name:
            weights[name] = weights.get(name, 0) + part.tokens
    return sorted(weights, key=lambda name: (-weights[name], name))[: len(NAMED_SIGNS)]


def each_part_once(parts: ContextParts, requests: Sequence[RecordedRequest]) -> Iterable[Part]:
    """The parts of all heads and messages of these requests, each once."""
    seen: set[str] = set()
    for request in requests:
        if request.head.id not in seen:
            seen.add(request.head.id)
            yield from parts.of_head(request.head)
        for message in new_messages(request, seen):
            yield from parts.of_message(message)


def new_messages(request: RecordedRequest, seen: set[str]) -> list[SentMessage]:
    """The messages of a request that aren't in `seen` yet, in order; they are put into it."""
    found, sent = list[SentMessage](), request.tree.sent
    at = sent.get(request.leaf)
    while at is not None and at.id not in seen:
        seen.add(at.id)
        found.append(at)
        at = sent.get(at.parent)
    return found[::-1]


class _Sums:
    """Tokens by column up to a message, worked out once for each; one column more for others, one for the rest."""

    def __init__(self, key: Key, column: Mapping[str, int], parts: ContextParts) -> None:
        self._key, self._column, self._parts = key, column, parts
        self._of: dict[str, tuple[int, ...]] = {"": (0,) * (len(column) + 2)}
        self._heads: dict[str, tuple[int, ...]] = {}

    def of(self, request: RecordedRequest) -> list[int]:
        head = self._heads.get(request.head.id)
        if head is None:
            head = self._heads[request.head.id] = self._added(self._of[""], self._parts.of_head(request.head))
        sent, way = request.tree.sent, list[SentMessage]()
        at = sent.get(request.leaf)
        while at is not None and at.id not in self._of:
            way.append(at)
            at = sent.get(at.parent)
        sums = self._of[at.id if at is not None else ""]
        for message in reversed(way):
            sums = self._of[message.id] = self._added(sums, self._parts.of_message(message))
        return [a + b for a, b in zip(head, sums, strict=True)]

    def _added(self, sums: tuple[int, ...], parts: Iterable[Part]) -> tuple[int, ...]:
        total, others = [*sums], len(self._column)
        for part in parts:
            name = self._key(part)
            total[self._column.get(name, others) if name else others + 1] += part.tokens
        return tuple(total)
