"""Shape of a Chat Completions request, field by field, as the request types of OpenAI's SDK (3.54) say.

DeepSeek's and the compatible servers' requests have the same messages with a few fields more.
"""

from __future__ import annotations

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

NAME = text(least=1, most=64, pattern=r"[^\s<|\\/>]+")
FUNCTION_NAME = text(pattern=r"[a-zA-Z0-9_-]{1,64}", rule="tool-name")
CALL_ID = text(least=1, most=40)
"""A longer id is refused: "Expected a string with maximum length 40" (reports since 2025)."""
MARK: dict[str, Check] = {"prompt_cache_breakpoint": mapping()}

TEXT = record({"type": anything, "text": text()}, MARK)
REFUSAL = record({"type": anything, "refusal": text()})
PARTS: dict[str, Check] = {
    "text": TEXT,
    "image_url": record(
        {
            "type": anything,
            "image_url": record({"url": text(least=1)}, {"detail": one_of("auto", "low", "high", "original")}),
        },
        MARK,
    ),
    "input_audio": record(
        {"type": anything, "input_audio": record({"data": text(least=1), "format": one_of("wav", "mp3")})}, MARK
    ),
    "file": record(
        {
            "type": anything,
            "file": record({}, {"file_data": text(least=1), "file_id": text(least=1), "filename": text(least=1)}),
        },
        MARK,
    ),
}
MORE_PARTS: dict[str, Check] = {"video_url": mapping(), "audio_url": mapping()}
"""Parts that compatible servers take beyond OpenAI's."""


def _content(parts: dict[str, Check]) -> Check:
    return either(text=text(), items=items(tagged(parts, rule="part-role"), least=1))


CALL = tagged(
    {
        "function": record(
            {
                "id": CALL_ID,
                "type": anything,
                "function": record({"name": FUNCTION_NAME, "arguments": text()}),
            }
        ),
        "custom": record({"id": CALL_ID, "type": anything, "custom": record({"name": text(least=1), "input": text()})}),
    }
)


def _messages(roles: tuple[str, ...], parts: dict[str, Check], more: dict[str, Check]) -> Check:
    told = record({"role": anything, "content": _content({"text": TEXT})}, {"name": NAME})
    kinds: dict[str, Check] = {
        "system": told,
        "developer": told,
        "user": record({"role": anything, "content": _content(parts)}, {"name": NAME}),
        "assistant": record(
            {"role": anything},
            {
                "content": _content({"text": TEXT, "refusal": REFUSAL}),
                "name": NAME,
                "tool_calls": items(CALL, least=1),
                "refusal": text(),
                "audio": record({"id": text(least=1)}),
                "function_call": record({"name": FUNCTION_NAME, "arguments": text()}),
                **more,
            },
            takes_null=True,
        ),
        "tool": record({"role": anything, "content": _content({"text": TEXT}), "tool_call_id": CALL_ID}),
        "function": record({"role": anything, "content": anything, "name": FUNCTION_NAME}),
    }
    return items(tagged({role: kinds[role] for role in roles}, tag="role"), least=1)


FUNCTION = record(
    {"name": FUNCTION_NAME}, {"description": text(), "parameters": mapping(), "strict": flag}, takes_null=True
)
TOOL = tagged(
    {
        "function": record({"type": anything, "function": FUNCTION}),
        "custom": record({"type": anything, "custom": mapping()}),
    }
)
TOOL_CHOICE = either(
    text=one_of("none", "auto", "required"),
    record=tagged(
        {
            "function": record({"type": anything, "function": record({"name": text(least=1)})}),
            "custom": record({"type": anything, "custom": mapping()}),
            "allowed_tools": record({"type": anything, "allowed_tools": mapping()}),
        }
    ),
)
JSON_SCHEMA = record(
    {"name": text(pattern=r"[a-zA-Z0-9_-]{1,64}")},
    {"schema": mapping(), "strict": flag, "description": text()},
    takes_null=True,
)
RESPONSE_FORMAT = tagged(
    {
        "text": record({"type": anything}),
        "json_object": record({"type": anything}),
        "json_schema": record({"type": anything, "json_schema": JSON_SCHEMA}),
    }
)
SAMPLING: dict[str, Check] = {
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "frequency_penalty": number(-2, 2),
    "presence_penalty": number(-2, 2),
    "logprobs": flag,
    "top_logprobs": number(0, 20, whole=True),
    "max_tokens": number(1, whole=True),
    "stop": either(text=text(), items=items(text())),
    "stream": flag,
    "stream_options": record({}, {"include_usage": flag, "include_obfuscation": flag}),
    "response_format": RESPONSE_FORMAT,
    "tools": items(TOOL, least=1, most=128),
    "tool_choice": TOOL_CHOICE,
}
METADATA = mapping(text(most=512), most=16)
ONLY_OPENAI: dict[str, Check] = {
    "audio": mapping(),
    "function_call": anything,
    "functions": items(mapping(), least=1),
    "logit_bias": mapping(number(-100, 100)),
    "max_completion_tokens": number(1, whole=True),
    "metadata": METADATA,
    "modalities": items(one_of("text", "audio"), least=1),
    "moderation": mapping(),
    "n": number(1, 128, whole=True),
    "parallel_tool_calls": flag,
    "prediction": mapping(),
    "prompt_cache_key": text(),
    "prompt_cache_options": mapping(),
    "prompt_cache_retention": one_of("in_memory", "24h"),
    "reasoning_effort": one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    "safety_identifier": text(most=128),
    "seed": number(whole=True),
    "service_tier": one_of("auto", "default", "flex", "scale", "priority", "fast"),
    "store": flag,
    "user": text(),
    "verbosity": one_of("low", "medium", "high"),
    "web_search_options": mapping(),
}
THINKS: dict[str, Check] = {"reasoning_content": text(), "prefix": flag}

REQUEST = record(
    {
        "model": text(least=1),
        "messages": _messages(("system", "developer", "user", "assistant", "tool", "function"), PARTS, {}),
    },
    {**SAMPLING, **ONLY_OPENAI},
    takes_null=True,
)
COMPATIBLE = record(
    {
        "model": text(least=1),
        "messages": _messages(("system", "developer", "user", "assistant", "tool"), {**PARTS, **MORE_PARTS}, THINKS),
    },
    {**SAMPLING, **ONLY_OPENAI, "tools": items(TOOL, least=1)},
    takes_null=True,
    open_fields=True,
)
DEEPSEEK = record(
    {"model": text(least=1), "messages": _messages(("system", "user", "assistant", "tool"), {"text": TEXT}, THINKS)},
    {
        **SAMPLING,
        "thinking": tagged({kind: record({"type": anything}) for kind in ("enabled", "disabled")}),
        "reasoning_effort": one_of("minimal", "low", "medium", "high", "xhigh", "max"),
        "user_id": text(most=512),
    },
    takes_null=True,
)
