"""Requests: where ours differ from the reference's on purpose. What ours must give follows from the case alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.requests import PROVIDERS, is_request
from tests.golden.rules.rule import Rule

FILES = ("llm_requests",)
LINE = "\n"


def rule(id: str, why: str, applies: Callable[[Case], bool], body: Callable[[Case], Data]) -> Rule:
    """A rule for requests whose bodies differ."""

    def ours(case: Case) -> Any:
        return {**case.expected, "body": body(case)} if is_request(case) and "body" in case.expected else case.expected

    return Rule(id, why, FILES, lambda case: is_request(case) and applies(case), ours)


def of(*adapters: str) -> Callable[[Case], bool]:
    return lambda case: case.input["adapter"] in adapters


def asked(case: Case, *names: str) -> bool:
    return any(name in case.input["request"] for name in names)


def without(body: Data, *names: str) -> Data:
    return {name: value for name, value in body.items() if name not in names}


CHAT = of("openai-compatible")
RESPONSES = of("openai-responses")

# --- all of them


def _threw(case: Case) -> Any:
    return {"threw": f"there is no provider for {case.input['adapter']}"}


def _has_own_temperature(case: Case) -> bool:
    request = case.input["request"]
    return any("temperature" in (request.get(name) or {}) for name in ("extraBody", "extensions")) or asked(
        case, "temperature"
    )


def _path(case: Case) -> Any:
    path = {"openai-compatible": "chat/completions", "openai-responses": "responses"}
    base = {"openai-compatible": "https://api.openai.com/v1", "openai-responses": "https://api.openai.com/v1"}
    name = case.input["adapter"]
    return {**case.expected, "url": f"{base[name]}/{path[name]}"}


OF_ALL = (
    Rule(
        "no such provider",
        "Cohere's form of requests is none of ours.",
        FILES,
        lambda case: is_request(case) and case.input["adapter"] not in PROVIDERS,
        _threw,
    ),
    rule(
        "decisions, Requests: no temperature of our own",
        "What nobody asked for isn't sent: the vendor's own temperature holds.",
        lambda case: case.input["adapter"] in PROVIDERS and not _has_own_temperature(case),
        lambda case: without(case.expected["body"], "temperature"),
    ),
    Rule(
        "base URL instead of endpoints",
        "A server elsewhere is named by its base URL, as for the vendors' clients; paths aren't set one by one.",
        FILES,
        lambda case: is_request(case) and "endpoints" in case.input["profile"] and (CHAT(case) or RESPONSES(case)),
        _path,
    ),
)

# --- OpenAI's chat form


def _chat_messages(case: Case) -> Data:
    """Results as messages of the tool, each its own; an assistant's one text as a text."""
    return {**case.expected["body"], "messages": list(_as_chat(case.input["request"]["messages"]))}


def _as_chat(messages: list[Data]) -> Iterator[Data]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            name = {"tool_call_id": message["toolCallId"]} if "toolCallId" in message else {}
            yield {"role": message["role"], "content": content, **name}
            continue
        for part in content:
            if part["type"] == "tool_result":
                yield {"role": "tool", "content": part["content"], "tool_call_id": part["toolUseId"]}
        calls = [_call(part) for part in content if part["type"] == "tool_use"]
        if calls:
            (text,) = [part["text"] for part in content if part["type"] == "text"]
            yield {"role": message["role"], "content": text, "tool_calls": calls}


def _call(part: Data) -> Data:
    return {"id": part["id"], "type": "function", "function": {"name": part["name"], "arguments": _json(part["input"])}}


def _json(value: Any) -> str:
    import json

    return json.dumps(value, separators=(",", ":"))


def _has_tool_parts(case: Case) -> bool:
    return any(
        part["type"] in ("tool_use", "tool_result")
        for message in case.input["request"]["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    )


def _stops(case: Case) -> Data:
    return {**case.expected["body"], "stop": [case.input["request"]["stop"]]}


def _one_limit(case: Case) -> Data:
    body = without(case.expected["body"], "max_completion_tokens")
    return {**body, "max_tokens": case.input["request"]["maxCompletionTokens"]}


OF_CHAT = (
    rule(
        "systems 6.4: results of tools",
        "A result is a message of the tool, and two results are two: a user's message holds no tool_call_id.",
        lambda case: CHAT(case) and _has_tool_parts(case),
        _chat_messages,
    ),
    rule(
        "usage of a stream",
        "A stream tells its tokens when it is asked to (stream_options).",
        lambda case: CHAT(case) and asked(case, "stream"),
        lambda case: {**case.expected["body"], "stream_options": {"include_usage": True}},
    ),
    rule(
        "stops are a list",
        "One form for one text and for several.",
        lambda case: CHAT(case) and isinstance(case.input["request"].get("stop"), str),
        _stops,
    ),
    rule(
        "one reply limit",
        "The limit of a reply is one parameter; the model's name decides which field of OpenAI's it is.",
        lambda case: CHAT(case) and asked(case, "maxCompletionTokens"),
        _one_limit,
    ),
)

# --- OpenAI's Responses


def _responses_input(case: Case) -> Data:
    """A first system message of one text is the instructions; others stay where they are."""
    body = without(case.expected["body"], "input", "instructions")
    messages = list(case.input["request"]["messages"])
    first = messages[0]
    if first["role"] == "system" and isinstance(first["content"], str):
        body["instructions"] = first["content"]
        messages = messages[1:]
    return {**body, "input": [item for message in messages for item in _items(message)]}


def _items(message: Data) -> Iterator[Data]:
    role = {"developer": "system"}.get(message["role"], message["role"])
    content = message["content"]
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["toolCallId"], "output": content}
    elif isinstance(content, str):
        yield {"role": role, "content": content}
    elif all(part["type"] == "text" for part in content):
        yield {"role": role, "content": [{"type": "input_text", "text": part["text"]} for part in content]}
    else:
        for part in content:
            yield _item(part, role)


def _item(part: Data, role: str) -> Data:
    if part["type"] == "text":
        return {"role": role, "content": part["text"]}
    if part["type"] == "tool_use":
        call = {"call_id": part["id"], "name": part["name"], "arguments": _json(part["input"])}
        return {"type": "function_call", **call}
    return {"type": "function_call_output", "call_id": part["toolUseId"], "output": part["content"]}


def _flat_format(case: Case) -> Data:
    form = case.input["request"]["responseFormat"]
    flat = {"type": "json_schema", **form["json_schema"]} if form["type"] == "json_schema" else form
    return {**case.expected["body"], "text": {"format": flat}}


OF_RESPONSES = (
    rule(
        "systems 6.4: places of system messages",
        "A system message inside the history stays there; the reference joins all of them in front.",
        lambda case: (
            RESPONSES(case)
            and any(message["role"] in ("system", "developer") for message in case.input["request"]["messages"])
        ),
        _responses_input,
    ),
    rule(
        "systems 6.4: the assistant's own words",
        "Words of the assistant are a text of its message; as input_text they are refused.",
        lambda case: RESPONSES(case) and _has_tool_parts(case),
        _responses_input,
    ),
    rule(
        "systems 6.4: stop isn't truncation",
        "Responses have no stops; truncation is about a prompt that is too long.",
        lambda case: RESPONSES(case) and asked(case, "stop"),
        lambda case: without(case.expected["body"], "truncation"),
    ),
    rule(
        "systems 6.4: thinking of Responses",
        "Responses know reasoning with an effort, and no field thinking.",
        lambda case: RESPONSES(case) and asked(case, "thinkingEnabled"),
        lambda case: without(case.expected["body"], "thinking"),
    ),
    rule(
        "systems 6.4: text.format is flat",
        "The schema stands in text.format itself.",
        lambda case: RESPONSES(case) and asked(case, "responseFormat"),
        _flat_format,
    ),
    rule(
        "systems 6.4: search of Responses",
        "A search by the vendor is one of its tools.",
        lambda case: RESPONSES(case) and asked(case, "webSearchEnabled"),
        lambda case: {**case.expected["body"], "tools": [{"type": "web_search"}]},
    ),
)

RULES: tuple[Rule, ...] = (*OF_ALL, *OF_CHAT, *OF_RESPONSES)
