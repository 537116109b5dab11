"""Bodies that each vendor takes, with everything in them, and ways of breaking them: rule, place, change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from ctxlab.testing.fake_server import Vendor

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SIGNATURE = "c2lnbmVk"

ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4_096,
    "system": [{"type": "text", "text": "You are a guide.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "tools": [{"name": "weather", "description": "The weather.", "input_schema": SCHEMA}],
    "tool_choice": {"type": "auto"},
    "thinking": {"type": "enabled", "budget_tokens": 2_048},
    "stop_sequences": ["END"],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "天气怎么样？"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look it up.", "signature": SIGNATURE},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Paris"}},
                {"type": "tool_use", "id": "toolu_2", "name": "weather", "input": {"city": "上海"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "22"},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": [{"type": "text", "text": "31"}],
                    "cache_control": {"type": "ephemeral"},
                },
                {"type": "text", "text": "Well?"},
            ],
        },
    ],
}
CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "temperature": 0.5,
    "max_tokens": 500,
    "stop": ["END"],
    "logprobs": True,
    "top_logprobs": 3,
    "stream": True,
    "stream_options": {"include_usage": True},
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
    "tool_choice": {"type": "function", "function": {"name": "weather"}},
    "messages": [
        {"role": "system", "content": "You are a guide."},
        {
            "role": "user",
            "name": "Ann",
            "content": [
                {"type": "text", "text": "天气怎么样？"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
                {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PNG}", "filename": "a.pdf"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"call_{n}",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Paris"}'},
                }
                for n in (1, 2)
            ],
        },
        {"role": "tool", "tool_call_id": "call_2", "content": "31"},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "22"}]},
        {"role": "user", "content": "Well?"},
    ],
}
DEEPSEEK: dict[str, Any] = {
    "model": "deepseek-v4-pro",
    "max_tokens": 500,
    "thinking": {"type": "enabled"},
    "reasoning_effort": "high",
    "tools": CHAT["tools"],
    "messages": [
        {"role": "system", "content": "You are a guide."},
        {"role": "user", "content": "天气怎么样？"},
        {**CHAT["messages"][2], "reasoning_content": "Look it up."},
        *CHAT["messages"][3:],
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "gpt-5",
    "instructions": "You are a guide.",
    "max_output_tokens": 500,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "reasoning": {"effort": "low", "summary": "auto"},
    "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}],
    "tool_choice": "auto",
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "天气怎么样？"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
                {"type": "input_file", "file_data": f"data:application/pdf;base64,{PNG}", "filename": "a.pdf"},
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNATURE},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city":"Paris"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "22"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "22 degrees.", "annotations": []}],
        },
        {"role": "user", "content": "And tomorrow?"},
    ],
}
GEMINI: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "You are a guide."}]},
    "tools": [{"functionDeclarations": [{"name": "weather", "parameters": SCHEMA}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "generationConfig": {"temperature": 1, "maxOutputTokens": 500, "thinkingConfig": {"thinkingBudget": 1_024}},
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "天气怎么样？"},
                {"inlineData": {"mimeType": "image/png", "data": PNG}},
                {"fileData": {"fileUri": "https://example.org/a.pdf", "mimeType": "application/pdf"}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": "Look it up.", "thought": True},
                {
                    "functionCall": {"id": "1", "name": "weather", "args": {"city": "Paris"}},
                    "thoughtSignature": SIGNATURE,
                },
                {"functionCall": {"id": "2", "name": "weather", "args": {"city": "上海"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": n, "name": "weather", "response": {"degrees": 22}}} for n in ("1", "2")
            ],
        },
        {"role": "model", "parts": [{"text": "22 degrees."}]},
        {"role": "user", "parts": [{"text": "And tomorrow?"}]},
    ],
}
MODELS = {"gemini": "gemini-2.5-flash"}
BODIES: dict[Vendor, dict[str, Any]] = {
    "anthropic": ANTHROPIC,
    "openai": CHAT,
    "openai-compatible": CHAT,
    "openai-responses": RESPONSES,
    "gemini": GEMINI,
    "deepseek": DEEPSEEK,
}


class Break(NamedTuple):
    """A way of breaking a vendor's body: what is changed, the rule that refuses it, and the place that it names."""

    vendor: Vendor
    rule: str
    place: str
    change: Callable[[dict[str, Any]], None]
    model: str = ""
    version: str = "2026-10-21"

    def body(self) -> dict[str, Any]:
        body = copy.deepcopy(BODIES[self.vendor])
        if self.model and self.vendor != "gemini":
            body["model"] = self.model
        self.change(body)
        return body


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        at: Any = body
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


def add(*path: str | int, value: Any, at: int | None = None) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        place: Any = body
        for step in path:
            place = place[step]
        place.insert(len(place) if at is None else at, value)

    return change


def drop(*path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        place: Any = body
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return change


def both(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        for one in changes:
            one(body)

    return change
