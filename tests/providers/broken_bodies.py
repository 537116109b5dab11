"""Ways of breaking a valid body by hand, with the place where each is broken."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ctxlab.providers.place import JsonPath

Body = dict[str, Any]

_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
_FUNCTION = {"name": "look_up", "description": "The weather of a city.", "parameters": _SCHEMA}
_CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"city": "上海"}'}}
_THOUGHTS = {"type": "reasoning", "id": "rs_1", "summary": []}
_PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

CHAT: Body = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "You know the weather."},
        {"role": "user", "content": [{"type": "text", "text": "看看这个"}, _PICTURE], "name": "李四"},
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "assistant", "content": "It is sunny."},
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [{"type": "function", "function": _FUNCTION}],
    "tool_choice": "auto",
    "temperature": 0.5,
}
RESPONSES: Body = {
    "model": "gpt-4o",
    "instructions": "You know the weather.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "看看这个"}]},
        {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"city": "上海"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        {"role": "assistant", "content": "It is sunny."},
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [{"type": "function", **_FUNCTION, "strict": False}],
    "tool_choice": "auto",
}
DEEPSEEK: Body = {
    "model": "deepseek-chat",
    "messages": [{"role": "user", "content": "Once upon"}, {"role": "assistant", "content": "a time", "prefix": True}],
}
VALID = {"openai": CHAT, "openai-responses": RESPONSES, "deepseek": DEEPSEEK}
PATHS = {"deepseek": "/beta/chat/completions"}
"""The path of the address of a valid body, where it isn't the usual one."""


@dataclass(frozen=True)
class Broken:
    """A body that `breaks` made of the vendor's valid one; `path` is the place at which it is refused.

    `server` is the place that the server names, where that is another one for the same fault; `server_takes` it, for it
    doesn't look into schemas.
    """

    name: str
    vendor: str
    breaks: Callable[[Body], None]
    path: JsonPath
    server: JsonPath | None = None
    server_takes: bool = False

    @property
    def body(self) -> Body:
        body = deepcopy(VALID[self.vendor])
        self.breaks(body)
        return body

    def __repr__(self) -> str:
        return f"{self.vendor}: {self.name}"


def put(*path: str | int, value: Any) -> Callable[[Body], None]:
    """Puts a value at a path."""

    def breaks(body: Body) -> None:
        holder: Any = body
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = deepcopy(value)

    return breaks


def cut(*path: str | int) -> Callable[[Body], None]:
    """Takes a value out."""

    def breaks(body: Body) -> None:
        holder: Any = body
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]

    return breaks


def swap(where: str, one: int, other: int) -> Callable[[Body], None]:
    """Exchanges two messages."""

    def breaks(body: Body) -> None:
        items = body[where]
        items[one], items[other] = items[other], items[one]

    return breaks


def at(name: str, vendor: str, *path: str | int, value: Any) -> Broken:
    """A wrong value, told at its own place."""
    return Broken(name, vendor, put(*path, value=value), path)


OF_CHAT = (
    Broken("no model", "openai", cut("model"), ("model",)),
    Broken("no messages", "openai", cut("messages"), ("messages",)),
    at("an empty array of messages", "openai", "messages", value=[]),
    at("messages as a text", "openai", "messages", value="hi"),
    at("an unknown field", "openai", "temprature", value=0.5),
    at("a field of another vendor", "openai", "top_k", value=40),
    at("a temperature beyond the range", "openai", "temperature", value=2.5),
    at("a temperature as a text", "openai", "temperature", value="0.5"),
    at("an unknown role", "openai", "messages", 0, "role", value="wizard"),
    Broken("no role", "openai", cut("messages", 5, "role"), ("messages", 5, "role")),
    at("a message as a text", "openai", "messages", 5, value="Thanks."),
    at("an unknown field of a message", "openai", "messages", 5, "speaker", value="Ann"),
    at("a content as a number", "openai", "messages", 5, "content", value=7),
    at("no content", "openai", "messages", 5, "content", value=None),
    at("an empty array of parts", "openai", "messages", 5, "content", value=[]),
    at("an unknown part", "openai", "messages", 1, "content", 1, "type", value="hologram"),
    Broken(
        "a picture of the assistant's",
        "openai",
        put("messages", 4, "content", value=[_PICTURE]),
        ("messages", 4, "content", 0, "type"),
    ),
    at("a picture without an address", "openai", "messages", 1, "content", 1, "image_url", "url", value="C:/a.png"),
    at(
        "a picture whose bytes are no base64",
        "openai",
        *("messages", 1, "content", 1, "image_url", "url"),
        value="data:image/png;base64,no!",
    ),
    at(
        "an unknown detail of a picture", "openai", *("messages", 1, "content", 1, "image_url", "detail"), value="ultra"
    ),
    at("a name of null", "openai", "messages", 1, "name", value=None),
    at("a name with a blank", "openai", "messages", 1, "name", value="Li Si"),
    Broken("a call without a result", "openai", cut("messages", 3), ("messages", 2, "tool_calls", 0)),
    Broken("a result without a call", "openai", cut("messages", 2), ("messages", 2, "tool_call_id")),
    at("a result of another call", "openai", "messages", 3, "tool_call_id", value="c2"),
    Broken("a result before its call", "openai", swap("messages", 2, 3), ("messages", 2, "tool_call_id")),
    Broken(
        "two calls with one id",
        "openai",
        put("messages", 2, "tool_calls", value=[_CALL, _CALL]),
        ("messages", 2, "tool_calls", 1, "id"),
    ),
    Broken(
        "a call without an id",
        "openai",
        cut("messages", 2, "tool_calls", 0, "id"),
        ("messages", 2, "tool_calls", 0, "id"),
    ),
    at("an id of a call that is too long", "openai", "messages", 2, "tool_calls", 0, "id", value="c" * 41),
    at("arguments as an object", "openai", *("messages", 2, "tool_calls", 0, "function", "arguments"), value={}),
    at("arguments that are no JSON", "openai", *("messages", 2, "tool_calls", 0, "function", "arguments"), value="{"),
    at("a called name with a dot", "openai", *("messages", 2, "tool_calls", 0, "function", "name"), value="a.b"),
    at("an empty array of calls", "openai", "messages", 4, "tool_calls", value=[]),
    at("a tool's name with a dot", "openai", "tools", 0, "function", "name", value="a.b"),
    at("parameters of type array", "openai", "tools", 0, "function", "parameters", "type", value="array"),
    at("a tool of an unknown type", "openai", "tools", 0, "type", value="magic"),
    at(
        "too many tools",
        "openai",
        "tools",
        value=[{"type": "function", "function": {"name": f"t{i}"}} for i in range(129)],
    ),
    Broken(
        "the choice of a tool that isn't there",
        "openai",
        put("tool_choice", value={"type": "function", "function": {"name": "now"}}),
        ("tool_choice", "function", "name"),
    ),
    Broken("a choice without tools", "openai", cut("tools"), ("tool_choice",)),
    at("five stops", "openai", "stop", value=["a", "b", "c", "d", "e"]),
    at("options of a stream without one", "openai", "stream_options", value={"include_usage": True}),
    at("top_logprobs alone", "openai", "top_logprobs", value=3),
    at("no replies", "openai", "n", value=0),
    at("an unknown effort", "openai", "reasoning_effort", value="enormous"),
    Broken(
        "an unknown form of an answer",
        "openai",
        put("response_format", value={"type": "xml"}),
        ("response_format", "type"),
    ),
    Broken(
        "an answer in JSON of which no message speaks",
        "openai",
        put("response_format", value={"type": "json_object"}),
        ("response_format",),
        server=("messages",),
    ),
    Broken(
        "a strict schema that leaves fields open",
        "openai",
        put("tools", 0, "function", "strict", value=True),
        ("tools", 0, "function", "parameters", "additionalProperties"),
    ),
    at("a note of metadata that is too long", "openai", "metadata", value={"a": "x" * 513}),
    at("a bias beyond the range", "openai", "logit_bias", value={"50256": -101}),
    at("a bias of a word", "openai", "logit_bias", value={"abc": 1}),
    Broken("sound without a voice", "openai", put("modalities", value=["text", "audio"]), ("audio",)),
    at("an effort of a model without one", "openai", "reasoning_effort", value="low"),
    Broken(
        "1,501 pictures",
        "openai",
        lambda body: body["messages"][1]["content"].extend([_PICTURE] * 1_500),
        ("messages",),
    ),
)
OF_RESPONSES = (
    Broken("no model", "openai-responses", cut("model"), ("model",)),
    Broken("no input", "openai-responses", cut("input"), ("input",)),
    at("an empty input", "openai-responses", "input", value=[]),
    at("messages instead of input", "openai-responses", "messages", value=[]),
    at("stops", "openai-responses", "stop", value=["a"]),
    at("a reply of 5 tokens", "openai-responses", "max_output_tokens", value=5),
    at("a role tool", "openai-responses", "input", 0, "role", value="tool"),
    at("an unknown item", "openai-responses", "input", 1, "type", value="tool_use"),
    at("an unknown part", "openai-responses", "input", 0, "content", 0, "type", value="text"),
    Broken(
        "words of the assistant as input_text",
        "openai-responses",
        put("input", 3, "content", value=[{"type": "input_text", "text": "It is sunny."}]),
        ("input", 3, "content", 0, "type"),
    ),
    Broken("a call without an output", "openai-responses", cut("input", 2), ("input", 1)),
    Broken("an output without a call", "openai-responses", cut("input", 1), ("input", 1, "call_id")),
    at("an output of another call", "openai-responses", "input", 2, "call_id", value="c2"),
    at("an id of a call that is too long", "openai-responses", "input", 1, "call_id", value="c" * 65),
    Broken(
        "an item's id of another kind",
        "openai-responses",
        put("input", 1, "id", value="call_1"),
        ("input", 1, "id"),
    ),
    at("arguments that are no text", "openai-responses", "input", 1, "arguments", value={}),
    Broken(
        "reasoning without what it led to",
        "openai-responses",
        lambda body: body["input"].append({"type": "reasoning", "id": "rs_1", "summary": []}),
        ("input", 5),
    ),
    Broken(
        "a nested function",
        "openai-responses",
        put("tools", value=[{"type": "function", "function": _FUNCTION, "strict": False}]),
        ("tools", 0, "function"),
    ),
    Broken(
        "a nested schema",
        "openai-responses",
        put("text", value={"format": {"type": "json_schema", "json_schema": {"name": "a", "schema": _SCHEMA}}}),
        ("text", "format", "json_schema"),
    ),
    Broken(
        "the choice of a tool that isn't there",
        "openai-responses",
        put("tool_choice", value={"type": "function", "name": "now"}),
        ("tool_choice", "name"),
    ),
    Broken(
        "an unknown effort", "openai-responses", put("reasoning", value={"effort": "enormous"}), ("reasoning", "effort")
    ),
    Broken(
        "an effort of a model without one",
        "openai-responses",
        put("reasoning", value={"effort": "low"}),
        ("reasoning", "effort"),
    ),
    Broken(
        "encrypted thoughts that were blacked out",
        "openai-responses",
        lambda body: body["input"].insert(1, {**_THOUGHTS, "encrypted_content": "[REDACTED]"}),
        ("input", 1, "encrypted_content"),
    ),
    Broken(
        "thoughts that nobody stored",
        "openai-responses",
        lambda body: (body["input"].insert(1, _THOUGHTS), body.update(store=False))[1],
        ("input", 1),
    ),
    at(
        "129 tools",
        "openai-responses",
        "tools",
        value=[{"type": "function", "name": f"t{i}", "strict": False} for i in range(129)],
    ),
    at("an unknown thing to include", "openai-responses", "include", value=["everything"]),
    at("an unknown truncation", "openai-responses", "truncation", value="middle"),
)
OF_DEEPSEEK = (
    Broken("a prefix that isn't last", "deepseek", lambda body: body["messages"].reverse(), ("messages", 0, "prefix")),
    Broken("a switch that isn't one", "deepseek", put("thinking", value={"type": "maybe"}), ("thinking", "type")),
    Broken(
        "a schema for the answer",
        "deepseek",
        put("response_format", value={"type": "json_schema", "json_schema": {"name": "a", "schema": _SCHEMA}}),
        ("response_format", "type"),
        server_takes=True,
    ),
    at("a role of OpenAI's alone", "deepseek", "messages", 0, "role", value="developer"),
    Broken(
        "two tools of one name",
        "deepseek",
        put("tools", value=[{"type": "function", "function": _FUNCTION}] * 2),
        ("tools", 1, "function", "name"),
    ),
    at("seventeen stops", "deepseek", "stop", value=[str(i) for i in range(17)]),
    Broken(
        "a picture",
        "deepseek",
        put("messages", 0, "content", value=[_PICTURE]),
        ("messages", 0, "content", 0, "type"),
    ),
)
BROKEN: tuple[Broken, ...] = (*OF_CHAT, *OF_RESPONSES, *OF_DEEPSEEK)
