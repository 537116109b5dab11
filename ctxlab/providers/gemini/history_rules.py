"""Problems of contents for Gemini: parts, calls and their responses, signatures, files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.display.short_texts import counted, short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.binary_rules import base64_problem
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.gemini.body import DEMANDS_SIGNATURES
from ctxlab.providers.gemini.parts import FUNCTION_NAME
from ctxlab.providers.gemini.shapes import DATA, snake
from ctxlab.providers.gemini.spellings import Object, items, object_of, of, spelled
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem
from ctxlab.providers.signatures import is_signature

_KINDS = {"image/": "image", "audio/": "audio", "video/": "video", "application/pdf": "document"}

_PART_FIELDS = {each: name for name in (*DATA, "thoughtSignature") for each in (name, snake(name))}
Placed = tuple[JsonPath, Object]


@dataclass(slots=True, eq=False)
class _Content:
    role: str
    at: JsonPath
    calls: list[Placed] = field(default_factory=list[Placed])
    responses: list[Placed] = field(default_factory=list[Placed])


def history_problems(body: Object, model: ModelInfo, found: Found) -> None:
    """Add the problems of contents and of the system instruction, beyond their shapes."""
    contents: list[_Content] = []
    name = spelled(body, "contents") or "contents"
    for index, each in items(body.get(name)):
        role = each.get("role")
        content = _Content(role if isinstance(role, str) else "user", (name, *index))
        contents.append(content)
        for place, part in items(each.get("parts")):
            at = (*content.at, "parts", *place)
            kind = _part(part, at, model, found)
            if kind == "functionCall":
                content.calls.append((at, part))
            elif kind == "functionResponse":
                content.responses.append((at, part))
        _roles(content, found)
    _pairs(contents, found)
    if DEMANDS_SIGNATURES.search(model.name):
        _signatures(contents, found)
    _instruction(body, found)


def _part(part: Object, at: JsonPath, model: ModelInfo, found: Found) -> str | None:
    """The field that a part holds, after its problems are added."""
    held: list[tuple[str, str]] = []
    signature: str | None = None
    for name, value in part.items():
        known = _PART_FIELDS.get(name)
        if known == "thoughtSignature" and value is not None:
            signature = name
        elif known is not None and value is not None:
            held.append((known, name))
    if not held:
        found.append(Problem(at, "empty-part", "a part holds something, and this one nothing", "take the part out"))
    elif len(held) > 1:
        reason = (
            f"a part holds one thing, and this one {counted(len(held), 'thing')}: {', '.join(name for name, _ in held)}"
        )
        found.append(Problem(at, "part-data", reason, "make a part of its own of each"))
    elif part.get("text") == "" and not signature:
        found.append(Problem((*at, "text"), "empty-part", "this text is empty", "take the part out"))
    if signature is not None:
        value = part[signature]
        if isinstance(value, str) and not is_signature(value):
            reason = "a signature is base64 as the vendor gave it" if value else "the signature is empty"
            found.append(Problem((*at, signature), "signature", reason, "send it as it came, or take it out"))
    if not held:
        return None
    kind, where = held[0]
    value = part[where]
    if isinstance(value, dict):
        _held(kind, cast("Object", value), (*at, where), model, found)
    return kind


def _held(kind: str, value: Object, at: JsonPath, model: ModelInfo, found: Found) -> None:
    if kind in ("functionCall", "functionResponse"):
        name = value.get("name")
        if isinstance(name, str) and name and (len(name) > 128 or not FUNCTION_NAME.fullmatch(name)):
            found.append(name_problem((*at, "name")))
        for index, inner in items(value.get("parts")):
            blob = spelled(inner, "inlineData")
            if blob is not None and isinstance(inner[blob], dict):
                _held("inlineData", cast("Object", inner[blob]), (*at, "parts", *index, blob), model, found)
    elif kind in ("inlineData", "fileData"):
        mime_type = of(value, "mimeType")
        data = value.get("data")
        if kind == "inlineData" and isinstance(data, str) and data:
            problem = base64_problem(data, (*at, "data"), mime_type)
            if problem is not None:
                found.append(problem)
        read = next((each for start, each in _KINDS.items() if str(mime_type).startswith(start)), None)
        if read is not None and model.capabilities.known and not model.capabilities.reads(cast("Any", read)):
            reason = f"{model.name} reads no files of type {short(str(mime_type))}"
            found.append(Problem(at, "unread-file", reason, "take it out, or choose a model that reads it"))
        uri = of(value, "fileUri")
        if isinstance(uri, str) and uri and not re.match(r"(?:https|gs)://", uri):
            reason = "a file's URI begins with https:// or gs://"
            found.append(Problem((*at, spelled(value, "fileUri") or "fileUri"), "url-scheme", reason, "write it whole"))


def name_problem(at: JsonPath) -> Problem:
    """The problem of a function's name with characters that the API refuses."""
    reason = "a function's name begins with a letter or _ and has letters of ASCII, digits, _ . : - alone, at most 128"
    return Problem(
        at, "function-name", reason, "give it such a name, in its declaration, its calls and their responses"
    )


def _roles(content: _Content, found: Found) -> None:
    if content.role == "user":
        for at, _ in content.calls:
            found.append(Problem(at, "part-role", "the user calls no functions", "move it into a content of the model"))
    elif content.role == "model":
        for at, _ in content.responses:
            reason = "the model gives no responses of functions"
            found.append(Problem(at, "part-role", reason, "move it into a content of the user"))


def _pairs(contents: Sequence[_Content], found: Found) -> None:
    before: _Content | None = None
    if len(contents) == 1 and contents[0].role == "model":
        reason = "a request of one content alone is the user's"
        mend = "put a content of the user in front of it"
        found.append(Problem((*contents[0].at, "role"), "single-content", reason, mend))
    for content in contents:
        called = before.calls if before is not None else []
        if content.calls and content.role == "model" and (before is None or before.role == "model"):
            reason = "a call has to follow the user's words or a function's response"
            mend = "put a content of the user in front of it"
            found.append(Problem(content.calls[0][0], "call-place", reason, mend))
        if before is not None and called and len(content.responses) != len(called):
            at = content.responses[-1][0] if len(content.responses) > len(called) else called[-1][0]
            _wrong_count(at, len(called), len(content.responses), found)
        elif content.responses and not called:
            reason = "no call stands in the content before it"
            mend = "take it out, or put the call in front of it"
            found.append(Problem(content.responses[0][0], "response-place", reason, mend))
        elif called:
            _names(called, content.responses, found)
        before = content
    if before is not None and before.calls:
        _wrong_count(before.calls[-1][0], len(before.calls), 0, found)


def _wrong_count(at: JsonPath, calls: int, responses: int, found: Found) -> None:
    reason = f"{counted(calls, 'call')} in a content and {counted(responses, 'response')} in the next one"
    mend = "let the next content have one response for each call"
    found.append(Problem(at, "response-count", reason, mend))


def _names(calls: Sequence[Placed], responses: Sequence[Placed], found: Found) -> None:
    waiting = [object_of(part, "functionCall").get("name") for _, part in calls]
    for at, part in responses:
        where = spelled(part, "functionResponse") or "functionResponse"
        name = object_of(part, "functionResponse").get("name")
        if name in waiting:
            waiting.remove(name)
        elif isinstance(name, str) and name:
            reason = f"no call before it has the name {short(name)!r}"
            mend = "name the function that was called"
            found.append(Problem((*at, where, "name"), "response-name", reason, mend))


def _signatures(contents: Sequence[_Content], found: Found) -> None:
    start = 0
    for i, content in enumerate(contents):
        if content.role == "user" and not content.responses:
            start = i
    for content in contents[start:]:
        if content.role == "model" and content.calls and not of(content.calls[0][1], "thoughtSignature"):
            reason = "the model wants back the signature that came with a call of the turn that is going on"
            mend = "send it as it came; where another model made the call, 'skip_thought_signature_validator'"
            found.append(Problem(content.calls[0][0], "missing-signature", reason, mend))


def _instruction(body: Object, found: Found) -> None:
    name = spelled(body, "systemInstruction")
    if name is None or not isinstance(body[name], dict):
        return
    for index, part in items(cast("Object", body[name]).get("parts")):
        at = (name, "parts", *index)
        if "text" not in part:
            found.append(Problem(at, "part-role", "the system instruction has text alone", "take this part out"))
        elif part["text"] == "":
            found.append(Problem((*at, "text"), "empty-part", "this text is empty", "take the part out"))
