"""Shapes of Anthropic's Messages: every field of a request, as its reference and official client have it (2026-11)."""

from __future__ import annotations

from ctxlab.providers.body_shapes import Anything, Choice, Fields, ListOf, Number, Shape, Tagged, TextOr, Truth, Words

ANY = Anything()
OBJECT = Anything(dict)
WORDS = Words()
NAMED = Words(1)
TRUTH = Truth()
COUNT = Number(0, whole=True)
PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")
EFFORTS = ("low", "medium", "high", "xhigh", "max")

MARK = Fields({"type": Choice(("ephemeral",))}, {"ttl": Choice(("5m", "1h"))})
_MARKED: dict[str, Shape] = {"cache_control": MARK}
_KIND: dict[str, Shape] = {"type": WORDS}


def _block(required: dict[str, Shape], optional: dict[str, Shape] | None = None, *, marked: bool = True) -> Fields:
    return Fields(_KIND | required, (optional or {}) | (_MARKED if marked else {}))


IMAGE_SOURCE = Tagged(
    "type",
    {
        "base64": Fields(_KIND | {"media_type": Choice(PICTURES), "data": NAMED}),
        "url": Fields(_KIND | {"url": NAMED}),
        "file": Fields(_KIND | {"file_id": NAMED}),
    },
)
TEXT = _block({"text": WORDS}, {"citations": Anything(list)})
IMAGE = _block({"source": IMAGE_SOURCE}, {"transformations": ANY})
DOCUMENT_SOURCE = Tagged(
    "type",
    {
        "base64": Fields(_KIND | {"media_type": Choice(("application/pdf",)), "data": NAMED}),
        "text": Fields(_KIND | {"media_type": Choice(("text/plain",)), "data": NAMED}),
        "content": Fields(_KIND | {"content": TextOr(ListOf(Tagged("type", {"text": TEXT, "image": IMAGE})))}),
        "url": Fields(_KIND | {"url": NAMED}),
        "file": Fields(_KIND | {"file_id": NAMED}),
    },
)
_CITED: dict[str, Shape] = {"citations": Fields({}, {"enabled": TRUTH})}
DOCUMENT = _block({"source": DOCUMENT_SOURCE}, {"title": WORDS, "context": WORDS, **_CITED})
SEARCH_RESULT = _block({"content": ListOf(TEXT, 1), "source": WORDS, "title": WORDS}, _CITED)
RESULT_PART = Tagged(
    "type",
    {
        "text": TEXT,
        "image": IMAGE,
        "document": DOCUMENT,
        "search_result": SEARCH_RESULT,
        "tool_reference": _block({"tool_name": WORDS}),
        "browser_state": OBJECT,
    },
)
TOOL_RESULT = _block(
    {"tool_use_id": NAMED}, {"content": TextOr(ListOf(RESULT_PART)), "is_error": TRUTH, "toolset_name": WORDS}
)
TOOL_USE = _block({"id": NAMED, "name": Words(1, 200), "input": OBJECT}, {"caller": OBJECT, "toolset_name": WORDS})
THINKING = _block({"thinking": WORDS, "signature": WORDS}, marked=False)
REDACTED = _block({"data": WORDS}, marked=False)
SERVER_USE = _block({"id": NAMED, "name": NAMED, "input": OBJECT}, {"caller": OBJECT})
_SERVER_RESULT = _block({"tool_use_id": NAMED, "content": ANY}, {"caller": OBJECT})
_CHANGE = _block({"tool": ANY})
_UPLOAD = _block({"file_id": NAMED})

SERVER_RESULTS = (
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
)
USER_BLOCKS: dict[str, Shape] = {
    "text": TEXT,
    "image": IMAGE,
    "document": DOCUMENT,
    "search_result": SEARCH_RESULT,
    "tool_result": TOOL_RESULT,
    "container_upload": _UPLOAD,
}
ASSISTANT_BLOCKS: dict[str, Shape] = {
    "text": TEXT,
    "document": DOCUMENT,
    "thinking": THINKING,
    "redacted_thinking": REDACTED,
    "tool_use": TOOL_USE,
    "server_tool_use": SERVER_USE,
    **dict.fromkeys(SERVER_RESULTS, _SERVER_RESULT),
    "mcp_tool_use": _block({"id": NAMED, "name": NAMED, "input": OBJECT, "server_name": NAMED}),
    "mcp_tool_result": _block({"tool_use_id": NAMED}, {"content": ANY, "is_error": TRUTH}),
    "compaction": _block(
        {}, {"content": Words(1), "encrypted_content": WORDS, "signature": WORDS, "tool_changes": ANY}
    ),
    "container_upload": _UPLOAD,
    "mcp_tool_listing": OBJECT,
    "fallback": OBJECT,
}
SYSTEM_BLOCKS: dict[str, Shape] = {"text": TEXT, "tool_addition": _CHANGE, "tool_removal": _CHANGE}
BLOCK = Tagged("type", {**SYSTEM_BLOCKS, **ASSISTANT_BLOCKS, **USER_BLOCKS})
MESSAGE = Fields(
    {"role": Choice(("user", "assistant", "system")), "content": TextOr(ListOf(BLOCK))},
    {"clear_at": Choice(("next_user_message", "never")), "output_config": OBJECT},
)

SCHEMA = Fields({"type": Choice(("object",))}, {"properties": OBJECT, "required": ListOf(WORDS)}, others=True)
TOOL = Fields(
    {"name": Words(1, 128), "input_schema": SCHEMA},
    {
        "type": Choice(("custom",)),
        "description": WORDS,
        "cache_control": MARK,
        "strict": TRUTH,
        "defer_loading": TRUTH,
        "eager_input_streaming": TRUTH,
        "input_examples": ListOf(OBJECT),
        "allowed_callers": ListOf(WORDS),
    },
)
SERVER_TOOL = Fields({"type": NAMED}, {"cache_control": MARK}, others=True)
_PARALLEL: dict[str, Shape] = {"disable_parallel_tool_use": TRUTH}
TOOL_CHOICE = Tagged(
    "type",
    {
        "auto": Fields(_KIND, _PARALLEL),
        "any": Fields(_KIND, _PARALLEL),
        "tool": Fields(_KIND | {"name": NAMED}, _PARALLEL),
        "none": Fields(_KIND),
    },
)
_DISPLAY: dict[str, Shape] = {"display": Choice(("summarized", "omitted"))}
THINKING_CONFIG = Tagged(
    "type",
    {
        "enabled": Fields(_KIND | {"budget_tokens": Number(1024, whole=True)}, _DISPLAY),
        "adaptive": Fields(_KIND, _DISPLAY),
        "between_tools": Fields(_KIND, _DISPLAY),
        "disabled": Fields(_KIND),
    },
)
FORMAT = Fields({"type": Choice(("json_schema",)), "schema": OBJECT})
BODY = Fields(
    {"model": NAMED, "max_tokens": COUNT, "messages": ListOf(MESSAGE, 1, 100_000)},
    {
        "system": TextOr(ListOf(Tagged("type", {"text": TEXT}))),
        "metadata": Fields({}, {"user_id": Words(0, 256)}),
        "stop_sequences": ListOf(WORDS),
        "stream": TRUTH,
        "temperature": Number(0, 1),
        "top_p": Number(0, 1),
        "top_k": COUNT,
        "thinking": THINKING_CONFIG,
        "tool_choice": TOOL_CHOICE,
        "tools": ListOf(ANY),
        "service_tier": Choice(("auto", "standard_only")),
        "output_config": Fields({}, {"effort": Choice(EFFORTS), "format": FORMAT, "task_budget": OBJECT}),
        "output_format": FORMAT,
        "cache_control": MARK,
        "container": TextOr(OBJECT),
        "context_management": OBJECT,
        "mcp_servers": ListOf(OBJECT),
        "diagnostics": OBJECT,
        "inference_geo": WORDS,
        "speed": Choice(("standard", "fast")),
        "user_profile_id": WORDS,
        "workspace_id": WORDS,
    },
)
