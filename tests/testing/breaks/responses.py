"""Ways of breaking a body of the Responses API, one at least for every rule."""

from __future__ import annotations

from tests.testing.breaks.shape import of_shape
from tests.testing.vendor_bodies import SCHEMA, Break, add, both, drop, put

OF_RESPONSES = [
    *of_shape("openai-responses", "input", dots=False),
    Break("openai-responses", "shape.length", "input[0].content", put("input", 0, "content", value=[])),
    Break("openai-responses", "shape.missing", "model", drop("model")),
    Break("openai-responses", "shape.missing", "input[1].summary", drop("input", 1, "summary")),
    Break("openai-responses", "shape.unknown", "messages", put("messages", value=[])),
    Break("openai-responses", "shape.range", "max_output_tokens", put("max_output_tokens", value=15)),
    Break(
        "openai-responses",
        "shape.pattern",
        "text.format.name",
        put("text", value={"format": {"type": "json_schema", "name": "a b", "schema": SCHEMA}}),
    ),
    Break(
        "openai-responses",
        "state-both",
        "previous_response_id",
        both(put("previous_response_id", value="resp_1"), put("conversation", value="conv_1")),
    ),
    Break(
        "openai-responses",
        "part-role",
        "input[4].content[0].type",
        put("input", 4, "content", value=[{"type": "input_text", "text": "x"}]),
    ),
    Break("openai-responses", "tool-orphan", "input[3].call_id", put("input", 3, "call_id", value="call_9")),
    Break("openai-responses", "tool-unanswered", "input[2]", drop("input", 3)),
    Break(
        "openai-responses",
        "tool-id-repeated",
        "input[4].call_id",
        add("input", at=4, value={"type": "function_call_output", "call_id": "call_1", "output": "x"}),
    ),
    Break("openai-responses", "tool-id-repeated", "input[6].id", lambda body: body["input"].append(body["input"][4])),
    Break("openai-responses", "tool-arguments", "input[2].arguments", put("input", 2, "arguments", value="[]")),
    Break("openai-responses", "tool-name", "tools[0].name", put("tools", 0, "name", value="")),
    Break(
        "openai-responses",
        "strict-schema",
        "tools[0].parameters.additionalProperties",
        put("tools", 0, "strict", value=True),
    ),
    Break(
        "openai-responses",
        "tool-schema",
        "tools[0].parameters.type",
        put("tools", 0, "parameters", value={"type": "string"}),
    ),
    Break(
        "openai-responses",
        "tool-choice",
        "tool_choice.name",
        put("tool_choice", value={"type": "function", "name": "clock"}),
    ),
    Break("openai-responses", "item-id", "input[2].id", put("input", 2, "id", value="call_1")),
    Break(
        "openai-responses", "reasoning-alone", "input[1]", both(drop("input", 3), drop("input", 2), drop("input", 2))
    ),
    Break("openai-responses", "reasoning-empty", "input[1]", drop("input", 1, "encrypted_content")),
    Break(
        "openai-responses", "signature", "input[1].encrypted_content", put("input", 1, "encrypted_content", value="")
    ),
    Break(
        "openai-responses",
        "base64",
        "input[0].content[1].image_url",
        put("input", 0, "content", 1, "image_url", value="data:image/png;base64,?"),
    ),
    Break(
        "openai-responses",
        "url",
        "input[0].content[1].image_url",
        put("input", 0, "content", 1, "image_url", value="ftp://a"),
    ),
    Break("openai-responses", "file", "input[0].content[2].filename", drop("input", 0, "content", 2, "filename")),
    Break(
        "openai-responses",
        "pictures-model",
        "input[0].content[1]",
        both(drop("reasoning"), drop("include")),
        "gpt-3.5-turbo",
    ),
    Break(
        "openai-responses",
        "picture-count",
        "input",
        lambda body: body["input"][0]["content"].extend([body["input"][0]["content"][1]] * 1_500),
    ),
    Break("openai-responses", "reply-limit", "max_output_tokens", put("max_output_tokens", value=128_001)),
    Break("openai-responses", "sampling-model", "temperature", put("temperature", value=0)),
    Break("openai-responses", "effort-model", "reasoning.effort", put("reasoning", value={"effort": "none"})),
    Break("openai-responses", "effort-model", "reasoning.effort", both(), "gpt-4.1"),
    Break(
        "openai-responses",
        "stream-options",
        "stream_options",
        put("stream_options", value={"include_obfuscation": True}),
    ),
    Break("openai-responses", "json-word", "input", put("text", value={"format": {"type": "json_object"}})),
]
