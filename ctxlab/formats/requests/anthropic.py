"""Bodies of Anthropic's Messages: `{"model", "max_tokens", "system", "messages", ...}`.

Each block of `system` becomes a preset. A message becomes the node `m<index>`, and further ones where its blocks would
get out of order. Thoughts and other blocks that the vendor wants back go to `metadata.reasoningArtifacts` as they are.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ctxlab.formats.format import Format, always
from ctxlab.formats.openai.conversation import is_message
from ctxlab.formats.requests.blocks import (
    Data,
    fields_of,
    file_in,
    items_of,
    kept_fields,
    kind_of,
    name_in,
    numbered,
    others,
    text_in,
    unkept_fields,
)
from ctxlab.formats.requests.message_nodes import MessageNodes
from ctxlab.formats.requests.parameters import (
    Row,
    is_flag,
    is_number,
    is_text,
    is_texts,
    is_whole,
    json_schema,
    named_tool,
    one_of,
    picked,
)
from ctxlab.formats.requests.request_session import ReadRequest, import_of_bodies
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, mostly, one_or_mostly

GROUP: Final = "anthropic"
ROLES: Final = {"user": "user", "assistant": "assistant", "system": "system"}
FILES: Final = frozenset({"image", "document"})
OWN_BLOCKS: Final = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
        "search_result",
        "compaction",
        "container_upload",
    }
)
"""Types of blocks that no other wire has."""
OWN_FIELDS: Final = frozenset(
    {
        "system",
        "stop_sequences",
        "thinking",
        "cache_control",
        "context_management",
        "anthropic_version",
        "output_config",
    }
)
ROWS: Final[tuple[Row, ...]] = (
    ("max_tokens", "maxTokens", is_whole),
    ("temperature", "temperature", is_number),
    ("top_p", "topP", is_number),
    ("top_k", "topK", is_whole),
    ("stop_sequences", "stop", is_texts),
    ("service_tier", "serviceTier", is_text),
    ("stream", "stream", is_flag),
)
ONE_TEXT: Final = Loss("", "it goes on the text before it: both are one text now", "text")
THINKING: Final[tuple[Row, ...]] = (
    ("type", "thinkingEnabled", one_of("enabled", "adaptive")),
    ("budget_tokens", "thinkingBudget", is_whole),
)
READ: Final = ("model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "metadata")


# --- recognising


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_body)


def is_body(value: Any) -> bool:
    """Whether it is a body of this wire, and not one of OpenAI's chat, which can have the same messages."""
    body = fields_of(value)
    if not isinstance(body.get("messages"), list) or not (mostly(body["messages"], is_message)):
        return False
    messages = [fields_of(message) for message in items_of(body["messages"])]
    tools = items_of(body.get("tools"))
    blocks = [kind_of(block) for message in messages for block in items_of(message.get("content"))]
    if any(_is_chat(message) for message in messages) or any("function" in fields_of(tool) for tool in tools):
        return False
    if {"image_url", "input_audio", "file"} & set(blocks) or messages[0].get("role") in ("system", "developer"):
        return False
    model = body.get("model")
    return (
        not OWN_BLOCKS.isdisjoint(blocks)
        or not OWN_FIELDS.isdisjoint(body)
        or any("source" in fields_of(block) for message in messages for block in items_of(message.get("content")))
        or any("input_schema" in fields_of(tool) for tool in tools)
        or (isinstance(model, str) and model.startswith("claude") and "max_tokens" in body)
    )


def _is_chat(message: Data) -> bool:
    return message.get("role") in ("tool", "function", "developer") or not {
        "tool_calls",
        "function_call",
        "tool_call_id",
    }.isdisjoint(message)


# --- reading


def read(source: Source) -> Import:
    return import_of_bodies(source, is_body, read_body)


def read_body(body: Data) -> ReadRequest:
    """One body."""
    found = ReadRequest(MessageNodes("anthropic", GROUP))
    found.take_model(body)
    _system(body.get("system"), found)
    for index, message in enumerate(items_of(body.get("messages"))):
        read_message(message, f"m{index}", f"messages[{index}]", found)
    _tools(body.get("tools"), found)
    _parameters(body, found)
    return found


def _system(stored: Any, found: ReadRequest) -> None:
    for place, block in numbered(stored, "system", found.losses):
        text = text_in(block, "text")
        if text is None:
            found.lose(place, "no block of text; it is left out")
            continue
        rest = others(fields_of(block), "type", "text")
        found.losses += kept_fields(place, rest)
        found.preset(text, **({"metadata": {GROUP: rest}} if rest else {}))


def read_message(message: Any, name: str, place: str, found: ReadRequest) -> None:
    """Put one message into the nodes; its losses begin with `place`."""
    fields = fields_of(message)
    stored = fields.get("role")
    role = ROLES.get(stored) if isinstance(stored, str) else None
    if not fields or "role" not in fields:
        found.lose(place, "no message with a role; it is left out")
        return
    if role is None:
        found.lose(f"{place}.role", f"role {stored!r:.40} is not known; it is a user message now")
    found.nodes.begin(name, role or "user")
    blocks = [*numbered(fields.get("content"), f"{place}.content", found.losses)]
    for number, (where, block) in enumerate(blocks):
        _block(block, role or "user", where, f"{name}-part-{number}", found)
    if not blocks:
        found.nodes.empty()
    if rest := others(fields, "role", "content"):
        found.nodes.keep(**rest)
        found.losses += kept_fields(place, rest)


def _block(block: Any, role: str, place: str, asset_id: str, found: ReadRequest) -> None:
    fields, kind = fields_of(block), kind_of(block)
    if (text := text_in(block, "text")) is not None:
        rest = others(fields, "type", "text")
        found.losses += kept_fields(place, rest)
        if found.nodes.text(text, rest=rest):
            found.losses.append(ONE_TEXT.inside(place))
    elif kind == "tool_use" and isinstance(fields.get("id"), str) and role == "assistant":
        rest = others(fields, "type", "id", "name", "input")
        mark = {key: rest.pop(key) for key in ("cache_control",) if key in rest}
        found.losses += kept_fields(place, mark)
        found.nodes.call(_call(fields), rest)
        if mark:
            found.nodes.keep(**mark)
    elif kind == "tool_result" and role == "user":
        _result(fields, place, asset_id, found)
    elif kind in FILES and (file := file_in(block, asset_id, place, found.losses)) is not None:
        found.nodes.file(file)
    elif fields:
        found.nodes.artifact(fields, _thoughts(fields))
    else:
        found.lose(place, "no block of a message; it is left out")


def _thoughts(fields: Data) -> str:
    thoughts = fields.get("thinking")
    return thoughts if fields.get("type") == "thinking" and isinstance(thoughts, str) else ""


def _call(fields: Data) -> Data:
    given = fields.get("input")
    return {
        "requestId": fields["id"],
        "toolName": name_in(fields.get("name")),
        "args": {} if given is None else given,
    }


def _result(fields: Data, place: str, asset_id: str, found: ReadRequest) -> None:
    texts: list[str] = []
    files: list[Data] = []
    for number, (where, block) in enumerate(numbered(fields.get("content"), f"{place}.content", found.losses)):
        text = text_in(block, "text")
        if text is not None:
            if files:
                found.lose(where, "text after a file; text comes first now")
            if rest := others(fields_of(block), "type", "text"):
                found.losses += kept_fields(where, rest)
                found.nodes.keep(**rest)
            texts.append(text)
        elif kind_of(block) in FILES and (file := file_in(block, f"{asset_id}-{number}", where, found.losses)):
            files.append(file)
        else:
            found.lose(where, "neither text nor a file; its JSON is used")
            texts.append(json.dumps(block, ensure_ascii=False))
    if len(texts) > 1:
        found.lose(f"{place}.content", "several texts of one result; they are lines of one text now")
    answered: Data = {"requestId": name_in(fields.get("tool_use_id"))}
    if fields.get("is_error") is True:
        answered["status"] = "error"
    known = ("is_error",) if isinstance(fields.get("is_error"), bool) else ()
    rest = others(fields, "type", "tool_use_id", "content", *known)
    found.losses += kept_fields(place, rest)
    found.nodes.result(answered, "\n".join(texts), files, rest)


# --- tools and parameters


def _tools(stored: Any, found: ReadRequest) -> None:
    for index, tool in enumerate(items_of(stored)):
        fields, place = fields_of(tool), f"tools[{index}]"
        if not fields:
            found.lose(place, "no tool; it is left out")
        elif fields.get("type", "custom") in ("custom", None) and "input_schema" in fields:
            rest = others(fields, "type", "name", "description", "input_schema", "strict")
            found.losses += unkept_fields(place, rest, "tool")
            known = (("name", "name"), ("description", "description"), ("input_schema", "parameters"))
            function = {ours: fields[name] for name, ours in (*known, ("strict", "strict")) if name in fields}
            found.tools.append({"type": "function", "function": function})
        else:
            found.tools.append(fields)
    if stored is not None and not isinstance(stored, list):
        found.lose("tools", "no list of tools; it is sent as it is")
        found.parameters.custom["tools"] = stored


def _parameters(body: Data, found: ReadRequest) -> None:
    parameters = found.parameters
    parameters.read(body, ROWS, READ)
    for key, comes_to in (
        ("thinking", _thinking),
        ("output_config", _output),
        ("tool_choice", _tool_choice),
        ("metadata", _metadata),
    ):
        if body.get(key) is not None:
            parameters.whole(key, body[key], comes_to(fields_of(body[key])))


def _thinking(value: Data) -> Data | None:
    match value:
        case {"type": "disabled"} if len(value) == 1:
            return {"thinkingEnabled": False}
        case {"type": "enabled" | "adaptive", **rest}:
            display = rest.pop("display", None)
            shown = {"summarized": {"includeThoughts": True}, "omitted": {"includeThoughts": False}}
            known = picked(rest, THINKING) if display is None or display in ("summarized", "omitted") else None
            return None if known is None else {"thinkingEnabled": True, **known, **shown.get(str(display), {})}
        case _:
            return None


def _output(value: Data) -> Data | None:
    found: Data = {}
    for key, inner in value.items():
        match key, inner:
            case "effort", str():
                found["reasoningEffort"] = inner
            case "format", {"type": "json_schema", "schema": dict() as schema} if len(fields_of(inner)) == 2:
                found |= json_schema(schema)
            case _:
                return None
    return found


def _tool_choice(value: Data) -> Data | None:
    rest = others(value, "type", "name", "disable_parallel_tool_use")
    alone = value.get("disable_parallel_tool_use")
    if rest or not (alone is None or isinstance(alone, bool)):
        return None
    parallel = {} if alone is None else {"parallelToolCalls": not alone}
    name = value.get("name")
    match value.get("type"):
        case "auto" | "none" as kind if name is None:
            return {"toolChoice": kind, **parallel}
        case "any" if name is None:
            return {"toolChoice": "required", **parallel}
        case "tool" if isinstance(name, str):
            return {**named_tool(name), **parallel}
        case _:
            return None


def _metadata(value: Data) -> Data | None:
    return {"user": value["user_id"]} if [*value] == ["user_id"] and isinstance(value["user_id"], str) else None


ANTHROPIC = Format("anthropic", "request to Anthropic", sniff=sniff, read=read, only_conversations=always)
