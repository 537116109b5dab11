"""Turns as Anthropic sees them: messages of one role in a row are one turn; a place leads back to each block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.fake_server.refusal import Path

THOUGHTS = {"thinking", "redacted_thinking"}


class Block(NamedTuple):
    """A block of content with its type and its path in the body; a plain string is a text block."""

    type: str
    value: dict[str, Any]
    path: Path


@dataclass(slots=True)
class Turn:
    """Blocks of neighbouring messages of one role; `path` is that of the first message."""

    role: str
    path: Path
    blocks: list[Block] = field(default_factory=list[Block])

    def of(self, *types: str) -> list[Block]:
        return [block for block in self.blocks if block.type in types]


def blocks_of(content: Any, path: Path) -> Iterator[Block]:
    """The blocks of a content that is a string or a list; what has another shape is left out."""
    if isinstance(content, str):
        yield Block("text", {"type": "text", "text": content}, path)
    elif isinstance(content, list):
        for index, block in enumerate(content):
            if isinstance(block, dict) and isinstance(block.get("type"), str):
                yield Block(block["type"], block, (*path, index))


def turns_of(messages: Sequence[Any]) -> list[Turn]:
    """The turns of a list of messages, neighbours of one role combined."""
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            continue
        if not turns or turns[-1].role != message["role"]:
            turns.append(Turn(message["role"], ("messages", index)))
        turns[-1].blocks += blocks_of(message.get("content"), ("messages", index, "content"))
    return turns
