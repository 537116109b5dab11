"""Replies of Anthropic's Messages API, from the events of their streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.sending.deltas import CallDelta, Data, Delta, ServerEvent, TextDelta, ThoughtDelta
from ctxlab.providers.sending.json_values import index_in, kept_aside, list_in, object_in, text_in, values_at
from ctxlab.providers.sending.server_events import value_of
from ctxlab.providers.sending.stream_errors import failed_stream, one_line

GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""Fields of a block that a delta of each type adds to; the additions have the same name in it."""


@dataclass(slots=True)
class _Block:
    """A block on its way: as it began, what was added, and whether it ended."""

    fields: Data
    call: int | None = None
    added: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    lists: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    arguments: list[str] = field(default_factory=list[str])
    ended: bool = False

    def data(self) -> Data:
        found = dict(self.fields)
        for name, pieces in self.added.items():
            found[name] = text_in(found.get(name)) + "".join(pieces)
        for name, items in self.lists.items():
            found[name] = [*list_in(found.get(name)), *items]
        written = "".join(self.arguments)
        if written:
            # Arguments that are no JSON, since the reply was cut, stay as they came: what runs calls refuses them.
            known = value_of(written)
            found["input"] = written if known is None else known
        return found

    @property
    def may_be_kept(self) -> bool:
        """Words count as far as they came; of anything else, a call above all, a half is none."""
        return self.ended or text_in(self.fields.get("type")) in ("text", "thinking")


class Assembler:
    """Puts events together to a message."""

    def __init__(self) -> None:
        self._message: Data = {"type": "message", "role": "assistant", "stop_reason": None, "stop_sequence": None}
        self._usage: Data = {}
        self._blocks: dict[int, _Block] = {}
        self._calls = 0
        self._complete = False

    def add(self, event: ServerEvent) -> tuple[Delta, ...]:
        """Take one event; gives what it added. Raises SendFailed for an error of the server."""
        data = event.data
        match text_in(data.get("type")) or event.name:
            case "error":
                raise failed_stream(data)
            case "message_start":
                message = object_in(data.get("message"))
                self._message |= {name: value for name, value in message.items() if name not in ("content", "usage")}
                self._usage |= _known(object_in(message.get("usage")))
                for index, block in enumerate(list_in(message.get("content"))):
                    self._blocks[index] = _Block(object_in(block), ended=True)
            case "content_block_start":
                return tuple(self._begin(index_in(data.get("index")), object_in(data.get("content_block"))))
            case "content_block_delta":
                return tuple(self._grow(index_in(data.get("index")), object_in(data.get("delta"))))
            case "content_block_stop":
                if (block := self._blocks.get(index_in(data.get("index")))) is not None:
                    block.ended = True
            case "message_delta":
                self._message |= _known(object_in(data.get("delta")))
                self._usage |= _known(object_in(data.get("usage")))
                others = {name: value for name, value in data.items() if name not in ("type", "delta", "usage")}
                self._message |= _known(others)
            case "message_stop":
                self._complete = True
            case _:  # a ping, or what the vendor has added since
                pass
        return ()

    def _begin(self, index: int, stored: Data) -> Iterator[Delta]:
        block = self._blocks[index] = _Block(stored)
        if _is_call(stored):
            block.call, self._calls = self._calls, self._calls + 1
            yield CallDelta(block.call, text_in(stored.get("id")), text_in(stored.get("name")))
        yield from _words("text", text_in(stored.get("text")))
        yield from _words("thinking", text_in(stored.get("thinking")))

    def _grow(self, index: int, delta: Data) -> Iterator[Delta]:
        block = self._blocks.get(index)
        kind = text_in(delta.get("type"))
        if block is None:
            block = self._blocks[index] = _Block({"type": {"thinking_delta": "thinking"}.get(kind, "text")})
        if kind in GROWING:
            name = GROWING[kind]
            text = text_in(delta.get(name))
            block.added.setdefault(name, []).append(text)
            yield from _words(name, text)
        elif kind == "input_json_delta":
            text = text_in(delta.get("partial_json"))
            block.arguments.append(text)
            if text and block.call is not None:
                yield CallDelta(block.call, arguments=text)
        elif kind == "citations_delta":
            block.lists.setdefault("citations", []).append(delta.get("citation"))

    @property
    def complete(self) -> bool:
        return self._complete

    def reply(self) -> Data:
        """The message of what came so far; a call that has not ended is left out."""
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        content = [block.data() for block in blocks if block.may_be_kept]
        return {**self._message, "content": content, **({"usage": dict(self._usage)} if self._usage else {})}


def _known(fields: Data) -> Data:
    return {name: value for name, value in fields.items() if value is not None}


def _is_call(block: Data) -> bool:
    return text_in(block.get("type")) == "tool_use"


def _words(name: str, text: str) -> Iterator[Delta]:
    if text and name in ("text", "thinking"):
        yield TextDelta(text) if name == "text" else ThoughtDelta(text)


def deltas_of(reply: Data) -> Iterator[Delta]:
    """The readable parts of a reply in one piece."""
    import json

    calls = 0
    for stored in list_in(reply.get("content")):
        block = object_in(stored)
        kind = text_in(block.get("type"))
        if _is_call(block):
            arguments = json.dumps(block.get("input", {}), ensure_ascii=False)
            yield CallDelta(calls, text_in(block.get("id")), text_in(block.get("name")), arguments)
            calls += 1
        yield from _words(kind, text_in(block.get(kind)))


# --- what can't be read

SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "message": (dict,),
    "content_block": (dict,),
    "content_block.text": (str,),
    "content_block.thinking": (str,),
    "delta": (dict,),
    "delta.text": (str,),
    "delta.thinking": (str,),
    "delta.partial_json": (str,),
    "delta.stop_reason": (str,),
    "content": (list,),
    "content.*": (dict,),
    "content.*.text": (str,),
    "stop_reason": (str,),
    "usage": (dict,),
}
BLOCKS: Final = frozenset(
    {
        *("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "image", "document", "compaction"),
        *("search_result", "container_upload", "mcp_tool_use", "mcp_tool_result"),
    }
)
DELTAS: Final = frozenset({"text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"})


def unknown(data: Data) -> Iterator[str]:
    """A sentence for each block of an unknown kind, and for each piece of one."""
    for path in ("content_block", "content.*", "message.content.*"):
        for _, kind in values_at(data, f"{path}.type"):
            if isinstance(kind, str) and kind not in BLOCKS and not kind.endswith("_tool_result"):
                yield kept_aside("block", kind)
    for _, kind in values_at(data, "delta.type") if data.get("type") == "content_block_delta" else ():
        if isinstance(kind, str) and kind not in DELTAS:
            yield f"a piece of the unknown kind {short(one_line(kind), 40)!r} is left out"
