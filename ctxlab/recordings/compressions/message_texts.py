"""The texts of a recording's messages, each made once."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlab.chat.compression.source_message import source_of
from ctxlab.documents import MessageNode
from ctxlab.engines.compression import SourceText
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage, SentTree

Key = tuple[tuple[str, str], ...]
"""Words of a message, by which it is found again on another branch: roles and texts of its nodes."""


class MessageTexts:
    """The texts of one tree's messages, by their nodes."""

    def __init__(self, tree: SentTree) -> None:
        self.tree = tree
        self._sources: dict[str, SourceText] = {}

    def source(self, node: MessageNode) -> SourceText:
        """A node as the report reads it: words, values of calls, names of files."""
        found = self._sources.get(node.id)
        if found is None:
            source = source_of(node)
            found = self._sources[node.id] = SourceText(source.id, source.role, source.text)
        return found

    def sources(self, messages: Iterable[SentMessage]) -> tuple[SourceText, ...]:
        """The texts of messages, empty ones left out."""
        nodes = self.tree.session.nodes
        found = [self.source(nodes[id]) for message in messages for id in message.nodes]
        return tuple(each for each in found if each.text.strip())

    def text(self, message: SentMessage) -> str:
        """All words of a message."""
        nodes = self.tree.session.nodes
        return "\n".join(self.source(nodes[id]).text for id in message.nodes)

    def key(self, message: SentMessage) -> Key:
        """The roles and texts of a message's nodes."""
        nodes = self.tree.session.nodes
        return tuple((nodes[id].role, self.source(nodes[id]).text) for id in message.nodes)

    def last(self, request: RecordedRequest) -> str:
        """The words of the last message that a request sent."""
        message = self.tree.sent.get(request.leaf)
        return self.text(message) if message is not None else ""


def reply_text(request: RecordedRequest) -> str:
    """The words of a reply, in any vendor's form, and the summary that a vendor made of what was sent."""
    return "\n".join(_texts(request.reply, 12)) if request.reply is not None else ""


_SYSTEM_FIELDS = ("system", "instructions", "systemInstruction", "system_instruction")


def head_text(request: RecordedRequest) -> str:
    """The system text of a request, in any vendor's form."""
    fields = [value for name, value in request.head.fields if name in _SYSTEM_FIELDS]
    return "\n".join(text for value in (*fields, *request.head.leading) for text in _texts(value, 12))


def inserted_text(old: str, new: str) -> str:
    """The part of a new text between the beginning and the end that it shares with the old one."""
    start = _alike(old, new)
    return new[start : len(new) - _alike(old[start:][::-1], new[start:][::-1])]


def _alike(one: str, other: str) -> int:
    """Characters at the beginning in which two texts are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


_HOLD_WORDS = ("text", "content", "parts", "output", "message", "choices", "candidates")


def _texts(value: object, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _texts(each, depth - 1) if not isinstance(each, str) else ()
    elif isinstance(value, dict) and depth:
        for name in _HOLD_WORDS:
            if name in value:
                yield from _texts(value[name], depth - 1)
