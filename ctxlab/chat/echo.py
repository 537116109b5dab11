"""The model that asks nobody: it says back what the user said last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

ECHO = "echo"
"""The name by which it is asked for."""


def echo(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A reply that says that it is an echo, and repeats the last line of the user's messages, word by word."""
    text = next((_text(each) for each in reversed(messages) if each.get("role") == "user"), "")
    yield "Echo, no model was asked:"
    yield from (f" {word}" for word in (text.splitlines() or [""])[-1].split())


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return " ".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))
