"""Ways of breaking a body of Anthropic's Messages API, one at least for every rule."""

from __future__ import annotations

from typing import Any

from tests.testing.breaks.shape import of_shape
from tests.testing.vendor_bodies import PNG, SCHEMA, Break, add, both, drop, put

OLD = "2023-06-01"
TEXT = {"type": "text", "text": "x"}
USER = {"role": "user", "content": "x"}


def _without_thinking(*more: Any) -> Any:
    return both(drop("thinking"), *more)


PREFILL = add("messages", value={"role": "assistant", "content": "Well"})
OF_ANTHROPIC = [
    *of_shape("anthropic", "messages", dots=True)[:1],
    Break("anthropic", "shape.length", "messages", put("messages", value=[])),
    Break("anthropic", "shape.type", "messages.0.content.0.text", put("messages", 0, "content", 0, "text", value=3)),
    Break("anthropic", "shape.missing", "max_tokens", drop("max_tokens")),
    Break(
        "anthropic", "shape.missing", "messages.1.content.0.signature", drop("messages", 1, "content", 0, "signature")
    ),
    Break("anthropic", "shape.choice", "messages.0.role", put("messages", 0, "role", value="tool")),
    Break(
        "anthropic",
        "shape.choice",
        "messages.0.content.0.type",
        put("messages", 0, "content", 0, "type", value="video"),
    ),
    Break(
        "anthropic", "shape.range", "temperature", both(drop("thinking"), put("temperature", value=1.5)), version=OLD
    ),
    Break("anthropic", "shape.pattern", "messages.1.content.2.id", put("messages", 1, "content", 2, "id", value="a b")),
    Break("anthropic", "shape.unknown", "messages.0.name", put("messages", 0, "name", value="Ann")),
    Break("anthropic", "reply-limit", "max_tokens", put("max_tokens", value=64_001)),
    Break("anthropic", "content-empty", "messages.0.content", put("messages", 0, "content", value="")),
    Break("anthropic", "text-empty", "messages.0.content.0.text", put("messages", 0, "content", 0, "text", value="")),
    Break("anthropic", "text-empty", "messages.0.content", put("messages", 0, "content", value=" \n")),
    Break(
        "anthropic",
        "block-role",
        "messages.1.content.1",
        put(
            "messages",
            1,
            "content",
            1,
            value={"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        ),
    ),
    Break(
        "anthropic",
        "block-role",
        "messages.1.content.1",
        put(
            "messages",
            1,
            "content",
            1,
            value={"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
        ),
    ),
    Break("anthropic", "system-model", "messages.3.role", add("messages", value={"role": "system", "content": "x"})),
    Break(
        "anthropic",
        "system-place",
        "messages.0",
        both(drop("thinking"), add("messages", at=0, value={"role": "system", "content": "x"})),
        "claude-opus-5",
    ),
    Break(
        "anthropic",
        "system-place",
        "messages.3",
        both(drop("thinking"), add("messages", value={"role": "system", "content": "x"}), add("messages", value=USER)),
        "claude-opus-5",
    ),
    Break("anthropic", "tool-unanswered", "messages.1.content.2", drop("messages", 2, "content", 0)),
    Break("anthropic", "tool-unanswered", "messages.1.content.2", _without_thinking(drop("messages", 2))),
    Break(
        "anthropic",
        "tool-orphan",
        "messages.0.content.0.tool_use_id",
        put("messages", 0, "content", value=[{"type": "tool_result", "tool_use_id": "toolu_9", "content": "x"}]),
    ),
    Break("anthropic", "tool-result-first", "messages.2.content.1", add("messages", 2, "content", at=0, value=TEXT)),
    Break("anthropic", "tool-use-last", "messages.1.content.4", add("messages", 1, "content", value=TEXT)),
    Break(
        "anthropic",
        "tool-id-repeated",
        "messages.1.content.3.id",
        both(put("messages", 1, "content", 3, "id", value="toolu_1"), drop("messages", 2, "content", 1)),
    ),
    Break(
        "anthropic",
        "tool-id-repeated",
        "messages.2.content.1.tool_use_id",
        add("messages", 2, "content", at=0, value={"type": "tool_result", "tool_use_id": "toolu_1"}),
    ),
    Break("anthropic", "tool-name", "tools.0.name", put("tools", 0, "name", value="天气")),
    Break(
        "anthropic",
        "tool-name-repeated",
        "tools.0.name",
        add("tools", value={"name": "weather", "input_schema": SCHEMA}),
    ),
    Break(
        "anthropic",
        "tool-schema",
        "tools.0.input_schema.type",
        put("tools", 0, "input_schema", value={"type": "string"}),
    ),
    Break(
        "anthropic",
        "tool-choice",
        "tool_choice.name",
        both(drop("thinking"), put("tool_choice", value={"type": "tool", "name": "clock"})),
    ),
    Break("anthropic", "tool-choice", "tool_choice", drop("tools")),
    Break("anthropic", "tool-choice-thinking", "tool_choice.type", put("tool_choice", value={"type": "any"})),
    Break("anthropic", "prefill-model", "messages.3", _without_thinking(PREFILL), "claude-opus-4-6"),
    Break(
        "anthropic",
        "prefill-space",
        "messages.3.content",
        _without_thinking(add("messages", value={"role": "assistant", "content": "Well: "})),
    ),
    Break("anthropic", "prefill-thinking", "messages.3", PREFILL),
    Break("anthropic", "thinking-model", "thinking.type", put("thinking", value={"type": "adaptive"})),
    Break(
        "anthropic", "thinking-model", "thinking.type", put("thinking", value={"type": "disabled"}), "claude-opus-5-5"
    ),
    Break("anthropic", "thinking-budget", "thinking.budget_tokens", put("thinking", "budget_tokens", value=1_023)),
    Break("anthropic", "thinking-budget", "thinking.budget_tokens", put("max_tokens", value=2_048)),
    Break("anthropic", "thinking-first", "messages.1.content.0.type", drop("messages", 1, "content", 0)),
    Break(
        "anthropic",
        "thinking-last",
        "messages.1.content.0",
        both(
            put("messages", 1, "content", value=[{"type": "thinking", "thinking": "x", "signature": "eA=="}]),
            put("messages", 2, "content", value="x"),
        ),
    ),
    Break(
        "anthropic",
        "signature",
        "messages.1.content.0.signature",
        put("messages", 1, "content", 0, "signature", value=""),
    ),
    Break("anthropic", "effort-model", "output_config.effort", put("output_config", value={"effort": "high"})),
    Break("anthropic", "sampling-version", "temperature", put("temperature", value=1)),
    Break(
        "anthropic",
        "citations-user",
        "messages.0.content.0.citations",
        put("messages", 0, "content", 0, "citations", value=[{"type": "char_location"}]),
    ),
    Break("anthropic", "sampling-thinking", "temperature", put("temperature", value=0.5), version=OLD),
    Break("anthropic", "sampling-thinking", "top_k", put("top_k", value=5), version=OLD),
    Break(
        "anthropic",
        "sampling-model",
        "temperature",
        _without_thinking(put("temperature", value=0.5)),
        "claude-opus-4-7",
        OLD,
    ),
    Break(
        "anthropic",
        "sampling-both",
        "top_p",
        _without_thinking(put("temperature", value=0.5), put("top_p", value=0.5)),
        version=OLD,
    ),
    Break("anthropic", "stop-blank", "stop_sequences.0", put("stop_sequences", 0, value="\n")),
    Break(
        "anthropic",
        "cache-marks",
        "messages.2.content.1.cache_control",
        both(*(put("messages", 0, "content", n, "cache_control", value={"type": "ephemeral"}) for n in range(3))),
    ),
    Break(
        "anthropic",
        "cache-order",
        "messages.2.content.1.cache_control.ttl",
        both(
            put("system", 0, "cache_control", value={"type": "ephemeral"}),
            put("messages", 2, "content", 1, "cache_control", value={"type": "ephemeral", "ttl": "1h"}),
        ),
    ),
    Break(
        "anthropic",
        "base64",
        "messages.0.content.1.source.data",
        put("messages", 0, "content", 1, "source", "data", value="?"),
    ),
    Break(
        "anthropic",
        "url",
        "messages.0.content.2.source.url",
        put("messages", 0, "content", 2, "source", "url", value="file:///etc/passwd"),
    ),
    Break(
        "anthropic",
        "picture-type",
        "messages.0.content.1.source.media_type",
        put("messages", 0, "content", 1, "source", "media_type", value="image/jpeg"),
    ),
    Break(
        "anthropic",
        "picture-size",
        "messages.0.content.1.source.data",
        put("messages", 0, "content", 1, "source", "data", value=PNG[:92] + "A" * 7_000_000),
    ),
    Break(
        "anthropic",
        "picture-count",
        "messages",
        lambda body: body["messages"][0]["content"].extend([body["messages"][0]["content"][1]] * 100),
    ),
]
