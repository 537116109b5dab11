"""A reply that is on its way: its pieces, as they become text and metadata of its node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, cast

from ctxlab.chat.events import CallAdded, TextAdded, ThoughtAdded
from ctxlab.chat.node_times import FIRST, after
from ctxlab.documents import MessageNode
from ctxlab.lazy_dataclass import dataclass

UNFINISHED_CALLS: Final = "unfinishedToolCalls"
"""Metadata with the calls of a reply that is on its way, or that broke off: they are never sent."""


@dataclass(slots=True, eq=False)
class GrowingReply:
    """The pieces of a reply that is on its way; it begins with what its node has."""

    node: MessageNode
    texts: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: dict[int, list[list[str]]] = field(default_factory=dict[int, list[list[str]]])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    changed: bool = False

    def __post_init__(self) -> None:
        self.texts = [self.node.content]
        self.metadata = dict(self.node.metadata or {})
        thoughts = self.metadata.get("reasoningContent")
        self.thoughts = [thoughts] if isinstance(thoughts, str) else []
        stored = self.metadata.get(UNFINISHED_CALLS)
        for call in cast("list[Any]", stored) if isinstance(stored, list) else []:
            if isinstance(call, Mapping):
                known = cast("Mapping[str, Any]", call)
                parts = [[str(known.get(name) or "")] for name in ("requestId", "toolName", "args")]
                self.calls[int(known.get("index") or 0)] = parts

    def add(self, piece: TextAdded | ThoughtAdded | CallAdded) -> None:
        self.changed = True
        if FIRST not in self.metadata:
            first = after(self.metadata, piece.seconds)
            self.metadata |= {FIRST: first} if first is not None else {}
        if isinstance(piece, TextAdded):
            self.texts.append(piece.text)
        elif isinstance(piece, ThoughtAdded):
            self.thoughts.append(piece.text)
        else:
            parts = self.calls.setdefault(piece.index, [[], [], []])
            for known, more in zip(parts, (piece.id, piece.name, piece.arguments), strict=True):
                known.append(more)

    def mark(self, **metadata: Any) -> None:
        self.metadata |= metadata
        self.changed = True

    @property
    def content(self) -> str:
        self.texts = ["".join(self.texts)]
        return self.texts[0]

    def stored_metadata(self) -> dict[str, Any] | None:
        found = dict(self.metadata)
        if self.thoughts:
            self.thoughts = ["".join(self.thoughts)]
            found["reasoningContent"] = self.thoughts[0]
        if self.calls:
            for parts in self.calls.values():
                parts[:] = [["".join(part)] for part in parts]
            found[UNFINISHED_CALLS] = [
                {"index": index, "requestId": id, "toolName": name, "args": arguments}
                for index, ((id,), (name,), (arguments,)) in self.calls.items()
            ]
        return found or None
