"""Ways of breaking a body of Chat Completions (OpenAI, DeepSeek, compatible), one at least for every rule."""

from __future__ import annotations

from typing import Any

from tests.testing.breaks.shape import of_shape
from tests.testing.vendor_bodies import PNG, Break, add, both, drop, put

USER = {"role": "user", "content": "x"}


def of_chat(vendor: Any) -> list[Break]:
    """What breaks Chat Completions of any kind; the first call is in the third message, its answers follow."""
    call = ("messages", 2, "tool_calls", 0)
    place = "messages[2].tool_calls[0]"
    return [
        Break(vendor, "shape.missing", "model", drop("model")),
        Break(vendor, "shape.range", "temperature", put("temperature", value=2.1)),
        Break(vendor, "shape.length", "messages[2].tool_calls[0].id", put(*call, "id", value="x" * 41)),
        Break(vendor, "tool-orphan", "messages[3].tool_call_id", put("messages", 3, "tool_call_id", value="call_9")),
        Break(vendor, "tool-unanswered", place, drop("messages", 4)),
        Break(vendor, "tool-unanswered", place, add("messages", at=3, value=USER)),
        Break(
            vendor,
            "tool-id-repeated",
            "messages[2].tool_calls[1].id",
            put("messages", 2, "tool_calls", 1, "id", value="call_1"),
        ),
        Break(
            vendor, "tool-id-repeated", "messages[4].tool_call_id", put("messages", 4, "tool_call_id", value="call_2")
        ),
        Break(
            vendor, "tool-arguments", f"{place}.function.arguments", put(*call, "function", "arguments", value='{"a')
        ),
        Break(vendor, "tool-name", "tools[0].function.name", put("tools", 0, "function", "name", value="a b")),
        Break(
            vendor,
            "tool-schema",
            "tools[0].function.parameters.type",
            put("tools", 0, "function", "parameters", value={"type": "string"}),
        ),
        Break(
            vendor,
            "tool-choice",
            "tool_choice.function.name",
            put("tool_choice", value={"type": "function", "function": {"name": "clock"}}),
        ),
        Break(vendor, "tool-choice", "tool_choice", both(put("tool_choice", value="auto"), drop("tools"))),
        Break(
            vendor,
            "assistant-empty",
            "messages[2].content",
            both(drop("messages", 4), drop("messages", 3), put("messages", 2, value={"role": "assistant"})),
        ),
        Break(
            vendor,
            "stream-options",
            "stream_options",
            both(put("stream_options", value={"include_usage": True}), put("stream", value=False)),
        ),
        Break(vendor, "logprobs", "top_logprobs", both(put("top_logprobs", value=3), put("logprobs", value=False))),
    ]


def of_strict_chat(vendor: Any) -> list[Break]:
    function = ("tools", 0, "function")
    open_schema = {"type": "object", "additionalProperties": False, "properties": {"a": {"type": ["object", "null"]}}}
    return [
        Break(vendor, "json-word", "messages", put("response_format", value={"type": "json_object"})),
        Break(
            vendor,
            "strict-schema",
            "tools[0].function.parameters.additionalProperties",
            put(*function, "strict", value=True),
        ),
        *(
            Break(
                vendor,
                "strict-schema",
                f"tools[0].function.parameters.{place}",
                both(put(*function, "strict", value=True), put(*function, "parameters", value=open_schema)),
            )
            for place in ("required", "properties.a.additionalProperties")
        ),
    ]


def of_chat_files(vendor: Any) -> list[Break]:
    image = ("messages", 1, "content", 1, "image_url", "url")
    place = "messages[1].content[1].image_url.url"
    return [
        Break(vendor, "base64", place, put(*image, value="data:image/png;base64,???")),
        Break(vendor, "url", place, put(*image, value="file:///etc/passwd")),
        Break(vendor, "url", place, put(*image, value=f"data:application/pdf;base64,{PNG}")),
        Break(
            vendor,
            "part-role",
            "messages[0].content[0].type",
            lambda body: body["messages"][0].update(content=[body["messages"][1]["content"][1]]),
        ),
    ]


OF_OPENAI = [
    *of_shape("openai", "messages", dots=False),
    *of_chat("openai"),
    *of_strict_chat("openai"),
    Break("openai", "audio", "audio", put("modalities", value=["text", "audio"])),
    Break("openai", "token", "logit_bias.abc", put("logit_bias", value={"abc": 1})),
    *of_chat_files("openai"),
    Break("openai", "shape.pattern", "messages[1].name", put("messages", 1, "name", value="Ann Lee")),
    Break("openai", "stop-count", "stop", put("stop", value=["a", "b", "c", "d", "e"])),
    Break("openai", "max-tokens-model", "max_tokens", drop("stop"), "gpt-5"),
    Break("openai", "max-tokens-both", "max_tokens", put("max_completion_tokens", value=5)),
    Break("openai", "reply-limit", "max_tokens", put("max_tokens", value=16_385)),
    Break("openai", "sampling-model", "temperature", drop("max_tokens"), "gpt-5"),
    Break("openai", "stop-model", "stop", drop("max_tokens"), "o3"),
    Break("openai", "effort-model", "reasoning_effort", put("reasoning_effort", value="low")),
    Break("openai", "pictures-model", "messages[1].content[1]", put("max_tokens", value=50), "gpt-3.5-turbo"),
    Break(
        "openai",
        "sound-model",
        "messages[1].content[1]",
        put(
            "messages", 1, "content", 1, value={"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
        ),
    ),
    Break(
        "openai",
        "base64",
        "messages[1].content[1].input_audio.data",
        put("messages", 1, "content", 1, value={"type": "input_audio", "input_audio": {"data": "?", "format": "wav"}}),
        "gpt-4o-audio-preview",
    ),
    Break(
        "openai",
        "picture-count",
        "messages",
        lambda body: body["messages"][1]["content"].extend([body["messages"][1]["content"][1]] * 1_500),
    ),
    Break(
        "openai", "file", "messages[1].content[2].file.filename", drop("messages", 1, "content", 2, "file", "filename")
    ),
    Break("openai", "file", "messages[1].content[2].file", put("messages", 1, "content", 2, "file", value={})),
]
OF_COMPATIBLE = [
    *of_shape("openai-compatible", "messages", dots=False)[1:],
    *of_chat("openai-compatible"),
    *of_chat_files("openai-compatible"),
    Break("openai-compatible", "shape.pattern", "messages[1].name", put("messages", 1, "name", value="Ann Lee")),
]
OF_DEEPSEEK = [
    *of_shape("deepseek", "messages", dots=False),
    *of_chat("deepseek"),
    *of_strict_chat("deepseek"),
    Break(
        "deepseek", "tool-name-repeated", "tools[0].function.name", lambda body: body["tools"].append(body["tools"][0])
    ),
    Break("deepseek", "shape.choice", "messages[0].role", put("messages", 0, "role", value="developer")),
    Break(
        "deepseek",
        "part-role",
        "messages[1].content[0].type",
        put("messages", 1, "content", value=[{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]),
    ),
    Break("deepseek", "shape.pattern", "messages[1].name", put("messages", 1, "name", value="Ann Lee")),
    Break("deepseek", "stop-count", "stop", put("stop", value=["x"] * 17)),
    Break("deepseek", "prefix-last", "messages[2].prefix", put("messages", 2, "prefix", value=True)),
    Break(
        "deepseek",
        "prefix-beta",
        "messages[6].prefix",
        add("messages", value={"role": "assistant", "content": "Well", "prefix": True}),
    ),
    Break(
        "deepseek", "prefill-unmarked", "messages[6]", add("messages", value={"role": "assistant", "content": "Well"})
    ),
    Break("deepseek", "reasoning-missing", "messages[2].reasoning_content", drop("messages", 2, "reasoning_content")),
]
