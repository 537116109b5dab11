"""Places of a vendor's JSON that hold something else than they should, or that are of a kind that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from ctxlab.display.short_texts import kind_in_words, short
from ctxlab.documents.session.replay_artifacts import WireName
from ctxlab.documents.session.usage_counts import COUNTS, is_count
from ctxlab.providers.sending.deltas import Data
from ctxlab.providers.sending.stream_errors import one_line

MOST: Final = 5
"""Sentences about one reply."""
Rules = Mapping[str, tuple[type, ...]]

_CHAT: Final[Rules] = {
    "choices": (list,),
    "choices.*": (dict,),
    "choices.*.finish_reason": (str,),
    "usage": (dict,),
    **{
        f"choices.*.{message}{name}": kinds
        for message in ("delta", "message")
        for name, kinds in (
            ("", (dict,)),
            (".content", (str, list)),
            (".reasoning_content", (str,)),
            (".refusal", (str,)),
            (".tool_calls", (list,)),
            (".tool_calls.*", (dict,)),
            (".tool_calls.*.function", (dict,)),
            (".tool_calls.*.function.name", (str,)),
        )
    },
}
_ANTHROPIC: Final[Rules] = {
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
_GEMINI: Final[Rules] = {
    "candidates": (list,),
    "candidates.*": (dict,),
    "candidates.*.content": (dict,),
    "candidates.*.content.parts": (list,),
    "candidates.*.content.parts.*": (dict,),
    "candidates.*.content.parts.*.text": (str,),
    "candidates.*.content.parts.*.functionCall": (dict,),
    "candidates.*.finishReason": (str,),
    "usageMetadata": (dict,),
}
_RESPONSES: Final[Rules] = {
    "response": (dict,),
    "item": (dict,),
    "part": (dict,),
    "delta": (str,),
    "output": (list,),
    "output.*": (dict,),
    "output.*.content": (list,),
    "usage": (dict,),
}
RULES: Final[Mapping[str, Rules]] = {
    "openai-chat": _CHAT,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "openai-responses": _RESPONSES,
}
BLOCKS: Final = frozenset(
    {
        *("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "image", "document", "compaction"),
        *("search_result", "container_upload", "mcp_tool_use", "mcp_tool_result"),
    }
)
ITEMS: Final = frozenset({"message", "reasoning", "compaction", "mcp_list_tools", "mcp_approval_request", "program"})
DELTAS: Final = frozenset({"text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"})


def unfit(data: Data, wire: WireName) -> Iterator[str]:
    """A sentence for each place that can't be read as what it should be, and for each block of an unknown kind."""
    for path, kinds in RULES.get(wire, {}).items():
        for place, value in _values(data, path.split("."), ""):
            if value is not None and not isinstance(value, kinds):
                yield f"{place} is {kind_in_words(value)}, not {kind_in_words(kinds[0]())}: left out"
    yield from _no_counts(data)
    yield from _unknown(data, wire)


def _values(value: Any, path: list[str], place: str) -> Iterator[tuple[str, Any]]:
    if not path:
        yield place, value
        return
    name, *rest = path
    if name == "*":
        for number, item in enumerate(cast("list[Any]", value)) if isinstance(value, list) else ():
            yield from _values(item, rest, f"{place}[{number}]")
    elif isinstance(value, dict) and name in value:
        yield from _values(cast("Data", value)[name], rest, f"{place}.{name}" if place else name)


def _no_counts(data: Data) -> Iterator[str]:
    for holder in ("usage", "message.usage", "response.usage", "usageMetadata"):
        for name in COUNTS:
            for place, value in _values(data, [*holder.split("."), name], ""):
                if value is not None and not is_count(value):
                    yield f"{place} is {short(one_line(repr(value)), 30)}, which is no count: the usage is left out"


def _unknown(data: Data, wire: WireName) -> Iterator[str]:
    if wire == "anthropic":
        for path in ("content_block", "content.*", "message.content.*"):
            for _, kind in _values(data, [*path.split("."), "type"], ""):
                if isinstance(kind, str) and kind not in BLOCKS and not kind.endswith("_tool_result"):
                    yield _kept("block", kind)
        for _, kind in _values(data, ["delta", "type"], "") if data.get("type") == "content_block_delta" else ():
            if isinstance(kind, str) and kind not in DELTAS:
                yield f"a piece of the unknown kind {short(one_line(kind), 40)!r} is left out"
    elif wire == "openai-responses":
        for path in ("item", "output.*"):
            for _, kind in _values(data, [*path.split("."), "type"], ""):
                if isinstance(kind, str) and kind not in ITEMS and not kind.endswith(("_call", "_call_output")):
                    yield _kept("item", kind)
    elif wire == "openai-chat":
        for message in ("delta", "message"):
            for place, part in _values(data, ["choices", "*", message, "content", "*"], ""):
                if not (isinstance(part, dict) and isinstance(cast("Data", part).get("text"), str)):
                    yield f"{place} has no text: left out"


def _kept(what: str, kind: str) -> str:
    return f"a {what} of the unknown kind {short(one_line(kind), 40)!r} is kept beside the reply and not shown"
