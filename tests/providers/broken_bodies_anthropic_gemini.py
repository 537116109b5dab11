"""Ways of breaking a good body for Anthropic and Gemini by hand: where it is reported, and what mends it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ctxlab.providers import JsonPath

Body = dict[str, Any]
Change = Callable[[Body], Any]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


@dataclass(frozen=True)
class BrokenBody:
    """A way of breaking a body. `mend` does what the problem's sentence says; by default it takes the value out."""

    name: str
    vendor: str
    change: Change
    path: JsonPath
    rule: str
    mend: Change | None = None
    model: str = ""

    def body(self) -> Body:
        """The broken body."""
        body = good_body(self.vendor)
        self.change(body)
        return body

    def mended(self) -> Body:
        """The body as it is once its problem is mended as it says."""
        body = self.body()
        if self.mend is not None:
            self.mend(body)
            return body
        holder: Any = body
        for step in self.path[:-1]:
            holder = holder[step]
        del holder[self.path[-1]]
        return body


def good_body(vendor: str) -> Body:
    """A body that the vendor takes, with a bit of everything."""
    return copy.deepcopy(ANTHROPIC if vendor == "anthropic" else GEMINI)


ANTHROPIC: Body = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "Antworte kurz."}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "这是什么？"}, {"type": "image", "source": {}}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "it"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "一只猫"}]},
        {"role": "assistant", "content": "A cat."},
        {"role": "user", "content": "And now?"},
    ],
    "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {"at": {"type": "string"}}}}],
    "tool_choice": {"type": "auto"},
    "temperature": 0.5,
}
ANTHROPIC["messages"][0]["content"][1]["source"] = {"type": "base64", "media_type": "image/png", "data": PNG}

GEMINI: Body = {
    "systemInstruction": {"parts": [{"text": "Antworte kurz."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "这是什么？"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {"functionCall": {"name": "look", "args": {"at": "it"}}, "thoughtSignature": "c2ln"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": "一只猫"}}}]},
        {"role": "model", "parts": [{"text": "A cat."}]},
        {"role": "user", "parts": [{"text": "And now?"}]},
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}
            ]
        }
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {"temperature": 0.5},
}


def _put(*path: str | int, to: Any) -> Change:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        body[path[-1]] = to

    return change


def _drop(*path: str | int) -> Change:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        del body[path[-1]]

    return change


def _insert(*path: str | int, value: Any) -> Change:
    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        body.insert(path[-1], value)

    return change


def _all(*changes: Change) -> Change:
    def change(body: Body) -> None:
        for each in changes:
            each(body)

    return change


def _claude(
    name: str, change: Change, path: JsonPath, rule: str, mend: Change | None = None, model: str = ""
) -> BrokenBody:
    return BrokenBody(name, "anthropic", change, path, rule, mend, model)


def _gem(
    name: str, change: Change, path: JsonPath, rule: str, mend: Change | None = None, model: str = ""
) -> BrokenBody:
    return BrokenBody(name, "gemini", change, path, rule, mend, model or "gemini-2.5-pro")


M, C = "messages", "content"
_CALL = {"type": "tool_use", "id": "c2", "name": "look", "input": {}}
_BIG = {"type": "enabled", "budget_tokens": 2048}
_OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
_HOUR = {"type": "ephemeral", "ttl": "1h"}
_MARK = {"type": "ephemeral"}
_FIRST_TEXT = (M, 0, C, 0, "text")


def _mark_all(body: Body) -> None:
    body["tools"][0]["cache_control"] = _MARK
    body["system"][0]["cache_control"] = _MARK
    for block in body[M][1][C][1:]:
        block["cache_control"] = _MARK
    body[M][2][C][0]["cache_control"] = _MARK


ANTHROPIC_BODIES = (
    _claude("no model", _drop("model"), (), "missing-field", _put("model", to="claude-sonnet-4-5")),
    _claude("no reply limit", _drop("max_tokens"), (), "missing-field", _put("max_tokens", to=100)),
    _claude("reply limit as text", _put("max_tokens", to="9"), ("max_tokens",), "type", _put("max_tokens", to=9)),
    _claude("reply limit too high", _put("max_tokens", to=99_999), ("max_tokens",), "reply-limit",
            _put("max_tokens", to=64_000)),
    _claude("a field of OpenAI's", _put("frequency_penalty", to=0.1), ("frequency_penalty",), "unknown-field"),
    _claude("temperature of 1.5", _put("temperature", to=1.5), ("temperature",), "range", _put("temperature", to=1)),
    _claude("two samplers", _put("top_p", to=0.9), ("top_p",), "not-both"),
    _claude("no messages", _put(M, to=[]), (M,), "empty-value", _put(M, to=[{"role": "user", C: "hi"}])),
    _claude("a role of OpenAI's", _put(M, 4, "role", to="tool"), (M, 4, "role"), "choice",
            _put(M, 4, "role", to="user")),
    _claude("an empty text", _put(*_FIRST_TEXT, to=""), _FIRST_TEXT, "blank-text", _drop(M, 0, C, 0)),
    _claude("a blank message", _put(M, 4, C, to=" \n"), (M, 4, C), "blank-text", _drop(M, 4)),
    _claude("a blank system prompt", _put("system", 0, "text", to="　"), ("system", 0, "text"), "blank-text",
            _drop("system")),
    _claude("an empty message", _put(M, 3, C, to=[]), (M, 3, C), "empty-message", _drop(M, 3)),
    _claude("a part of OpenAI's", _put(M, 0, C, 1, "type", to="image_url"), (M, 0, C, 1, "type"), "choice",
            _put(M, 0, C, 1, "type", to="image")),
    _claude("a picture of the model", _put(M, 3, C, to=[ANTHROPIC[M][0][C][1]]), (M, 3, C, 0), "block-role",
            _put(M, 3, C, to="A cat.")),
    _claude("thoughts of the user", _put(
        M, 4, C, to=[{"type": "thinking", "thinking": "x", "signature": "y"}, {"type": "text", "text": "z"}]),
        (M, 4, C, 0), "block-role"),
    _claude("a call without a result", _drop(M, 2), (M, 1, C, 2), "tool-pair"),
    _claude("a result without a call", _drop(M, 1, C, 2), (M, 2, C, 0), "tool-pair", _drop(M, 2)),
    _claude("a result twice", _insert(M, 2, C, 1, value=ANTHROPIC[M][2][C][0]), (M, 2, C, 1), "tool-pair"),
    _claude("words before a result", _insert(M, 2, C, 0, value={"type": "text", "text": "look"}), (M, 2, C, 1),
            "results-first", lambda body: body[M][2][C].reverse()),
    _claude("words after a call", _insert(M, 1, C, 3, value={"type": "text", "text": "now"}), (M, 1, C, 3),
            "text-after-call"),
    _claude("one id twice", _all(_put(M, 3, C, to=[{**_CALL, "id": "c1"}]), _insert(M, 4, value={
        "role": "user", C: [{"type": "tool_result", "tool_use_id": "c1"}]})), (M, 3, C, 0, "id"), "repeated-id",
        _all(_put(M, 3, C, 0, "id", to="c9"), _put(M, 4, C, 0, "tool_use_id", to="c9"))),
    _claude("an id with a dot", _all(_put(M, 1, C, 2, "id", to="a.b"), _put(M, 2, C, 0, "tool_use_id", to="a.b")),
            (M, 1, C, 2, "id"), "call-id",
            _all(_put(M, 1, C, 2, "id", to="a_b"), _put(M, 2, C, 0, "tool_use_id", to="a_b"))),
    _claude("arguments as text", _put(M, 1, C, 2, "input", to="{}"), (M, 1, C, 2, "input"), "type",
            _put(M, 1, C, 2, "input", to={})),
    _claude("an empty signature", _put(M, 1, C, 0, "signature", to=""), (M, 1, C, 0, "signature"), "signature",
            _drop(M, 1, C, 0)),
    _claude("thoughts at the end", _put(M, 3, C, to=[{"type": "thinking", "thinking": "x", "signature": "y"}]),
            (M, 3, C, 0), "thoughts-last", _drop(M, 3)),
    _claude("white space at the end", _put(M, 4, to={"role": "assistant", C: "Now \n"}), (M, 4, C), "trailing-space",
            _put(M, 4, C, to="Now")),
    _claude("a beginning for a model that takes none", _put(M, 4, "role", to="assistant"), (M, 3), "prefill-model",
            _put(M, 4, "role", to="user"), "claude-opus-4-6"),
    _claude("a beginning while thinking", _all(_put(M, 4, "role", to="assistant"), _put("thinking", to=_BIG),
                                               _drop("temperature")), (M, 3), "prefill-thinking",
            _put(M, 4, "role", to="user")),
    _claude("a small budget", _all(_put("thinking", to={**_BIG, "budget_tokens": 1000}), _drop("temperature")),
            ("thinking", "budget_tokens"), "range", _put("thinking", "budget_tokens", to=1024)),
    _claude("a budget above the reply", _all(_put("thinking", to={**_BIG, "budget_tokens": 4096}),
                                             _drop("temperature")),
            ("thinking", "budget_tokens"), "thinking-budget", _put("max_tokens", to=4097)),
    _claude("temperature while thinking", _put("thinking", to=_BIG), ("temperature",), "while-thinking",
            _put("temperature", to=1)),
    _claude("a forced call while thinking", _all(_put("thinking", to=_BIG), _drop("temperature"),
                                                 _put("tool_choice", to={"type": "any"})),
            ("tool_choice", "type"), "while-thinking", _put("tool_choice", "type", to="auto")),
    _claude("a budget for a model without", _all(_put("thinking", to=_BIG), _drop("temperature")),
            ("thinking", "type"), "thinking-kind", _put("thinking", to={"type": "adaptive"}), "claude-opus-4-8"),
    _claude("temperature for a model without", lambda body: None, ("temperature",), "model-parameter",
            model="claude-opus-4-8"),
    _claude("a system message inside", _insert(M, 3, value={"role": "system", C: "Be brief."}), (M, 3),
            "system-inside"),
    _claude("a system message at the head", _insert(M, 0, value={"role": "system", C: "x"}), (M, 0), "system-first",
            model="claude-opus-4-8"),
    _claude("a system message after the model", _insert(M, 4, value={"role": "system", C: "x"}), (M, 4),
            "system-place", model="claude-opus-4-8"),
    _claude("base64 that is cut off", _put(M, 0, C, 1, "source", "data", to=PNG[:-1]), (M, 0, C, 1, "source", "data"),
            "base64", _put(M, 0, C, 1, "source", "data", to=PNG)),
    _claude("another type of picture", _put(M, 0, C, 1, "source", "media_type", to="image/jpeg"),
            (M, 0, C, 1, "source", "data"), "media-type", _put(M, 0, C, 1, "source", "media_type", to="image/png")),
    _claude("a picture on one machine", _put(M, 0, C, 1, "source", to={"type": "url", "url": "file:///a.png"}),
            (M, 0, C, 1, "source", "url"), "url-scheme", _put(M, 0, C, 1, "source", "url", to="https://a.org/a.png")),
    _claude("a tool with a blank in its name", _put("tools", 0, "name", to="look at"), ("tools", 0, "name"),
            "tool-name", _put("tools", 0, "name", to="look_at")),
    _claude("two tools of one name", lambda body: body["tools"].append(body["tools"][0]), ("tools", 1, "name"),
            "tool-name", _put("tools", 1, to={**ANTHROPIC["tools"][0], "name": "other"})),
    _claude("a tool in OpenAI's form", _put("tools", 0, to={"type": "function", "function": {"name": "look"}}),
            ("tools", 0, "type"), "tool-type", _put("tools", 0, to=ANTHROPIC["tools"][0])),
    _claude("a choice at the top of a schema", _put("tools", 0, "input_schema", "anyOf", to=[]),
            ("tools", 0, "input_schema", "anyOf"), "tool-schema"),
    _claude("a choice of no tool", _put("tool_choice", to={"type": "tool", "name": "loook"}), ("tool_choice", "name"),
            "tool-choice", _put("tool_choice", "name", to="look")),
    _claude("a choice without tools", _drop("tools"), ("tool_choice",), "tool-choice"),
    _claude("a blank stop sequence", _put("stop_sequences", to=["\n"]), ("stop_sequences", 0), "blank-stop"),
    _claude("five cache marks", _mark_all, (M, 2, C, 0, "cache_control"), "cache-marks"),
    _claude("an hour after five minutes", _all(_put("system", 0, "cache_control", to=_MARK),
                                               _put(M, 0, C, 0, "cache_control", to=_HOUR)),
            (M, 0, C, 0, "cache_control"), "cache-order", _put(M, 0, C, 0, "cache_control", "ttl", to="5m")),
    _claude("a mark on thoughts", _put(M, 1, C, 0, "cache_control", to=_MARK), (M, 1, C, 0, "cache_control"),
            "unknown-field"),
    _claude("a schema that is open", _put("output_config", to={"format": {"type": "json_schema", "schema": _OBJECT}}),
            ("output_config", "format", "schema"), "output-schema",
            _put("output_config", "format", "schema", to={**_OBJECT, "additionalProperties": False})),
    _claude("half a character", _put(M, 4, C, to="\ud83d"), (M, 4, C), "unwritable", _put(M, 4, C, to="?")),
)  # fmt: skip

K, P = "contents", "parts"
_CONFIG = "generationConfig"
_DECLARED = ("tools", 0, "functionDeclarations", 0)
_CALLING = ("toolConfig", "functionCallingConfig")

GEMINI_BODIES = (
    _gem("no contents", _drop(K), (), "missing-field", _put(K, to=[{"role": "user", P: [{"text": "hi"}]}])),
    _gem("empty contents", _put(K, to=[]), (K,), "empty-value", _put(K, to=[{"role": "user", P: [{"text": "hi"}]}])),
    _gem("a role of OpenAI's", _put(K, 3, "role", to="assistant"), (K, 3, "role"), "choice",
         _put(K, 3, "role", to="model")),
    _gem("no parts", _put(K, 3, P, to=[]), (K, 3, P), "empty-value", _drop(K, 3)),
    _gem("an empty part", _put(K, 4, P, 0, to={}), (K, 4, P, 0), "empty-part", _drop(K, 4)),
    _gem("an empty text", _put(K, 0, P, 0, "text", to=""), (K, 0, P, 0, "text"), "empty-part", _drop(K, 0, P, 0)),
    _gem("two things in a part", _put(K, 0, P, 1, "text", to="x"), (K, 0, P, 1), "part-data",
         _drop(K, 0, P, 1, "text")),
    _gem("a message in OpenAI's form", _put(K, 4, "content", to="x"), (K, 4, "content"), "unknown-field"),
    _gem("text that is no text", _put(K, 4, P, 0, "text", to=5), (K, 4, P, 0, "text"), "type",
         _put(K, 4, P, 0, "text", to="5")),
    _gem("a call without a response", _drop(K, 2), (K, 1, P, 1), "response-count", _drop(K, 1, P, 1)),
    _gem("a response without a call", _drop(K, 1, P, 1), (K, 2, P, 0), "response-place", _drop(K, 2)),
    _gem("two responses for a call", _insert(K, 2, P, 1, value=GEMINI[K][2][P][0]), (K, 2, P, 1), "response-count"),
    _gem("a response with the call's id for a name", _put(K, 2, P, 0, "functionResponse", "name", to="call_1"),
         (K, 2, P, 0, "functionResponse", "name"), "response-name",
         _put(K, 2, P, 0, "functionResponse", "name", to="look")),
    _gem("a response that is a text", _put(K, 2, P, 0, "functionResponse", "response", to="x"),
         (K, 2, P, 0, "functionResponse", "response"), "type",
         _put(K, 2, P, 0, "functionResponse", "response", to={"output": "x"})),
    _gem("arguments as text", _put(K, 1, P, 1, "functionCall", "args", to="{}"), (K, 1, P, 1, "functionCall", "args"),
         "type", _put(K, 1, P, 1, "functionCall", "args", to={})),
    _gem("a call at the head", _drop(K, 0), (K, 0, P, 1), "call-place",
         _insert(K, 0, value={"role": "user", P: [{"text": "hi"}]})),
    _gem("a call of the user", _put(K, 1, "role", to="user"), (K, 1, P, 1), "part-role",
         _put(K, 1, "role", to="model")),
    _gem("a call without its signature", _all(_drop(K, 1, P, 1, "thoughtSignature"), lambda body: body[K].pop(),
                                              lambda body: body[K].pop()),
         (K, 1, P, 1), "missing-signature",
         _put(K, 1, P, 1, "thoughtSignature", to="skip_thought_signature_validator"), "gemini-3-pro-preview"),
    _gem("an empty signature", _put(K, 1, P, 1, "thoughtSignature", to=""), (K, 1, P, 1, "thoughtSignature"),
         "signature"),
    _gem("base64 that is cut off", _put(K, 0, P, 1, "inlineData", "data", to=PNG[:-1]),
         (K, 0, P, 1, "inlineData", "data"), "base64", _put(K, 0, P, 1, "inlineData", "data", to=PNG)),
    _gem("a data URL", _put(K, 0, P, 1, "inlineData", "data", to=f"data:image/png;base64,{PNG}"),
         (K, 0, P, 1, "inlineData", "data"), "base64", _put(K, 0, P, 1, "inlineData", "data", to=PNG)),
    _gem("a file on one machine", _put(K, 0, P, 1, to={"fileData": {"fileUri": "/tmp/a.png"}}),
         (K, 0, P, 1, "fileData", "fileUri"), "url-scheme",
         _put(K, 0, P, 1, "fileData", "fileUri", to="https://a.org/a.png")),
    _gem("a picture in the instruction", _put("systemInstruction", P, 0, to=GEMINI[K][0][P][1]),
         ("systemInstruction", P, 0), "part-role", _drop("systemInstruction")),
    _gem("six stop sequences", _put(_CONFIG, "stopSequences", to=list("abcdef")), (_CONFIG, "stopSequences"),
         "too-many", lambda body: body[_CONFIG]["stopSequences"].pop()),
    _gem("temperature of 3", _put(_CONFIG, "temperature", to=3), (_CONFIG, "temperature"), "range",
         _put(_CONFIG, "temperature", to=2)),
    _gem("a parameter outside", _put("temperature", to=1), ("temperature",), "unknown-field"),
    _gem("a reply limit of 0", _put(_CONFIG, "maxOutputTokens", to=0), (_CONFIG, "maxOutputTokens"), "range",
         _put(_CONFIG, "maxOutputTokens", to=1)),
    _gem("a reply limit too high", _put(_CONFIG, "maxOutputTokens", to=999_999), (_CONFIG, "maxOutputTokens"),
         "reply-limit", _put(_CONFIG, "maxOutputTokens", to=65_536)),
    _gem("a schema without JSON", _put(_CONFIG, "responseSchema", to=_OBJECT), (_CONFIG, "responseSchema"),
         "response-schema", _all(_put(_CONFIG, "responseMimeType", to="application/json"), _drop("tools"))),
    _gem("functions with a JSON reply", _put(_CONFIG, "responseMimeType", to="application/json"),
         (_CONFIG, "responseMimeType"), "tools-together"),
    _gem("a level and a budget", _put(_CONFIG, "thinkingConfig", to={"thinkingLevel": "low", "thinkingBudget": 500}),
         (_CONFIG, "thinkingConfig", "thinkingBudget"), "thinking-kind",
         _drop(_CONFIG, "thinkingConfig", "thinkingLevel")),
    _gem("a budget too small", _put(_CONFIG, "thinkingConfig", to={"thinkingBudget": 5}),
         (_CONFIG, "thinkingConfig", "thinkingBudget"), "range",
         _put(_CONFIG, "thinkingConfig", "thinkingBudget", to=128)),
    _gem("logprobs that nobody asked for", _put(_CONFIG, "logprobs", to=2), (_CONFIG, "logprobs"), "logprobs"),
    _gem("a field of JSON Schema", _put(*_DECLARED, "parameters", "additionalProperties", to=False),
         (*_DECLARED, "parameters", "additionalProperties"), "schema"),
    _gem("parameters without a type", _drop(*_DECLARED, "parameters", "type"), (*_DECLARED, "parameters", "type"),
         "schema", _put(*_DECLARED, "parameters", "type", to="object")),
    _gem("a name with a blank", _put(*_DECLARED, "name", to="look at"), (*_DECLARED, "name"), "function-name",
         _put(*_DECLARED, "name", to="look")),
    _gem("a tool in OpenAI's form", _put("tools", 0, to={"type": "function", "function": {"name": "look"}}),
         ("tools", 0, "type"), "unknown-field", _put("tools", to=GEMINI["tools"])),
    _gem("search with functions", lambda body: body["tools"].append({"googleSearch": {"a": 1}}),
         ("tools", 1, "googleSearch"), "tools-together"),
    _gem("names in the mode AUTO", _put(*_CALLING, "allowedFunctionNames", to=["look"]),
         (*_CALLING, "allowedFunctionNames"), "tool-choice"),
    _gem("a name of no function", _put(*_CALLING, to={"mode": "ANY", "allowedFunctionNames": ["loook"]}),
         (*_CALLING, "allowedFunctionNames", 0), "tool-choice",
         _put(*_CALLING, "allowedFunctionNames", 0, to="look")),
    _gem("a threshold that isn't one", _put("safetySettings", to=[{"category": "HARM_CATEGORY_HARASSMENT",
                                                                   "threshold": "NEVER"}]),
         ("safetySettings", 0, "threshold"), "choice", _put("safetySettings", 0, "threshold", to="OFF")),
    _gem("a category twice", _put("safetySettings", to=[{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"},
                                                        {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]),
         ("safetySettings", 1), "safety-twice"),
)  # fmt: skip

BROKEN = (*ANTHROPIC_BODIES, *GEMINI_BODIES)
