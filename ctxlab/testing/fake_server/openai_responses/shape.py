"""Shape of a Responses request, field by field, as the request types of OpenAI's SDK (3.54) say."""

from __future__ import annotations

from typing import Any

from ctxlab.testing.fake_server.openai_chat.shape import FUNCTION_NAME, METADATA
from ctxlab.testing.fake_server.refusal import Path, Report
from ctxlab.testing.fake_server.shapes import (
    Check,
    anything,
    either,
    flag,
    items,
    mapping,
    number,
    one_of,
    record,
    tagged,
    text,
)

ID = text(least=1, most=64)
STATUS = one_of("in_progress", "completed", "incomplete")
MARK: dict[str, Check] = {"prompt_cache_breakpoint": mapping()}
SHARED: dict[str, Check] = {"id": ID, "status": STATUS}

INPUT_TEXT = record({"type": anything, "text": text()}, MARK)
INPUT_PARTS: dict[str, Check] = {
    "input_text": INPUT_TEXT,
    "input_image": record(
        {"type": anything},
        {
            "image_url": text(least=1),
            "file_id": text(least=1),
            "detail": one_of("auto", "low", "high", "original"),
            **MARK,
        },
        takes_null=True,
    ),
    "input_file": record(
        {"type": anything},
        {
            "file_data": text(least=1),
            "file_url": text(least=1),
            "file_id": text(least=1),
            "filename": text(least=1),
            "detail": one_of("auto", "low", "high"),
            **MARK,
        },
        takes_null=True,
    ),
    "input_audio": mapping(),
}
OUTPUT_PARTS: dict[str, Check] = {
    "output_text": record({"type": anything, "text": text()}, {"annotations": items(mapping()), "logprobs": anything}),
    "refusal": record({"type": anything, "refusal": text()}),
}
ASKED = either(text=text(), items=items(tagged(INPUT_PARTS, rule="part-role"), least=1))
ANSWERED = either(text=text(), items=items(tagged(OUTPUT_PARTS, rule="part-role")))
MESSAGE = tagged(
    {
        **dict.fromkeys(
            ("user", "system", "developer"), record({"role": anything, "content": ASKED}, {"type": anything, **SHARED})
        ),
        "assistant": record(
            {"role": anything, "content": ANSWERED},
            {"type": anything, "phase": one_of("commentary", "final_answer"), **SHARED},
            takes_null=True,
        ),
    },
    tag="role",
)
CALL_OUTPUT = record(
    {
        "type": anything,
        "call_id": ID,
        "output": either(text=text(), items=items(tagged(INPUT_PARTS, rule="part-role"))),
    },
    {**SHARED, "caller": mapping(), "name": text(), "namespace": text()},
    takes_null=True,
)
ITEMS: dict[str, Check] = {
    "message": MESSAGE,
    "reasoning": record(
        {"type": anything, "summary": items(record({"type": one_of("summary_text"), "text": text()}))},
        {**SHARED, "content": items(mapping()), "encrypted_content": text()},
        takes_null=True,
    ),
    "function_call": record(
        {"type": anything, "call_id": ID, "name": FUNCTION_NAME, "arguments": text()},
        {**SHARED, "caller": mapping(), "namespace": text()},
        takes_null=True,
    ),
    "function_call_output": CALL_OUTPUT,
    "custom_tool_call": record(
        {"type": anything, "call_id": ID, "name": text(least=1), "input": text()},
        {**SHARED, "caller": mapping(), "namespace": text()},
        takes_null=True,
    ),
    "custom_tool_call_output": CALL_OUTPUT,
    "item_reference": record({"id": ID}, {"type": anything}),
    "compaction": record({"type": anything, "encrypted_content": text(least=1)}, SHARED, takes_null=True),
    **dict.fromkeys(
        (
            "file_search_call",
            "computer_call",
            "computer_call_output",
            "web_search_call",
            "tool_search_call",
            "tool_search_output",
            "additional_tools",
            "image_generation_call",
            "code_interpreter_call",
            "local_shell_call",
            "local_shell_call_output",
            "shell_call",
            "shell_call_output",
            "apply_patch_call",
            "apply_patch_call_output",
            "mcp_list_tools",
            "mcp_approval_request",
            "mcp_approval_response",
            "mcp_call",
            "compaction_trigger",
            "program",
            "program_output",
        ),
        mapping(),
    ),
}


def item(value: Any, path: Path, report: Report) -> None:
    """An item of the input; one without a type is a message, or refers to an item by its id alone."""
    bare = isinstance(value, dict) and "role" not in value and "id" in value
    tagged(ITEMS, default="item_reference" if bare else "message")(value, path, report)


OWN_TOOLS: dict[str, Check] = {
    "function": record(
        {"type": anything, "name": FUNCTION_NAME},
        {
            "parameters": mapping(),
            "strict": flag,
            "description": text(),
            "defer_loading": flag,
            "output_schema": anything,
            "allowed_callers": anything,
        },
        takes_null=True,
    ),
}
VENDORS_TOOLS = (
    "custom",
    "file_search",
    "web_search",
    "web_search_preview",
    "computer",
    "computer_use_preview",
    "code_interpreter",
    "image_generation",
    "local_shell",
    "shell",
    "mcp",
    "apply_patch",
    "namespace",
    "tool_search",
    "programmatic_tool_calling",
)
TOOL = tagged({**OWN_TOOLS, **dict.fromkeys(VENDORS_TOOLS, mapping())})
TOOL_CHOICE = either(text=one_of("none", "auto", "required"), record=mapping())
FORMAT = tagged(
    {
        "text": record({"type": anything}),
        "json_object": record({"type": anything}),
        "json_schema": record(
            {"type": anything, "name": text(pattern=r"[a-zA-Z0-9_-]{1,64}"), "schema": mapping()},
            {"strict": flag, "description": text()},
            takes_null=True,
        ),
    }
)
INCLUDE = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
REASONING = record(
    {},
    {
        "effort": one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
        "summary": one_of("auto", "concise", "detailed"),
        "generate_summary": one_of("auto", "concise", "detailed"),
        "context": one_of("auto", "current_turn", "all_turns"),
        "mode": text(),
    },
    takes_null=True,
)
REQUEST = record(
    {},
    {
        "model": text(least=1),
        "input": either(text=text(), items=items(item)),
        "instructions": text(),
        "max_output_tokens": number(16, whole=True),
        "max_tool_calls": number(1, whole=True),
        "temperature": number(0, 2),
        "top_p": number(0, 1),
        "top_logprobs": number(0, 20, whole=True),
        "stream": flag,
        "stream_options": record({}, {"include_obfuscation": flag}),
        "store": flag,
        "background": flag,
        "include": items(one_of(*INCLUDE)),
        "reasoning": REASONING,
        "text": record({}, {"format": FORMAT, "verbosity": one_of("low", "medium", "high")}, takes_null=True),
        "tools": items(TOOL, most=128),
        "tool_choice": TOOL_CHOICE,
        "parallel_tool_calls": flag,
        "previous_response_id": text(least=1),
        "conversation": either(text=text(least=1), record=record({"id": text(least=1)})),
        "truncation": one_of("auto", "disabled"),
        "metadata": METADATA,
        "user": text(),
        "safety_identifier": text(most=128),
        "prompt_cache_key": text(),
        "prompt_cache_options": mapping(),
        "prompt_cache_retention": one_of("in_memory", "24h"),
        "service_tier": one_of("auto", "default", "flex", "scale", "priority", "fast"),
        "prompt": mapping(),
        "context_management": items(mapping()),
        "moderation": mapping(),
        "access_programs": mapping(),
        "background_options": mapping(),
        "image": mapping(),
    },
    takes_null=True,
)
