"""OpenTelemetry's spans as requests: those of the GenAI conventions, OpenInference, OpenLLMetry and Vercel's AI SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.readers.message_forms import parsed
from ctxlab.recordings.readers.span_requests import Span, add_spans

PROGRAM: Final = "OpenTelemetry"
CALLS: Final = ("chat", "text_completion", "generate_content", "completion")
INPUTS: Final = ("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.prompt", "input.value")
OUTPUTS: Final = ("gen_ai.output.messages", "ai.response.text", "ai.response.object", "output.value")
FLAT: Final = (("llm.input_messages", "llm.output_messages"), ("gen_ai.prompt", "gen_ai.completion"))
"""Prefixes of attributes that hold messages one field at a time."""
USAGE: Final = {
    "input": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "ai.usage.promptTokens",
    ),
    "cached": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ),
    "written": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "output": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "ai.usage.completionTokens",
    ),
    "reasoning": ("llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens"),
}


def sniff(data: Any) -> bool:
    found = [*_spans(data)]
    return mostly(found, lambda span: "attributes" in fields_of(span) and "name" in fields_of(span))


def read(source: Source, builder: RecordingBuilder) -> None:
    """The calls of models among the spans, by time."""
    builder.program = PROGRAM
    spans = [_span(fields_of(item)) for item in _spans(source.data)]
    others = sum(not span.is_request for span in spans)
    if others:
        them = counted(others, "calls no model but is a step around calls", "call no model but are steps around calls")
        builder.losses.append(Loss("spans", f"{them}; left out"))
    add_spans(builder, spans)


def _spans(data: Any) -> Iterator[Any]:
    """The spans of a list, or of OTLP's JSON, which nests them."""
    if isinstance(data, list):
        for item in items_of(data):
            yield from _spans(item)
        return
    fields = fields_of(data)
    for inner in ("resourceSpans", "scopeSpans", "spans"):
        if isinstance(fields.get(inner), list):
            yield from _spans(fields[inner])
            return
    if fields:
        yield fields


def _span(item: Data) -> Span:
    found = _attributes(item.get("attributes"))
    context = fields_of(item.get("spanContext") or item.get("context"))
    name = str(item.get("name") or "")
    given, answer = _messages(found)
    return Span(
        id=str(item.get("spanId") or item.get("span_id") or context.get("spanId") or context.get("span_id") or name),
        parent=str(item.get("parentSpanId") or item.get("parent_id") or item.get("parent_span_id") or ""),
        is_request=_calls_a_model(name, found),
        name=name,
        agent=str(found.get("gen_ai.agent.name") or "") if found.get("gen_ai.operation.name") == "invoke_agent" else "",
        time=time_of(item.get("startTimeUnixNano", item.get("startTime", item.get("start_time")))),
        ended=time_of(item.get("endTimeUnixNano", item.get("endTime", item.get("end_time")))),
        model=str(
            _first(found, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id") or ""
        ),
        given=given,
        answer=answer,
        usage=_usage(found),
        head=_head(found),
        error=_error(item),
    )


def _attributes(stored: Any) -> Data:
    """Attributes by name; OTLP lists them with their types."""
    if isinstance(stored, dict):
        return _flattened(fields_of(stored))
    pairs = (fields_of(item) for item in items_of(stored))
    return {str(pair.get("key")): _typed(fields_of(pair.get("value"))) for pair in pairs}


def _flattened(fields: Data, prefix: str = "") -> Data:
    """Nested objects as names with dots."""
    found: Data = {}
    for key, value in fields.items():
        if isinstance(value, dict) and value:
            found |= _flattened(fields_of(value), f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def _typed(value: Data) -> Any:
    for kind, inner in value.items():
        if kind == "intValue":
            return int(inner) if str(inner).lstrip("-").isdecimal() else inner
        if kind == "arrayValue":
            return [_typed(fields_of(item)) for item in items_of(fields_of(inner).get("values"))]
        return inner
    return None


def _first(found: Data, *names: str) -> Any:
    return next((found[name] for name in names if found.get(name) is not None), None)


def _calls_a_model(name: str, found: Data) -> bool:
    if str(found.get("openinference.span.kind", "")).upper() == "LLM" or found.get("gen_ai.operation.name") in CALLS:
        return True
    if name.startswith("ai."):
        return name.endswith((".doGenerate", ".doStream"))
    return "gen_ai.request.model" in found and "gen_ai.operation.name" not in found and "llm.request.type" in found


def _messages(found: Data) -> tuple[Any, Any]:
    for before, after in FLAT:
        given = _numbered(found, before)
        if given:
            return given, _numbered(found, after) or _answer(found)
    return _first(found, *INPUTS), _answer(found)


def _answer(found: Data) -> Any:
    calls = parsed(found.get("ai.response.toolCalls"))
    if isinstance(calls, list) and calls:
        parts = [{**fields_of(call), "type": "tool-call"} for call in items_of(calls)]
        text = found.get("ai.response.text")
        return [{"role": "assistant", "content": [*([{"type": "text", "text": text}] if text else []), *parts]}]
    return _first(found, *OUTPUTS)


def _numbered(found: Data, prefix: str) -> list[Data]:
    """Messages that are written one field an attribute: `<prefix>.0.message.role`."""
    messages: dict[int, Data] = {}
    calls: dict[tuple[int, int], Data] = {}
    start = re.compile(re.escape(prefix) + r"\.(\d+)\.(?:message\.)?(.+)$")
    for name, value in found.items():
        hit = start.match(name)
        if hit is None:
            continue
        number, rest = int(hit[1]), hit[2]
        call = re.match(r"tool_calls\.(\d+)\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)$", rest)
        part = re.match(r"contents\.\d+\.message_content\.text$", rest)
        message = messages.setdefault(number, {"role": "user", "content": ""})
        if call is not None:
            calls.setdefault((number, int(call[1])), {})[call[2]] = value
        elif part is not None:
            message["content"] = "\n".join(filter(None, (message["content"], str(value))))
        elif rest in ("role", "content", "tool_call_id", "name"):
            message[rest] = value
    for (number, _), call in sorted(calls.items()):
        function = {"name": str(call.get("name") or ""), "arguments": str(call.get("arguments") or "")}
        messages[number].setdefault("tool_calls", []).append(
            {"id": str(call.get("id") or ""), "type": "function", "function": function}
        )
    return [messages[number] for number in sorted(messages)]


def _usage(found: Data) -> RecordedUsage:
    """The conventions count what was read from the cache as part of the input."""
    return RecordedUsage(**{ours: _whole(_first(found, *names)) for ours, names in USAGE.items()})


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _head(found: Data) -> Data:
    """Tools and system texts that stand beside the messages."""
    tools = parsed(_first(found, "gen_ai.tool.definitions", "ai.prompt.tools"))
    if isinstance(tools, list):
        tools = [parsed(tool) for tool in items_of(tools)]
    texts = parsed(found.get("gen_ai.system_instructions"))
    words = (
        [str(fields_of(part).get("content", "")) for part in items_of(texts)] if isinstance(texts, list) else [texts]
    )
    system = "\n".join(word for word in words if isinstance(word, str) and word)
    return {"tools": tools, "system": system}


def _error(item: Data) -> str:
    status = fields_of(item.get("status"))
    if status.get("code") in (2, "ERROR", "STATUS_CODE_ERROR"):
        return str(status.get("message") or "the call failed")
    return ""


def time_of(value: Any) -> str:
    """A time as ISO 8601: of nanoseconds, of seconds with nanoseconds, or as it is."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        value = value[0] * 10**9 + value[1]
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**20:
        return ""
    return datetime.fromtimestamp(value / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
