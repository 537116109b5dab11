"""Bodies of OpenAI's Responses: `{"model", "instructions", "input", ...}`.

An item of `input` becomes the node `m<index>`; an assistant's message, its calls and the blocks around them are one
node as long as they stay in order. Reasoning, searches and other items of the vendor's own go to
`metadata.reasoningArtifacts` as they are.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import Any, Final

from ctxlab import wires
from ctxlab.formats.format import Format, always
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
)
from ctxlab.formats.requests.message_nodes import MessageNodes, keep_all
from ctxlab.formats.requests.parameters import (
    Row,
    is_flag,
    is_number,
    is_object,
    is_text,
    is_texts,
    is_whole,
    named_tool,
)
from ctxlab.formats.requests.request_session import ReadRequest, import_of_bodies
from ctxlab.formats.results import Import
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.lazy_dataclass import dataclass

GROUP: Final = "openai"
ROLES: Final = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
TEXTS: Final = ("input_text", "output_text", "text")
ROWS: Final[tuple[Row, ...]] = (
    ("max_output_tokens", "maxTokens", is_whole),
    ("temperature", "temperature", is_number),
    ("top_p", "topP", is_number),
    ("top_logprobs", "topLogprobs", is_whole),
    ("parallel_tool_calls", "parallelToolCalls", is_flag),
    ("service_tier", "serviceTier", is_text),
    ("user", "user", is_text),
    ("store", "store", is_flag),
    ("include", "include", is_texts),
    ("metadata", "metadata", is_object),
    ("stream", "stream", is_flag),
    ("stream_options", "streamOptions", is_object),
)
READ: Final = ("model", "input", "instructions", "tools", "tool_choice", "reasoning", "text")
ELSEWHERE: Final = ("previous_response_id", "conversation")
"""Fields that say that the vendor keeps the history."""


# --- recognising


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_body)


def is_body(value: Any) -> bool:
    body = fields_of(value)
    if "input" not in body or "output" in body or not isinstance(body.get("model", ""), str):
        return False
    about = {"model", "instructions", "tools", *ELSEWHERE} & body.keys()
    given = body["input"]
    if isinstance(given, str):
        return bool(about) and not {"encoding_format", "dimensions"} & body.keys()
    return bool(about) and mostly(given, _is_item)


def _is_item(value: Any) -> bool:
    item = fields_of(value)
    return ("role" in item and "content" in item) or (bool(kind_of(item)) and "text" not in item)


# --- reading


def read(source: Source) -> Import:
    return import_of_bodies(source, is_body, read_body)


def read_body(body: Data) -> ReadRequest:
    """One body."""
    found = ReadRequest(MessageNodes(wires.RESPONSES.name, GROUP))
    found.take_model(body)
    _instructions(body.get("instructions"), found)
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else items_of(given)
    leading = True
    for index, item in enumerate(items):
        leading = leading and _is_prompt(item)
        (_leading if leading else read_item)(item, f"m{index}", f"input[{index}]", found)
    _tools(body.get("tools"), found)
    _parameters(body, found)
    return found


def _instructions(stored: Any, found: ReadRequest) -> None:
    if isinstance(stored, str):
        found.preset(stored)
    elif stored is not None:
        found.lose("instructions", "no text; it is sent as it is")
        found.parameters.custom["instructions"] = stored


def _is_prompt(item: Any) -> bool:
    fields = fields_of(item)
    content = fields.get("content")
    texts = isinstance(content, str) or (
        bool(content) and all(text_in(part, *TEXTS) is not None for part in items_of(content))
    )
    return fields.get("role") in ("system", "developer") and texts and kind_of(fields) in ("", "message")


def _leading(item: Any, name: str, place: str, found: ReadRequest) -> None:
    """A system message before all others: a preset."""
    fields = fields_of(item)
    parts = _parts(fields.get("content"), name, f"{place}.content", found)
    more = others(fields, "type", "role", "content")
    found.losses += kept_fields(place, more)
    keep_all(rest := parts.rest, {**more, **({} if fields["role"] == "system" else {"role": fields["role"]})})
    found.preset(parts.text, **({"metadata": {GROUP: rest}} if rest else {}))


def read_item(item: Any, name: str, place: str, found: ReadRequest) -> None:
    """Put one item into the nodes; its losses begin with `place`."""
    fields, kind = fields_of(item), kind_of(item)
    if not isinstance(fields.get("type", ""), str):
        found.lose(f"{place}.type", "no type of an item; left out", "type")
    if "role" in fields and kind in ("", "message"):
        _message(fields, name, place, found)
    elif kind == "function_call_output":
        _result(fields, name, place, found)
    elif kind == "function_call" and isinstance(fields.get("call_id"), str):
        _assistant(name, found)
        arguments = fields.get("arguments")
        call: Data = {"requestId": fields["call_id"], "toolName": name_in(fields.get("name"))}
        call["args"] = "" if arguments is None else arguments
        found.nodes.call(call, others(fields, "type", "call_id", "name", "arguments"))
    elif kind:
        _assistant(name, found)
        found.nodes.artifact(fields, thoughts_of(fields))
    else:
        found.lose(place, "no item that is known; it is left out")


def _assistant(name: str, found: ReadRequest) -> None:
    if not found.nodes.is_open("assistant"):
        found.nodes.begin(name, "assistant")


def thoughts_of(item: Data) -> str:
    """The words of a reasoning item that people can read."""
    if item.get("type") != "reasoning":
        return ""
    parts = [fields_of(part).get("text") for key in ("content", "summary") for part in items_of(item.get(key))]
    return "\n".join(part for part in parts if isinstance(part, str))


def _message(fields: Data, name: str, place: str, found: ReadRequest) -> None:
    stored = fields["role"]
    role = ROLES.get(stored) if isinstance(stored, str) else None
    if role is None:
        found.lose(f"{place}.role", f"role {stored!r:.40} is not known; it is a user message now")
    if role == "assistant":
        _assistant(name, found)
        assistant_message(fields, name, place, found)
        return
    found.nodes.begin(name, role or "user")
    parts = _parts(fields.get("content"), name, f"{place}.content", found)
    rest = others(fields, "type", "role", "content")
    found.losses += kept_fields(place, rest)
    keep_all(parts.rest, {**rest, **({} if role == stored else {"role": stored})})
    found.nodes.text(parts.text, rest=parts.rest)
    for file in parts.files:
        found.nodes.file(file)


def assistant_message(fields: Data, name: str, place: str, found: ReadRequest) -> None:
    """An assistant's message: its text, with the fields that the vendor wants back on it."""
    parts = _parts(fields.get("content"), name, f"{place}.content", found)
    found.nodes.text(parts.text, others(fields, "type", "role", "content"), parts.rest)
    for file in parts.files:
        found.nodes.file(file)


@dataclass(slots=True)
class _Parts:
    """The texts of a content, its files, and what is kept of them besides."""

    texts: list[str] = field(default_factory=list[str])
    files: list[Data] = field(default_factory=list[Data])
    rest: Data = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def _parts(content: Any, name: str, place: str, found: ReadRequest) -> _Parts:
    """Texts and files of a message or of a result; the JSON of what is neither."""
    parts = _Parts()
    for number, (where, part) in enumerate(numbered(content, place, found.losses)):
        if (file := file_in(part, f"{name}-part-{number}", where, found.losses)) is not None:
            parts.files.append(file)
            continue
        if parts.files:
            found.lose(where, "text after a file; text comes first now")
        parts.texts.append(_text_in(part, where, parts, found))
    if len(parts.texts) > 1:
        found.lose(place, "several texts of one message; they are lines of one text now")
    return parts


def _text_in(part: Any, where: str, parts: _Parts, found: ReadRequest) -> str:
    if (text := text_in(part, *TEXTS)) is not None:
        more = others(fields_of(part), "type", "text")
        found.losses += kept_fields(where, more)
        keep_all(parts.rest, more)
        return text
    refusal = fields_of(part).get("refusal")
    if kind_of(part) == "refusal" and isinstance(refusal, str):
        found.lose(where, "a refusal; it is the message's text now")
        return refusal
    found.lose(where, "neither text nor a file; its JSON is used")
    return json.dumps(part, ensure_ascii=False)


def _result(fields: Data, name: str, place: str, found: ReadRequest) -> None:
    parts = _parts(fields.get("output"), name, f"{place}.output", found)
    rest = others(fields, "type", "call_id", "output")
    found.losses += kept_fields(place, rest)
    found.nodes.begin(name, "tool")
    answered = {"requestId": name_in(fields.get("call_id"))}
    keep_all(parts.rest, rest)
    found.nodes.result(answered, parts.text, parts.files, parts.rest)


# --- tools and parameters


def _tools(stored: Any, found: ReadRequest) -> None:
    for index, tool in enumerate(items_of(stored)):
        fields = fields_of(tool)
        if not fields:
            found.lose(f"tools[{index}]", "no tool; it is left out")
        elif kind_of(fields) == "function" and "function" not in fields:
            found.tools.append(
                {"type": "function", "function": {key: value for key, value in fields.items() if key != "type"}}
            )
        else:
            found.tools.append(fields)
    if stored is not None and not isinstance(stored, list):
        found.lose("tools", "no list of tools; it is sent as it is")
        found.parameters.custom["tools"] = stored


def _parameters(body: Data, found: ReadRequest) -> None:
    parameters = found.parameters
    parameters.read(body, ROWS, READ)
    for key, comes_to in (("reasoning", _reasoning), ("text", _text), ("tool_choice", _tool_choice)):
        if body.get(key) is not None:
            parameters.whole(key, body[key], comes_to(body[key]))
    for key in ELSEWHERE:
        if body.get(key) is not None:
            found.lose(key, "the vendor keeps what was said before; this session begins after it")


def _reasoning(value: Any) -> Data | None:
    found: Data = {}
    for key, inner in fields_of(value).items():
        match key, inner:
            case "effort", str():
                found["reasoningEffort"] = inner
            case "summary", "auto":
                found["includeThoughts"] = True
            case _:
                return None
    return found or None


def _text(value: Any) -> Data | None:
    match fields_of(value):
        case {"format": {"type": "text" | "json_object", **more} as form, **rest} if not rest and not more:
            return {"responseFormat": form}
        case {"format": {"type": "json_schema", "name": str(), **schema}, **rest} if not rest:
            name = fields_of(fields_of(value)["format"])["name"]
            return {"responseFormat": {"type": "json_schema", "json_schema": {"name": name, **schema}}}
        case _:
            return None


def _tool_choice(value: Any) -> Data | None:
    if isinstance(value, str):
        return {"toolChoice": value} if value in ("auto", "none", "required") else None
    match fields_of(value):
        case {"type": "function", "name": str() as name, **rest} if not rest:
            return named_tool(name)
        case _:
            return None


RESPONSES = Format(
    wires.RESPONSES.name, "request to OpenAI's Responses", sniff=sniff, read=read, only_conversations=always
)
