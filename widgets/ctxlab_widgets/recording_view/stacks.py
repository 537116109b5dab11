"""The context of each request as columns of numbers: by source, by tool and by file, each message added once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from ctxlab.prompt import SOURCES, PromptPart
from ctxlab.recordings.parts import ContextParts, TokenSums
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "tools": ("tools", "tools"),
    "system": ("preset", "system"),
    "summaries": ("summary", "summaries"),
    "reminders": ("lore", "reminders"),
    "files": ("knowledge", "files read"),
    "results": ("macro", "other results"),
    "attachments": ("attachment", "attachments"),
    "history": ("history", "history"),
    "calls": ("overhead", "calls"),
    "reasoning": ("profile", "reasoning"),
}
"""Of each source the sign that it is drawn with, and its words."""
ORDER: Final = ("tools", "system", "summaries", "reminders", "attachments", "files", "results", "reasoning", "calls")
"""Sources from the bottom of a stack; history is on top."""
NAMED_SIGNS: Final = ("knowledge", "preset", "tools", "attachment", "profile", "macro", "lore")
"""Signs of the largest tools or files, in the order of their tokens."""
RESULTS: Final = frozenset({"files", "results"})
OTHERS, REST = "\0others", "\0rest"
Key = Callable[[PromptPart], str]


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


def tool_of(part: PromptPart) -> str:
    """The tool that a part belongs to: by its definition, a call of it, or a result."""
    return part.name if part.source in ("tools", "calls", *RESULTS) else ""


def file_of(part: PromptPart) -> str:
    """The file that a result shows or is about."""
    return part.file if part.source in RESULTS else ""


def _by(key: Key, parts: ContextParts, requests: Sequence[RecordedRequest]) -> list[dict[str, Any]]:
    named = _largest(key, parts, requests)
    if not named:
        return []
    column = {name: number for number, name in enumerate(named)}
    others = len(named)
    sums = TokenSums(parts, lambda part: column.get(name, others) if (name := key(part)) else others + 1, others + 2)
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


def each_part_once(parts: ContextParts, requests: Sequence[RecordedRequest]) -> Iterable[PromptPart]:
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
    found, _ = request.tree.new_below(request.leaf, seen)
    seen |= {message.id for message in found}
    return found
