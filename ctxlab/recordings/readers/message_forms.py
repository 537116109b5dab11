"""Messages in the many forms that tracing tools write, as bodies of a vendor's wire."""

from __future__ import annotations

import json
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.source import mostly
from ctxlab.providers.sending.server_events import value_of
from ctxlab.recordings.wire_bodies import wire_of_body
from ctxlab.wires import CHAT, RESPONSES, WireName

Body = tuple[WireName, Data]
GEMINI_HEAD: Final = ("system_instruction", "systemInstruction", "tools", "generation_config")
TEXT: Final = ("text", "content", "thinking")


def parsed(value: Any) -> Any:
    """The value of JSON in a text, once more where a text in it is JSON; anything else as it is."""
    for _ in range(2):
        if not isinstance(value, str):
            break
        found = value_of(value)
        if found is None or isinstance(found, int | float):
            break
        value = found
    return value


def body_of(value: Any, **head: Any) -> Body | None:
    """A body with these messages; `head` are further fields of it. None where there are no messages in it."""
    value = parsed(value)
    known = {name: field for name, field in head.items() if field}
    if isinstance(value, dict):
        return _of_object(fields_of(value), known)
    items = [parsed(item) for item in items_of(value)]
    if not mostly(items, _is_message):
        return None
    if any("type" in fields_of(item) and "role" not in fields_of(item) for item in items):
        return RESPONSES.name, {**known, RESPONSES.messages: items}
    messages = [message for item in items for message in chat_messages(item)]
    return "openai-chat", {**known, CHAT.messages: messages}


def _of_object(value: Data, head: Data) -> Body | None:
    wire = wire_of_body({"model": "", **head, **value})
    if wire == "gemini":
        config = fields_of(value.get("config"))
        lifted = {name: config[name] for name in GEMINI_HEAD if name in config}
        return wire, {**head, **lifted, **{key: item for key, item in value.items() if key != "config"}}
    if wire is not None and wire != "openai-chat":
        return wire, {**head, **value}
    for key in ("messages", "input", "prompt"):
        if isinstance(value.get(key), list):
            return body_of(value[key], **head, **{name: v for name, v in value.items() if name in ("tools", "system")})
    if isinstance(value.get("prompt"), str):
        return "openai-chat", {**head, "messages": [{"role": "user", "content": value["prompt"]}]}
    return body_of([value], **head) if _is_message(value) and value.get("content") != "role" else None


def _is_message(value: Any) -> bool:
    fields = fields_of(value)
    return ("role" in fields and ({"content", "parts", "tool_calls", "message"} & fields.keys()) != set()) or (
        fields.get("type") in ("function_call", "function_call_output", "reasoning")
    )


def chat_messages(value: Any) -> list[Data]:
    """One message in OpenAI's form; several where it holds results of several calls."""
    fields = fields_of(value)
    parts = fields.get("parts") if isinstance(fields.get("parts"), list) else fields.get("content")
    if not isinstance(parts, list) or all(_is_of_openai(part) for part in parts):
        return [fields]
    rest = {key: field for key, field in fields.items() if key not in ("parts", "content", "finish_reason")}
    texts: list[Data] = []
    calls: list[Data] = []
    results: list[Data] = []
    for part in items_of(parts):
        _sort_in(fields_of(part), texts, calls, results)
    only = texts[0]["text"] if len(texts) == 1 and texts[0].get("type") == "text" else texts or None
    own = [{**rest, "content": only, **({"tool_calls": calls} if calls else {})}] if texts or calls else []
    return [*own, *results] or [{**rest, "content": ""}]


def _is_of_openai(part: Any) -> bool:
    kind = fields_of(part).get("type")
    return kind in ("image_url", "input_audio", "file") or (kind == "text" and isinstance(part.get("text"), str))


def _sort_in(part: Data, texts: list[Data], calls: list[Data], results: list[Data]) -> None:
    kind = str(part.get("type", "")).replace("-", "_")
    own_id = str(part.get("id") or part.get("toolCallId") or part.get("tool_use_id") or part.get("tool_call_id") or "")
    name = str(part.get("name") or part.get("toolName") or "")
    if kind in ("tool_call", "tool_use"):
        given = next((part[key] for key in ("arguments", "args", "input") if key in part), {})
        function = {"name": name, "arguments": given if isinstance(given, str) else _json(given)}
        calls.append({"id": own_id, "type": "function", "function": function})
    elif kind in ("tool_call_response", "tool_result"):
        given = next((part[key] for key in ("result", "response", "output", "content") if key in part), "")
        content = given if isinstance(given, str) else _json(given)
        results.append({"role": "tool", "tool_call_id": own_id, **({"name": name} if name else {}), "content": content})
    else:
        text = next((part[key] for key in TEXT if isinstance(part.get(key), str)), None)
        texts.append(part if text is None else {"type": "text", "text": text})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def chat_reply(value: Any, model: str = "") -> Data | None:
    """A reply in OpenAI's form of an answer: a whole one as it is, else a message or a text."""
    value = parsed(value)
    if isinstance(value, str):
        return _reply({"role": "assistant", "content": value}, model) if value and value != "None" else None
    if isinstance(value, list):
        value = value[0] if value else None
    fields = fields_of(value)
    if "choices" in fields or "output" in fields or "candidates" in fields:
        return fields
    fields = fields_of(fields.get("message")) or fields
    if _is_message(fields):
        return _reply({"role": "assistant", **chat_messages(fields)[0]}, model)
    content = fields_of(fields.get("content"))
    if isinstance(content.get("parts"), list):
        return {"candidates": [{"content": content}]}
    return _reply({"role": "assistant", "content": _json(value)}, model) if fields else None


def _reply(message: Data, model: str) -> Data:
    return {"object": "chat.completion", "model": model, "choices": [{"index": 0, "message": message}]}
