"""Which lines of a Claude Code log are one message of the API, and the results of its calls in a row.

A message's text, thoughts and calls are lines of their own with the same `message.id`. Calls are run while the message
still comes in, so that results and progress are between its lines, or beside them as if they were other branches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

Data = dict[str, Any]
Links = Sequence[tuple[str, str | None]]
"""Keys of lines with those of their parents; parents come before children."""


class Replies:
    """The API messages of a log: which lines belong to one, and which results answer its calls."""

    def __init__(self, lines: Mapping[str, Data], links: Links) -> None:
        self.head: dict[str, str] = {}
        """The first line of the message that a line belongs to, or that a result or a line of the program follows."""
        self._own: dict[str, list[str]] = {}
        self._results: dict[str, list[str]] = {}
        self._above: dict[str, str | None] = {}
        for key, parent in links:
            self._sort_in(key, parent, lines)
        places = {key: n for n, key in enumerate(lines)}
        for keys in (*self._own.values(), *self._results.values()):
            keys.sort(key=places.__getitem__)

    def lines_of(self, key: str) -> Sequence[str]:
        """The lines of the message that begins here, in the order of the file; none where another line began it."""
        return self._own.get(key, ())

    def _sort_in(self, key: str, parent: str | None, lines: Mapping[str, Data]) -> None:
        line = lines[key]
        begun = self.head.get(parent or "")
        if is_reply(line):
            goes_on = begun is not None and message_id(line) in {message_id(lines[begun])} - {None}
            self.head[key] = begun if begun is not None and goes_on else key
            self._own.setdefault(self.head[key], []).append(key)
            self._above[key] = self._above.get(parent or "") if goes_on else None
            return
        self._own[key] = [key]
        answered = answers(line)
        if begun is not None and answered:
            self._results.setdefault(begun, []).append(key)
        if begun is not None and _goes_between(line):
            self.head[key] = begun
            self._above[key] = key if answered else self._above.get(parent or "")

    def links_in_a_row(self, lines: Mapping[str, Data], links: Links) -> dict[str, str | None]:
        """The links, with each result of a message under the one before it, unless both answer the same call."""
        changed = dict(links)
        parents = dict(links)
        for results in self._results.values():
            row: list[str] = []
            answered: set[str] = set()
            for key in results:
                calls = answers(lines[key])
                above = self._above.get(parents[key] or "")
                if not answered.isdisjoint(calls) or (above is not None and above not in row):
                    continue
                if row and above != row[-1]:
                    changed[key] = row[-1]
                row.append(key)
                answered.update(calls)
        return changed


def message_id(line: Data) -> str | None:
    """The id that the API gave the message."""
    message = line.get("message")
    found = cast("Data", message).get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str) and found else None


def answers(line: Data) -> Collection[str]:
    """Ids of the calls whose results a line holds."""
    return [str(block.get("tool_use_id")) for block in _blocks(line) if block.get("type") == "tool_result"]


def is_reply(line: Data) -> bool:
    """Whether a model wrote the line."""
    return line.get("type") == "assistant"


def _goes_between(line: Data) -> bool:
    """Whether a message may still go on after it: results alone, or a line that the model never saw."""
    blocks = _blocks(line)
    return line.get("type") != "user" or (bool(blocks) and all(block.get("type") == "tool_result" for block in blocks))


def _blocks(line: Data) -> list[Data]:
    message = line.get("message")
    content = cast("Data", message).get("content") if isinstance(message, dict) else None
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    return [cast("Data", block) if isinstance(block, dict) else {} for block in blocks]
