"""The parts of a recording's requests, each message taken apart and counted once for all requests that sent it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from weakref import WeakKeyDictionary

from ctxlab.context import AssetRef
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.tokens import DEFAULT_RULES, Tokenizer, media_tokens
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.prompt import SOURCES, Prompt, PromptMessage, PromptPart, Source, TokenCounter
from ctxlab.prompt.tool_use import definition_part, json_text, part_of_call, part_of_result
from ctxlab.recordings.ancestor_tree import AncestorTree
from ctxlab.recordings.parts.stretches import stretches_of
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage, SentTree
from ctxlab.recordings.request_head import SYSTEM, RequestHead

UNCACHED = frozenset({"stream", "stream_options", "metadata", "user", "max_tokens", "max_completion_tokens", "store"})
"""Parameters that say nothing of the prompt."""
Sums = tuple[int, ...]
_COLUMN = {source: number for number, source in enumerate(SOURCES)}


class ContextParts:
    """The parts of each request of a recording, in the order in which vendors read them: tools, system texts, messages.

    Tokens are counted by `tokenizer`, that of the model that was asked most often; what vendors add to each message is
    left out. A message, a head and the sums up to a message are worked out once.
    """

    def __init__(self, tree: SentTree, tokenizer: TokenCounter | None = None) -> None:
        self.tokenizer: TokenCounter = tokenizer or _tokenizer_of(tree)
        self._media = self.tokenizer.media if isinstance(self.tokenizer, Tokenizer) else DEFAULT_RULES
        self._session, self._sent = tree.session, tree.sent
        self._of_node: dict[str, tuple[PromptPart, ...]] = {}
        self._of_head: dict[str, tuple[PromptPart, ...]] = {}
        self._by_source = TokenSums(self, lambda part: _COLUMN[part.source], len(SOURCES))
        self._calls: dict[str, list[tuple[str, ToolCall]]] = {}
        for node in tree.session.nodes.values():
            for call in node.tool_calls:
                self._calls.setdefault(call.id, []).append((node.id, call))

    # --- parts

    def prompt(self, request: RecordedRequest) -> Prompt[PromptMessage]:
        """The prompt of a request; its parts are shared with all requests that sent them."""
        messages = [(message.id, self.of_message(message)) for message in request.sent]
        return Prompt(
            tuple(PromptMessage(id, self._session.nodes[id].role, parts) for id, parts in messages),
            self.of_head(request.head),
        )

    def of_request(self, request: RecordedRequest) -> Iterator[PromptPart]:
        """The parts of a request, in order."""
        yield from self.of_head(request.head)
        for message in request.sent:
            yield from self.of_message(message)

    def of_head(self, head: RequestHead) -> tuple[PromptPart, ...]:
        """The parts of a head: its parameters, each of its tools, each of its system texts."""
        found = self._of_head.get(head.id)
        if found is None:
            found = self._of_head[head.id] = tuple(self._head_parts(head))
        return found

    def of_message(self, message: SentMessage) -> tuple[PromptPart, ...]:
        """The parts of a message, of all the nodes that it became."""
        if len(message.nodes) == 1:
            return self.of_node(message.nodes[0])
        return tuple(part for node in message.nodes for part in self.of_node(node))

    def of_node(self, id: str) -> tuple[PromptPart, ...]:
        """The parts of a node of the session; an answer that no request sent again has parts too."""
        found = self._of_node.get(id)
        if found is None:
            node = self._session.nodes.get(id)
            found = self._of_node[id] = tuple(self._node_parts(node)) if node is not None else ()
        return found

    # --- sums

    @cached_property
    def tree(self) -> AncestorTree[str]:
        """The sent messages by id with the tokens on the way to each, those of heads left out; "" is before all."""
        found = AncestorTree("")
        for id, message in self._sent.items():
            parent = message.parent if message.parent in found.parent else ""
            found.put(id, parent, sum([part.tokens for part in self.of_message(message)]))
        return found

    def tokens_by_source(self, request: RecordedRequest) -> Mapping[Source, int]:
        """Tokens of a request by source, those that it has."""
        return {source: count for source, count in zip(SOURCES, self._by_source.of(request), strict=True) if count}

    def tokens(self, request: RecordedRequest) -> int:
        """All tokens of a request."""
        return sum(self._by_source.of(request))

    # --- how a message is taken apart

    def _head_parts(self, head: RequestHead) -> Iterator[PromptPart]:
        count = self.tokenizer.count
        for name, value in head.fields:
            if name != "tools" and name not in SYSTEM and name not in UNCACHED:
                yield PromptPart("parameters", json_text(value), 0, name=name)
        for tool in _single_tools(head.tools):
            text = json_text(tool)
            yield definition_part(tool, count(text), text)
        for text in head.system:
            yield PromptPart("system", text, count(text))

    def _node_parts(self, node: MessageNode) -> Iterator[PromptPart]:
        count = self.tokenizer.count
        if node.reasoning:
            yield PromptPart("reasoning", node.reasoning, count(node.reasoning), node.id, None, node.role)
        if node.role == "tool":
            yield self._result(node)
        elif node.content:
            yield from self._words(node)
        for asset in node.attachments or ():
            tokens = media_tokens(AssetRef.of(asset), self._media).tokens
            yield PromptPart("attachments", asset.name, tokens, node.id, None, node.role, asset.name or asset.type)
        for call in node.tool_calls:
            yield part_of_call(call, count(call.name) + count(call.arguments), node.id, node.role)

    def _words(self, node: MessageNode) -> Iterator[PromptPart]:
        text, count = node.content, self.tokenizer.count
        if node.role == "assistant":
            yield PromptPart("history", text, count(text), node.id, 0, node.role)
        elif node.role == "system":
            yield PromptPart("system", text, count(text), node.id, 0, node.role)
        else:
            for found in stretches_of(text):
                words = text[found.start : found.end]
                yield PromptPart(found.source, words, count(words), node.id, found.start, node.role, found.tag)

    def _result(self, node: MessageNode) -> PromptPart:
        answered, failed = self._call_answered_by(node), fields_of(node.meta("toolCall")).get("status") == "error"
        tokens = self.tokenizer.count(node.content)
        return part_of_result(node.content, tokens, node.id, 0, answered, node.result_of or "", failed=failed)

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


class TokenSums:
    """Tokens of requests in columns; the sums up to a message and those of a head are worked out once.

    `column_of` gives the number of a part's column, from 0 up to `columns`.
    """

    def __init__(self, parts: ContextParts, column_of: Callable[[PromptPart], int], columns: int) -> None:
        self._parts, self._column_of = parts, column_of
        self._up_to: dict[str, Sums] = {"": (0,) * columns}
        self._heads: dict[str, Sums] = {}

    def of(self, request: RecordedRequest) -> Sums:
        """The sums of a request."""
        head = self._heads.get(request.head.id)
        if head is None:
            head = self._heads[request.head.id] = self._added(self._up_to[""], self._parts.of_head(request.head))
        new, last = request.tree.new_below(request.leaf, self._up_to)
        sums = self._up_to[last]
        for message in new:
            sums = self._up_to[message.id] = self._added(sums, self._parts.of_message(message))
        return tuple(map(sum, zip(head, sums, strict=True)))

    def _added(self, sums: Sums, parts: tuple[PromptPart, ...]) -> Sums:
        if not parts:
            return sums
        total = [*sums]
        for part in parts:
            total[self._column_of(part)] += part.tokens
        return tuple(total)


_KEPT: WeakKeyDictionary[SentTree, ContextParts] = WeakKeyDictionary()


def parts_of(tree: SentTree) -> ContextParts:
    """The parts of a recording's tree, one value for all who ask as long as it lives."""
    found = _KEPT.get(tree)
    if found is None:
        found = _KEPT[tree] = ContextParts(tree)
    return found


def _tokenizer_of(tree: SentTree) -> Tokenizer:
    from ctxlab.providers import tokenizer_for

    return tokenizer_for(tree.model)


def _single_tools(tools: list[Data]) -> Iterator[Data]:
    """Each tool; Gemini's lists of functions one by one."""
    for tool in tools:
        named = fields_of(tool)
        inner = named.get("functionDeclarations", named.get("function_declarations"))
        yield from (inner if isinstance(inner, list) else [tool])
