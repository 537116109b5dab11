"""Shape of a request of Anthropic's Messages API, field by field, as the request types of its SDK (2.12) say."""

from __future__ import annotations

from typing import Any

from ctxlab.testing.fake_server.refusal import Path, Report
from ctxlab.testing.fake_server.shapes import (
    Check,
    anything,
    either,
    flag,
    items,
    mapping,
    nullable,
    number,
    one_of,
    record,
    tagged,
    text,
)

ID = text(least=1, most=256, pattern=r"[a-zA-Z0-9_-]+")
TOOL_NAME = text(pattern=r"[a-zA-Z0-9_-]{1,128}", rule="tool-name")
MARK = nullable(record({"type": one_of("ephemeral")}, {"ttl": one_of("5m", "1h")}))
MARKED: dict[str, Check] = {"cache_control": MARK}
PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")

TEXT = record({"type": anything, "text": text()}, {**MARKED, "citations": nullable(items(mapping()))})
IMAGE_SOURCE = tagged(
    {
        "base64": record({"type": anything, "media_type": one_of(*PICTURES), "data": text(least=1)}),
        "url": record({"type": anything, "url": text(least=1)}),
        "file": record({"type": anything, "file_id": text(least=1)}),
    }
)
IMAGE = record({"type": anything, "source": IMAGE_SOURCE}, {**MARKED, "transformations": anything})
DOCUMENT_SOURCE = tagged(
    {
        "base64": record({"type": anything, "media_type": one_of("application/pdf"), "data": text(least=1)}),
        "text": record({"type": anything, "media_type": one_of("text/plain"), "data": text(least=1)}),
        "url": record({"type": anything, "url": text(least=1)}),
        "file": record({"type": anything, "file_id": text(least=1)}),
        "content": record({"type": anything, "content": either(text=text(), items=items(mapping()))}),
    }
)
DOCUMENT = record(
    {"type": anything, "source": DOCUMENT_SOURCE},
    {
        **MARKED,
        "title": nullable(text(most=500)),
        "context": nullable(text()),
        "citations": nullable(record({}, {"enabled": flag})),
    },
)
SEARCH_RESULT = record(
    {"type": anything, "source": text(), "title": text(), "content": items(TEXT)}, {**MARKED, "citations": anything}
)
RESULT_CONTENT = tagged(
    {
        "text": TEXT,
        "image": IMAGE,
        "document": DOCUMENT,
        "search_result": SEARCH_RESULT,
        "tool_reference": mapping(),
        "browser_state": mapping(),
    }
)
TOOL_RESULT = record(
    {"type": anything, "tool_use_id": ID},
    {
        **MARKED,
        "content": either(text=text(), items=items(RESULT_CONTENT)),
        "is_error": flag,
        "toolset_name": nullable(text()),
    },
)
TOOL_USE = record(
    {"type": anything, "id": ID, "name": text(least=1, most=200), "input": mapping()},
    {**MARKED, "caller": mapping(), "toolset_name": nullable(text())},
)
SERVER_TOOL_USE = record(
    {"type": anything, "id": ID, "name": text(least=1), "input": mapping()}, {**MARKED, "caller": mapping()}
)
SERVER_RESULT = record({"type": anything, "tool_use_id": ID, "content": anything}, {**MARKED, "caller": mapping()})
SERVER_RESULTS = (
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_result",
)
BLOCKS: dict[str, Check] = {
    "text": TEXT,
    "image": IMAGE,
    "document": DOCUMENT,
    "search_result": SEARCH_RESULT,
    "thinking": record({"type": anything, "thinking": text(), "signature": text()}),
    "redacted_thinking": record({"type": anything, "data": text()}),
    "tool_use": TOOL_USE,
    "tool_result": TOOL_RESULT,
    "server_tool_use": SERVER_TOOL_USE,
    "mcp_tool_use": mapping(),
    "container_upload": record({"type": anything, "file_id": text()}, MARKED),
    "compaction": record({"type": anything}, {**MARKED, "content": nullable(text()), "encrypted_content": anything}),
    **dict.fromkeys(SERVER_RESULTS, SERVER_RESULT),
}
MESSAGE = record(
    {"role": one_of("user", "assistant", "system"), "content": either(text=text(), items=items(tagged(BLOCKS)))}
)

OWN_TOOL = record(
    {"name": TOOL_NAME, "input_schema": mapping()},
    {
        **MARKED,
        "type": nullable(one_of("custom")),
        "description": text(),
        "strict": flag,
        "defer_loading": flag,
        "eager_input_streaming": nullable(flag),
        "input_examples": items(mapping()),
        "allowed_callers": items(text()),
    },
)
SERVER_TOOLS = ("web_search", "web_fetch", "code_execution", "bash", "text_editor", "memory", "computer", "tool_search")
SERVER_TOOLS_OF_TYPE = (*SERVER_TOOLS, "browser_toolset", "computer_toolset", "mcp_toolset", "advisor")


def tool(value: Any, path: Path, report: Report) -> None:
    """A tool: of one's own with a schema, or the vendor's, which is named by a dated type."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind is None or kind == "custom":
        OWN_TOOL(value, path, report)
    elif not isinstance(kind, str) or not kind.startswith(SERVER_TOOLS_OF_TYPE):
        report.refuse("shape.choice", (*path, "type"), f"{kind!r} is no type of a tool")


CHOICE = {"disable_parallel_tool_use": flag}
TOOL_CHOICE = tagged(
    {
        "auto": record({"type": anything}, CHOICE),
        "any": record({"type": anything}, CHOICE),
        "none": record({"type": anything}),
        "tool": record({"type": anything, "name": text(least=1)}, CHOICE),
    }
)
DISPLAY = {"display": nullable(one_of("summarized", "omitted"))}
THINKING = tagged(
    {
        "enabled": record(
            {"type": anything, "budget_tokens": number(1_024, whole=True, rule="thinking-budget")}, DISPLAY
        ),
        "adaptive": record({"type": anything}, DISPLAY),
        "disabled": record({"type": anything}),
        "between_tools": record({"type": anything}),
    }
)
OUTPUT = record(
    {},
    {
        "effort": nullable(one_of("low", "medium", "high", "xhigh", "max")),
        "format": nullable(record({"type": one_of("json_schema"), "schema": mapping()})),
        "task_budget": mapping(),
    },
)
COUNTED: dict[str, Check] = {
    "system": either(text=text(), items=items(tagged({"text": TEXT}))),
    "thinking": THINKING,
    "tools": items(tool),
    "tool_choice": TOOL_CHOICE,
    "cache_control": MARK,
    "output_config": OUTPUT,
    "context_management": nullable(mapping()),
    "mcp_servers": items(mapping()),
    "speed": nullable(one_of("standard", "fast")),
}
"""Fields that a request for a count of tokens takes too."""
NEEDED: dict[str, Check] = {"model": text(least=1, most=256), "messages": items(MESSAGE, least=1, most=100_000)}

COUNT_REQUEST = record(NEEDED, COUNTED)
REQUEST = record(
    {**NEEDED, "max_tokens": number(0, whole=True)},
    {
        **COUNTED,
        "stream": flag,
        "temperature": number(0, 1),
        "top_p": number(0, 1),
        "top_k": number(0, whole=True),
        "stop_sequences": items(text(), most=8_191),
        "metadata": record({}, {"user_id": nullable(text(most=256))}),
        "service_tier": one_of("auto", "standard_only"),
        "container": nullable(either(text=text(), record=mapping())),
        "diagnostics": nullable(mapping()),
        "inference_geo": nullable(text()),
    },
)
