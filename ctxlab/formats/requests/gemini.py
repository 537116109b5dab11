"""Bodies of Gemini's generateContent: `{"contents", "systemInstruction", "generationConfig", ...}`, in either spelling.

A turn becomes the node `m<index>`, and further ones where its parts would get out of order. The signatures of parts,
thoughts and code that the vendor ran go to `metadata.reasoningArtifacts` as they are. Calls without an id get one; they
and their results have `madeId` then.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ctxlab.formats.format import Format, always
from ctxlab.formats.openai.content_parts import inline_file
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kept_fields, name_in, others, unkept_fields
from ctxlab.formats.requests.message_nodes import MessageNodes, keep_all
from ctxlab.formats.requests.parameters import (
    Row,
    is_flag,
    is_number,
    is_objects,
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
from ctxlab.lazy_pattern import lazy_pattern

GROUP: Final = "gemini"
ROLES: Final = {"user": "user", "model": "assistant", "function": "user"}
ROWS: Final[tuple[Row, ...]] = (
    ("safetySettings", "safetySettings", is_objects),
    ("serviceTier", "serviceTier", is_text),
)
CONFIG: Final[tuple[Row, ...]] = (
    ("temperature", "temperature", is_number),
    ("topP", "topP", is_number),
    ("topK", "topK", is_number),
    ("maxOutputTokens", "maxTokens", is_whole),
    ("candidateCount", "n", is_whole),
    ("seed", "seed", is_whole),
    ("presencePenalty", "presencePenalty", is_number),
    ("frequencyPenalty", "frequencyPenalty", is_number),
    ("responseLogprobs", "logprobs", is_flag),
    ("logprobs", "topLogprobs", is_whole),
    ("stopSequences", "stop", is_texts),
)
THINKING: Final[tuple[Row, ...]] = (
    ("includeThoughts", "includeThoughts", is_flag),
    ("thinkingBudget", "thinkingBudget", lambda value: is_whole(value) and value > 0),
    ("thinkingLevel", "reasoningEffort", one_of("minimal", "low", "medium", "high")),
)
READ: Final = ("model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig")
SIGNED: Final = ("text", "functionCall", "thoughtSignature")
"""Parts on which a signature can be put back, and the signature."""
FORMS: Final = ("responseMimeType", "responseSchema", "responseJsonSchema")
ONE_TEXT: Final = Loss("", "it goes on the text before it: both are one text now", "text")
SNAKE: Final = lazy_pattern(r"_([a-z0-9])")


# --- recognising


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_body)


def is_body(value: Any) -> bool:
    return mostly(fields_of(value).get("contents"), _is_turn)


def _is_turn(value: Any) -> bool:
    turn = fields_of(value)
    return isinstance(turn.get("parts"), list | dict) and str(turn.get("role", "user")) in ROLES


# --- reading


def read(source: Source) -> Import:
    return import_of_bodies(source, is_body, read_body)


def read_body(body: Data) -> ReadRequest:
    """One body; the model is in the URL, which a body may name as `model`."""
    body = _camel(body)
    found = ReadRequest(MessageNodes("gemini", GROUP))
    found.take_model(body)
    _system(body.get("systemInstruction"), found)
    calls = Calls()
    for index, turn in enumerate(items_of(body.get("contents"))):
        read_turn(turn, f"m{index}", f"contents[{index}]", found, calls)
    _tools(body.get("tools"), found)
    _parameters(body, found)
    return found


def _camel(fields: Data) -> Data:
    """The fields in the vendor's own spelling; it takes both."""
    found = {SNAKE.sub(lambda hit: hit[1].upper(), key): value for key, value in fields.items()}
    return found if len(found) == len(fields) else fields


def _list(value: Any) -> list[Any]:
    return [value] if isinstance(value, dict) else items_of(value)


def _placed(value: Any, place: str) -> list[tuple[str, Any]]:
    """The items of a list with their places; of one object it alone."""
    if isinstance(value, dict):
        return [(place, value)]
    return [(f"{place}[{number}]", item) for number, item in enumerate(items_of(value))]


def _system(stored: Any, found: ReadRequest) -> None:
    if isinstance(stored, str):
        found.preset(stored)
        return
    parts = fields_of(stored).get("parts")
    if parts is not None and not isinstance(parts, list | dict):
        found.lose("systemInstruction.parts", "not a list of parts; left out", "parts")
    for place, part in _placed(parts, "systemInstruction.parts"):
        fields = fields_of(part)
        if not isinstance(fields.get("text"), str):
            found.lose(place, "no text; it is left out")
            continue
        found.losses += kept_fields(place, rest := others(fields, "text"))
        found.preset(fields["text"], **({"metadata": {GROUP: rest}} if rest else {}))
    for key in others(fields_of(stored), "parts", "role"):
        found.lose(f"systemInstruction.{key}", "not part of a system instruction; left out", key)
    if stored is not None and not isinstance(stored, dict):
        found.lose("systemInstruction", "neither text nor parts; it is left out")


class Calls:
    """Ids of calls: those that have none get one, and results without one answer them by name, in order."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, str]] = []

    def made(self, name: str, wanted: str) -> str:
        """The id of a call that has none."""
        self._waiting.append((name, wanted))
        return wanted

    def answered(self, name: str, otherwise: str) -> str:
        """The id of the first call of this name that no result has answered."""
        at = next((at for at, (called, _) in enumerate(self._waiting) if called == name), None)
        return otherwise if at is None else self._waiting.pop(at)[1]


def read_turn(turn: Any, name: str, place: str, found: ReadRequest, calls: Calls | None = None) -> None:
    """Put one turn into the nodes; `calls` are those of the turns before, and losses begin with `place`."""
    fields, calls = fields_of(turn), calls or Calls()
    if not isinstance(fields.get("parts"), list | dict):
        found.lose(place, "no turn with parts; it is left out")
        return
    stored = fields.get("role", "user")
    role = ROLES.get(stored) if isinstance(stored, str) else None
    if role is None:
        found.lose(f"{place}.role", f"role {stored!r:.40} is not known; it is the user's now")
    found.nodes.begin(name, role or "user")
    parts = _placed(fields["parts"], f"{place}.parts")
    for number, (where, part) in enumerate(parts):
        _part(_camel(fields_of(part)), where, f"{name}-part-{number}", calls, found)
    if not parts:
        found.nodes.empty()
    if rest := others(fields, "role", "parts"):
        found.nodes.keep(**rest)
        found.losses += kept_fields(place, rest)


def _part(part: Data, place: str, asset_id: str, calls: Calls, found: ReadRequest) -> None:
    more = {key: value for key, value in part.items() if key not in (*SIGNED, "thought") and value is not None}
    if not part:
        found.lose(place, "an empty part; it is left out")
    elif more or part.get("thought"):
        _other_part(part, place, asset_id, calls, found)
    elif isinstance(part.get("text"), str):
        _text(part, place, found)
    elif isinstance(part.get("functionCall"), dict):
        _call(_camel(part["functionCall"]), _signature(part), place, asset_id, calls, found)
    else:
        _other_part(part, place, asset_id, calls, found)


def _text(part: Data, place: str, found: ReadRequest) -> None:
    signature = _signature(part)
    if signature and not part["text"]:
        found.nodes.artifact(part)  # what a stream ends with: there is no text to put the signature on
    elif found.nodes.text(part["text"], signature):
        found.losses.append(ONE_TEXT.inside(place))


def _other_part(part: Data, place: str, asset_id: str, calls: Calls, found: ReadRequest) -> None:
    """A result or a file; anything else, and what is signed, goes back as it is."""
    is_file = {"inlineData", "fileData"} & part.keys() and not {"thoughtSignature", "thought"} & part.keys()
    file = file_of(part, asset_id) if is_file else None
    if isinstance(part.get("functionResponse"), dict) and len(part) == 1:
        _result(_camel(part["functionResponse"]), place, asset_id, calls, found)
    elif file is not None:
        found.nodes.file(file)
        found.losses += kept_fields(place, fields_of(file.get("geminiPart")), "file")
    else:
        found.nodes.artifact(part, thoughts_of(part))


def thoughts_of(part: Data) -> str:
    text = part.get("text")
    return text if part.get("thought") is True and isinstance(text, str) else ""


def _signature(more: Data) -> Data:
    return {key: value for key, value in more.items() if key == "thoughtSignature" and value is not None}


WORDS: Final = ("mimeType", "displayName")
"""Fields of a file that are texts; what else stands in them is kept beside the file."""


def file_of(part: Data, asset_id: str) -> Data | None:
    """The file of a part, as stored JSON; what the part says besides is kept as `geminiPart`."""
    inline, linked = _camel(fields_of(part.get("inlineData"))), _camel(fields_of(part.get("fileData")))
    mime_type = inline.get("mimeType") or linked.get("mimeType")
    mime_type = mime_type if isinstance(mime_type, str) else ""
    kind = mime_type.partition("/")[0]
    found: Data = {"id": asset_id, "type": kind if kind in ("image", "audio", "video") else "document"}
    if isinstance(inline.get("data"), str):
        found |= inline_file(inline["data"], mime_type or "application/octet-stream")
    elif isinstance(linked.get("fileUri"), str):
        found |= {"url": linked["fileUri"], **({"mimeType": mime_type} if mime_type else {})}
    else:
        return None
    if isinstance(name := (inline or linked).get("displayName"), str):
        found["name"] = name
    rest = others(part, "inlineData", "fileData")
    said = others(inline or linked, "data", "fileUri")
    keep_all(rest, {key: value for key, value in said.items() if key not in WORDS or not isinstance(value, str)})
    return {**found, "geminiPart": rest} if rest else found


def _call(call: Data, on: Data, place: str, made_id: str, calls: Calls, found: ReadRequest) -> None:
    name, given = name_in(call.get("name")), call.get("args")
    own = call.get("id")
    has_id = isinstance(own, str) and bool(own)
    call_id = own if has_id else calls.made(name, made_id.replace("-part-", "-call-"))
    stored: Data = {"requestId": call_id, "toolName": name, "args": {} if given is None else given}
    found.losses += kept_fields(place, rest := others(call, "name", "args", "id"), "call")
    found.nodes.call({**rest, **stored, **({} if has_id else {"madeId": True})}, on)


def _result(answer: Data, place: str, asset_id: str, calls: Calls, found: ReadRequest) -> None:
    name, own = name_in(answer.get("name")), answer.get("id")
    has_id = isinstance(own, str) and bool(own)
    answered: Data = {"requestId": own if has_id else calls.answered(name, asset_id.replace("-part-", "-call-"))}
    answered["toolName"] = name
    if not has_id:
        answered["madeId"] = True
    response = answer.get("response")
    if "error" in fields_of(response):
        answered["status"] = "error"
    files: list[Data] = []
    parts = answer.get("parts")
    for number, (at, part) in enumerate(_placed(parts, f"{place}.functionResponse.parts")):
        file = file_of(_camel(fields_of(part)), f"{asset_id}-{number}")
        if file is None:
            found.lose(at, "no file; it is left out")
        else:
            files.append(file)
    rest = others(answer, "name", "id", "response", *(["parts"] if isinstance(parts, list | dict) else []))
    found.losses += kept_fields(f"{place}.functionResponse", rest)
    found.nodes.result(answered, _words_of(response), files, rest)


def _words_of(response: Any) -> str:
    """The text of a result: what is under `output` or `error` alone, else its JSON."""
    for key in ("output", "error"):
        if [*fields_of(response)] == [key] and isinstance(response[key], str):
            return response[key]
    if isinstance(response, str):
        return response
    return "" if response is None else json.dumps(response, ensure_ascii=False, separators=(",", ":"))


# --- tools and parameters


def _tools(stored: Any, found: ReadRequest) -> None:
    if stored is not None and not isinstance(stored, list | dict):
        found.lose("tools", "no list of tools; it is sent as it is")
        found.parameters.custom["tools"] = stored
    for index, tool in enumerate(_list(stored)):
        fields, place = _camel(fields_of(tool)), f"tools[{index}]"
        declared = fields.pop("functionDeclarations", None)
        for number, function in enumerate(_list(declared)):
            _function(function, f"{place}.functionDeclarations[{number}]", found)
        if fields == {"googleSearch": {}}:
            found.parameters.known["webSearchEnabled"] = True
        elif fields:
            found.tools.append(fields)
        elif declared is None:
            found.lose(place, "no tool; it is left out")


def _function(stored: Any, place: str, found: ReadRequest) -> None:
    fields = _camel(fields_of(stored))
    if not fields:
        found.lose(place, "no function; it is left out")
        return
    function = {key: fields[key] for key in ("name", "description") if key in fields}
    used = next((key for key in ("parameters", "parametersJsonSchema") if fields.get(key) is not None), None)
    if used is not None:
        function["parameters"] = fields[used]
    found.losses += unkept_fields(place, others(fields, "name", "description", used or ""), "tool")
    found.tools.append({"type": "function", "function": function})


def _parameters(body: Data, found: ReadRequest) -> None:
    parameters = found.parameters
    parameters.read(body, ROWS, READ)
    for key, comes_to in (("generationConfig", _config), ("toolConfig", _tool_choice)):
        if body.get(key) is not None and body[key] != {}:
            parameters.whole(key, body[key], comes_to(_camel(fields_of(body[key]))))
    if body.get("cachedContent") is not None:
        found.lose("cachedContent", "the vendor keeps what stands before; this session begins after it")


def _config(config: Data) -> Data | None:
    rest = {key: value for key, value in config.items() if value is not None}
    thinking = rest.pop("thinkingConfig", {})
    modalities = rest.pop("responseModalities", None)
    form = {key: rest.pop(key) for key in [*rest] if key in FORMS}
    found = picked(rest, CONFIG)
    answers = _response_format(form)
    thoughts = _thinking(_camel(thinking)) if isinstance(thinking, dict) else None
    if found is None or answers is None or thoughts is None:
        return None
    if modalities is not None:
        if not is_texts(modalities) or any(one != one.upper() for one in modalities):
            return None
        found["modalities"] = [one.lower() for one in modalities]
    return {**found, **answers, **thoughts}


def _thinking(config: Data) -> Data | None:
    if "thinkingBudget" in config and config["thinkingBudget"] == 0:
        rest = {key: value for key, value in config.items() if key != "thinkingBudget"}
        return {"thinkingEnabled": False} if not rest else None
    level = config.get("thinkingLevel")
    found = picked({**config, **({"thinkingLevel": level.lower()} if isinstance(level, str) else {})}, THINKING)
    if found and "thinkingBudget" in found:
        found["thinkingEnabled"] = True
    return found


def _response_format(form: Data) -> Data | None:
    match form:
        case {} if not form:
            return {}
        case {"responseMimeType": "application/json", **rest} if not rest:
            return {"responseFormat": {"type": "json_object"}}
        case {"responseMimeType": "application/json", "responseJsonSchema": dict() as schema, **rest} if not rest:
            return json_schema(schema)
        case {"responseMimeType": "application/json", "responseSchema": dict() as schema, **rest} if not rest:
            return json_schema(schema)
        case _:
            return None


def _tool_choice(value: Data) -> Data | None:
    config = _camel(fields_of(value.get("functionCallingConfig")))
    names = config.get("allowedFunctionNames")
    if len(value) != 1 or others(config, "mode", "allowedFunctionNames"):
        return None
    match config.get("mode"):
        case "AUTO" | "NONE" as mode if not names:
            return {"toolChoice": mode.lower()}
        case "ANY" if not names:
            return {"toolChoice": "required"}
        case "ANY" if names and is_texts(names) and len(names) == 1:
            return named_tool(names[0])
        case _:
            return None


GEMINI = Format("gemini", "request to Gemini", sniff=sniff, read=read, only_conversations=always)
