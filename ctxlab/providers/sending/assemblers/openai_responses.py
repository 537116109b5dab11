"""Replies of OpenAI's Responses API, from the events of their streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.sending.deltas import CallDelta, Data, Delta, ServerEvent, TextDelta, ThoughtDelta
from ctxlab.providers.sending.json_values import index_in, kept_aside, list_in, object_in, text_in, values_at
from ctxlab.providers.sending.stream_errors import failed_stream

PARTS = {
    "response.output_text.delta": ("content", "content_index", "output_text", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "summary_text", "text"),
}
"""Which list of an item an event adds to: its index, the type of its parts and the field that grows."""
ADDED = {
    "response.content_part.added": ("content", "content_index"),
    "response.reasoning_summary_part.added": ("summary", "summary_index"),
}
ARGUMENTS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.mcp_call_arguments.delta": "arguments",
    "response.code_interpreter_call_code.delta": "code",
}
LASTS = frozenset({"response.completed", "response.incomplete"})
CALLS = frozenset({"function_call", "custom_tool_call"})
READABLE = frozenset({"message", "reasoning"})
"""Items that count as far as they came; of anything else, a call above all, a half is none."""


@dataclass(slots=True)
class _Item:
    """An item on its way: as it began, what was added to each of its lists and fields, and whether it ended."""

    fields: Data
    call: int | None = None
    parts: dict[str, dict[int, Data]] = field(default_factory=dict[str, dict[int, Data]])
    pieces: dict[tuple[str, int, str], list[str]] = field(default_factory=dict[tuple[str, int, str], list[str]])
    ended: bool = False

    def data(self) -> Data:
        if self.ended:
            return self.fields
        found = dict(self.fields)
        for name, parts in self.parts.items():
            found[name] = [self._part(name, index, parts[index]) for index in sorted(parts)]
        return {**found, "status": "incomplete"} if "status" in found else found

    def _part(self, name: str, index: int, part: Data) -> Data:
        grown = {
            grows: text_in(part.get(grows)) + "".join(pieces)
            for (of, at, grows), pieces in self.pieces.items()
            if (of, at) == (name, index)
        }
        return {**part, **grown}


class Assembler:
    """Puts events together to a `response`."""

    def __init__(self) -> None:
        self._response: Data = {"object": "response", "status": "in_progress"}
        self._items: dict[int, _Item] = {}
        self._calls = 0
        self._complete = False

    def add(self, event: ServerEvent) -> tuple[Delta, ...]:
        """Take one event; gives what it added. Raises SendFailed for an error of the server."""
        data = event.data
        kind = text_in(data.get("type")) or event.name
        response = object_in(data.get("response"))
        if kind == "response.failed" or kind == "error" or (not kind and data.get("error")):
            raise failed_stream(response.get("error") or data)
        if response:
            self._response |= response if kind in LASTS else {**response, "output": []}
        if kind in LASTS:
            self._complete = True
            return ()
        return tuple(self._grow(kind, index_in(data.get("output_index")), data))

    def _grow(self, kind: str, index: int, data: Data) -> Iterator[Delta]:
        if kind == "response.output_item.added":
            yield from self._begin(index, object_in(data.get("item")))
        elif kind == "response.output_item.done":
            known = self._items.get(index)
            self._items[index] = _Item(object_in(data.get("item")), known.call if known else None, ended=True)
        elif kind in ADDED:
            name, numbered = ADDED[kind]
            part = object_in(data.get("part"))
            self._item(index).parts.setdefault(name, {})[index_in(data.get(numbered))] = part
        elif kind in PARTS:
            yield from self._grow_part(index, kind, data)
        elif kind in ARGUMENTS:
            call, text = self._item(index).call, text_in(data.get("delta"))
            if call is not None and text:
                yield CallDelta(call, arguments=text)

    def _item(self, index: int) -> _Item:
        return self._items.setdefault(index, _Item({"type": "message", "role": "assistant", "content": []}))

    def _begin(self, index: int, stored: Data) -> Iterator[Delta]:
        item = self._items[index] = _Item(stored)
        for name in ("content", "summary"):
            if parts := list_in(stored.get(name)):
                item.parts[name] = {number: object_in(part) for number, part in enumerate(parts)}
        if text_in(stored.get("type")) in CALLS:
            item.call, self._calls = self._calls, self._calls + 1
            yield CallDelta(item.call, text_in(stored.get("call_id")), text_in(stored.get("name")))

    def _grow_part(self, index: int, kind: str, data: Data) -> Iterator[Delta]:
        name, numbered, type, grows = PARTS[kind]
        item, number, text = self._item(index), index_in(data.get(numbered)), text_in(data.get("delta"))
        item.parts.setdefault(name, {}).setdefault(number, {"type": type, grows: ""})
        item.pieces.setdefault((name, number, grows), []).append(text)
        if text:
            yield ThoughtDelta(text) if "reasoning" in kind else TextDelta(text)

    @property
    def complete(self) -> bool:
        return self._complete

    def reply(self) -> Data:
        """The response of what came so far; a call that has not ended is left out."""
        if self._complete and self._response.get("output"):
            return dict(self._response)
        items = [self._items[index] for index in sorted(self._items)]
        kept = [item.data() for item in items if item.ended or text_in(item.fields.get("type")) in READABLE]
        return {**self._response, "output": kept}


def deltas_of(reply: Data) -> Iterator[Delta]:
    """The readable parts of a reply in one piece."""
    calls = 0
    for stored in list_in(reply.get("output")):
        item = object_in(stored)
        if text_in(item.get("type")) in CALLS:
            arguments = text_in(item.get("arguments") or item.get("input"))
            yield CallDelta(calls, text_in(item.get("call_id")), text_in(item.get("name")), arguments)
            calls += 1
            continue
        for part in (*list_in(item.get("summary")), *list_in(item.get("content"))):
            yield from _words(object_in(part), text_in(item.get("type")))


def _words(part: dict[str, Any], kind: str) -> Iterator[Delta]:
    text = text_in(part.get("text")) or text_in(part.get("refusal"))
    if text:
        yield ThoughtDelta(text) if kind == "reasoning" else TextDelta(text)


# --- what can't be read

SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "response": (dict,),
    "item": (dict,),
    "part": (dict,),
    "delta": (str,),
    "output": (list,),
    "output.*": (dict,),
    "output.*.content": (list,),
    "usage": (dict,),
}
ITEMS: Final = frozenset({"message", "reasoning", "compaction", "mcp_list_tools", "mcp_approval_request", "program"})


def unknown(data: Data) -> Iterator[str]:
    """A sentence for each item of an unknown kind."""
    for path in ("item", "output.*"):
        for _, kind in values_at(data, f"{path}.type"):
            if isinstance(kind, str) and kind not in ITEMS and not kind.endswith(("_call", "_call_output")):
                yield kept_aside("item", kind)
