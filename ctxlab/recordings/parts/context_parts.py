"""The parts of a recording's requests, each message taken apart and counted once for all requests that sent it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson

from ctxlab.context import AssetRef
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.tokens import DEFAULT_RULES, Tokenizer, media_tokens
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.prompt import TokenCounter
from ctxlab.recordings.parts.part import SOURCES, Part, Source
from ctxlab.recordings.parts.stretches import stretches_of
from ctxlab.recordings.parts.tool_use import file_of_call, gives_file, server_of
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage
from ctxlab.recordings.request_head import SYSTEM, RequestHead

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording

UNCACHED = frozenset({"stream", "stream_options", "metadata", "user", "max_tokens", "max_completion_tokens", "store"})
"""Parameters that say nothing of the prompt."""
_COLUMN = {source: number for number, source in enumerate(SOURCES)}
Sums = tuple[int, ...]


class ContextParts:
    """The parts of each request of a recording, in the order in which vendors read them: tools, system texts, messages.

    Tokens are counted by `tokenizer`, that of the model that was asked most often; what vendors add to each message is
    left out. A message, a head and the sums up to a message are worked out once.
    """

    def __init__(self, recording: Recording, tokenizer: TokenCounter | None = None) -> None:
        self.tokenizer: TokenCounter = tokenizer or _tokenizer_of(recording)
        self._media = self.tokenizer.media if isinstance(self.tokenizer, Tokenizer) else DEFAULT_RULES
        self._session = recording.session
        self._of_node: dict[str, tuple[Part, ...]] = {}
        self._of_head: dict[str, tuple[Part, ...]] = {}
        self._sums: dict[str, Sums] = {"": (0,) * len(SOURCES)}
        self._head_sums: dict[str, Sums] = {}
        self._calls: dict[str, list[tuple[str, ToolCall]]] = {}
        for node in recording.session.nodes.values():
            for call in node.tool_calls:
                self._calls.setdefault(call.id, []).append((node.id, call))

    # --- parts

    def of_request(self, request: RecordedRequest) -> Iterator[Part]:
        """The parts of a request, in order."""
        yield from self.of_head(request.head)
        for message in request.sent:
            yield from self.of_message(message)

    def of_head(self, head: RequestHead) -> tuple[Part, ...]:
        """The parts of a head: its parameters, each of its tools, each of its system texts."""
        found = self._of_head.get(head.id)
        if found is None:
            found = self._of_head[head.id] = tuple(self._head_parts(head))
        return found

    def of_message(self, message: SentMessage) -> tuple[Part, ...]:
        """The parts of a message, of all the nodes that it became."""
        if len(message.nodes) == 1:
            return self.of_node(message.nodes[0])
        return tuple(part for node in message.nodes for part in self.of_node(node))

    def of_node(self, id: str) -> tuple[Part, ...]:
        """The parts of a node of the session; an answer that no request sent again has parts too."""
        found = self._of_node.get(id)
        if found is None:
            node = self._session.nodes.get(id)
            found = self._of_node[id] = tuple(self._node_parts(node)) if node is not None else ()
        return found

    # --- sums

    def tokens_by_source(self, request: RecordedRequest) -> Mapping[Source, int]:
        """Tokens of a request by source, those that it has."""
        sums = map(sum, zip(self._sums_of_head(request.head), self._sums_up_to(request), strict=True))
        return {source: count for source, count in zip(SOURCES, sums, strict=True) if count}

    def tokens(self, request: RecordedRequest) -> int:
        """All tokens of a request."""
        return sum(self._sums_of_head(request.head)) + sum(self._sums_up_to(request))

    def _sums_of_head(self, head: RequestHead) -> Sums:
        found = self._head_sums.get(head.id)
        if found is None:
            found = self._head_sums[head.id] = _added(self._sums[""], self.of_head(head))
        return found

    def _sums_up_to(self, request: RecordedRequest) -> Sums:
        """Sums of all messages up to the leaf; only those that no request before had are walked."""
        sent, way = request.tree.sent, list[SentMessage]()
        at = sent.get(request.leaf)
        while at is not None and at.id not in self._sums:
            way.append(at)
            at = sent.get(at.parent)
        sums = self._sums[at.id if at is not None else ""]
        for message in reversed(way):
            sums = self._sums[message.id] = _added(sums, self.of_message(message))
        return sums

    # --- how a message is taken apart

    def _head_parts(self, head: RequestHead) -> Iterator[Part]:
        count = self.tokenizer.count
        for name, value in head.fields:
            if name != "tools" and name not in SYSTEM and name not in UNCACHED:
                yield Part("parameters", _json(value), 0, name=name)
        for tool in _single_tools(head.tools):
            text, name = _json(tool), _name_of(tool)
            yield Part("tools", text, count(text), name=name, server=server_of(name))
        for text in head.system:
            yield Part("system", text, count(text))

    def _node_parts(self, node: MessageNode) -> Iterator[Part]:
        count = self.tokenizer.count
        if node.reasoning:
            yield Part("reasoning", node.reasoning, count(node.reasoning), node.id, None, node.role)
        if node.role == "tool":
            yield self._result(node)
        elif node.content:
            yield from self._words(node)
        for asset in node.attachments or ():
            tokens = media_tokens(AssetRef.of(asset), self._media).tokens
            yield Part("attachments", asset.name, tokens, node.id, None, node.role, asset.name or asset.type)
        for call in node.tool_calls:
            tokens = count(call.name) + count(call.arguments)
            about = file_of_call(call.arguments)
            yield Part(
                "calls",
                call.arguments,
                tokens,
                node.id,
                None,
                node.role,
                call.name,
                call.id,
                about,
                server_of(call.name),
            )

    def _words(self, node: MessageNode) -> Iterator[Part]:
        text, count = node.content, self.tokenizer.count
        if node.role == "assistant":
            yield Part("conversation", text, count(text), node.id, 0, node.role)
        elif node.role == "system":
            yield Part("system", text, count(text), node.id, 0, node.role)
        else:
            for found in stretches_of(text):
                words = text[found.start : found.end]
                yield Part(found.source, words, count(words), node.id, found.start, node.role, found.tag)

    def _result(self, node: MessageNode) -> Part:
        call = self._call_answered_by(node)
        tokens, failed = self.tokenizer.count(node.content), _has_failed(node)
        if call is None:
            return Part("results", node.content, tokens, node.id, 0, "tool", call=node.result_of or "", failed=failed)
        source: Source = "files" if gives_file(call.name, call.arguments) else "results"
        file, server = file_of_call(call.arguments), server_of(call.name)
        return Part(source, node.content, tokens, node.id, 0, "tool", call.name, call.id, file, server, failed)

    def _call_answered_by(self, node: MessageNode) -> ToolCall | None:
        """The call that a result answers; of several with one id the nearest above it."""
        found = self._calls.get(node.result_of or "", [])
        if len(found) < 2:
            return found[0][1] if found else None
        calls, at = dict(found), node
        while at.parent_id is not None and at.parent_id in self._session.nodes:
            at = self._session.nodes[at.parent_id]
            if at.id in calls:
                return calls[at.id]
        return found[0][1]

    def __repr__(self) -> str:
        return f"ContextParts({counted(len(self._of_node), 'message')} counted, {self.tokenizer!r})"


_KEPT: WeakKeyDictionary[Recording, ContextParts] = WeakKeyDictionary()


def parts_of(recording: Recording) -> ContextParts:
    """The parts of a recording, one value for all who ask as long as the recording lives."""
    found = _KEPT.get(recording)
    if found is None:
        found = _KEPT[recording] = ContextParts(recording)
    return found


def _added(sums: Sums, parts: tuple[Part, ...]) -> Sums:
    if not parts:
        return sums
    total = [*sums]
    for part in parts:
        total[_COLUMN[part.source]] += part.tokens
    return tuple(total)


def _tokenizer_of(recording: Recording) -> Tokenizer:
    from ctxlab.providers import tokenizer_for

    asked: dict[str, int] = {}
    for request in recording.requests:
        if request.model:
            asked[request.model] = asked.get(request.model, 0) + 1
    return tokenizer_for(max(asked, key=asked.__getitem__, default=""))


def _single_tools(tools: list[Data]) -> Iterator[Data]:
    """Each tool; Gemini's lists of functions one by one."""
    for tool in tools:
        named = fields_of(tool)
        inner = named.get("functionDeclarations", named.get("function_declarations"))
        yield from (inner if isinstance(inner, list) else [tool])


def _name_of(tool: Any) -> str:
    fields = fields_of(tool)
    name = fields_of(fields.get("function")).get("name", fields.get("name", fields.get("type", "")))
    return name if isinstance(name, str) else ""


def _json(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value, default=str).decode()
    except (orjson.JSONEncodeError, RecursionError):  # large numbers, halves of characters, deep nesting
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "backslashreplace").decode()


def _has_failed(node: MessageNode) -> bool:
    return fields_of(node.meta("toolCall")).get("status") == "error"
