"""Problems of the parts of a content in OpenAI's chat form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.context.file_facts import FileKind
from ctxlab.providers.body_checks import (
    OBJECT,
    Findings,
    Value,
    check_fields,
    is_object,
    one_of,
    shown,
    text,
)
from ctxlab.providers.file_source import is_base64
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.file_parts import DETAILS, PICTURES
from ctxlab.providers.openai_chat.profiles import ChatProfile
from ctxlab.providers.place import JsonPath

Json = Mapping[str, Any]

TEXT_ONLY = frozenset({"text"})
PARTS_OF_ROLE: Mapping[str, frozenset[str]] = {
    "system": TEXT_ONLY,
    "developer": TEXT_ONLY,
    "assistant": frozenset({"text", "refusal"}),
    "tool": TEXT_ONLY,
    "function": frozenset(),
}
"""Types of parts by role; the user's are those of the vendor's profile."""
PART_FIELDS: Mapping[str, Mapping[str, Value]] = {
    "text": {"text": text()},
    "refusal": {"refusal": text()},
    "image_url": {"image_url": OBJECT},
    "input_audio": {"input_audio": OBJECT},
    "file": {"file": OBJECT},
}
OF_ANY_PART: Mapping[str, Value] = {"type": text(), "prompt_cache_breakpoint": OBJECT}
KINDS: Mapping[str, FileKind] = {"image_url": "image", "input_audio": "audio", "file": "document"}
WORDS = {"image": "pictures", "audio": "recordings", "document": "files", "video": "films"}


def check_parts(
    parts: list[Any], role: str, at: JsonPath, model: ModelInfo, profile: ChatProfile, findings: Findings
) -> None:
    """Record the problems of an array of parts in a message of this role."""
    if not parts:
        findings.add(at, "content", "an array of parts has at least one", "make it a text, or take the message out")
    takes = TEXT_ONLY | profile.parts if role == "user" else PARTS_OF_ROLE[role]
    for i, part in enumerate(parts):
        path = (*at, i)
        if is_object(part, path, findings, "a part"):
            _part(cast("Json", part), role, takes, path, model, profile, findings)


def _part(
    part: Json,
    role: str,
    takes: frozenset[str],
    at: JsonPath,
    model: ModelInfo,
    profile: ChatProfile,
    findings: Findings,
) -> None:
    kind = part.get("type")
    fields = PART_FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None and profile.lenient and isinstance(kind, str):
        reason = f"{shown(kind)} is no part of OpenAI's form; some servers refuse it"
        findings.add((*at, "type"), "part-type", reason, "take the part out", level="warning")
        return
    if fields is None:
        reason = f"{findings.vendor} knows no part of type {shown(kind)}"
        findings.add((*at, "type"), "part-type", reason, "make it one that it knows, such as 'text', or take it out")
        return
    if kind not in takes:
        whose = {"user": "the user's", "assistant": "the assistant's"}.get(role, f"a {role}")
        reason = f"{findings.vendor} takes no part of type {shown(kind)} in {whose} message"
        mend = "take it out" if role == "user" else "move it into a message of the user, or take it out"
        findings.add((*at, "type"), "part-of-role", reason, mend if takes else "take it out")
        return
    check_fields(part, {**OF_ANY_PART, **fields}, at, findings, required=fields, what=f"a part of type {kind!r}")
    inner = part.get(cast("str", kind))
    if isinstance(inner, dict) and kind in _INNER:
        _INNER[cast("str", kind)](cast("Json", inner), (*at, cast("str", kind)), profile, findings)
        read_by_model(KINDS[cast("str", kind)], (*at, "type"), model, findings)


def read_by_model(kind: FileKind, at: JsonPath, model: ModelInfo, findings: Findings) -> None:
    """Record a file of a kind that the model doesn't read, where it is known what it reads."""
    if model.capabilities.known and not model.capabilities.reads(kind):
        reason = f"{model.name or 'this model'} reads no {WORDS[kind]}"
        findings.add(at, "part-of-model", reason, "take it out, or ask a model that reads it")


def _picture(picture: Json, at: JsonPath, profile: ChatProfile, findings: Findings) -> None:
    fields = {"url": text(), "detail": one_of(*DETAILS)}
    check_fields(picture, fields, at, findings, required=("url",), what="a picture")
    if isinstance(picture.get("url"), str):
        types = None if profile.lenient else PICTURES
        check_url(picture["url"], (*at, "url"), findings, what="a picture", mime_types=types)


def _sound(sound: Json, at: JsonPath, profile: ChatProfile, findings: Findings) -> None:
    fields = {"data": text(), "format": one_of("wav", "mp3")}
    check_fields(sound, fields, at, findings, required=fields, what="a recording")
    data = sound.get("data")
    if isinstance(data, str) and not is_base64(data):
        reason = "a recording's data are base64, and these can't be read as such"
        findings.add((*at, "data"), "base64", reason, "write its bytes as base64, or take it out")


def _file(file: Json, at: JsonPath, profile: ChatProfile, findings: Findings) -> None:
    fields = {"file_data": text(), "file_id": text(), "filename": text()}
    check_fields(file, fields, at, findings, what="a file")
    data = file.get("file_data")
    if "file_data" not in file and "file_id" not in file:
        findings.add(at, "file", "a file has its data or an id", "give file_data or file_id, or take it out")
    elif isinstance(data, str):
        if "filename" not in file and not profile.lenient:
            reason = f"{findings.vendor} wants a name beside a file's data"
            findings.add((*at, "filename"), "file", reason, "give it a filename")
        types = None if profile.any_document else frozenset({"application/pdf"})
        check_url(data, (*at, "file_data"), findings, what="a file", mime_types=types, only_data=True)


_INNER = {"image_url": _picture, "input_audio": _sound, "file": _file}


def check_url(
    url: str,
    at: JsonPath,
    findings: Findings,
    *,
    what: str,
    mime_types: frozenset[str] | None = None,
    only_data: bool = False,
) -> None:
    """Record an address that the vendor can't fetch, bytes that aren't base64, and types that it doesn't read."""
    scheme = url.partition(":")[0].lower()
    if scheme != "data":
        if only_data or scheme not in ("http", "https"):
            wanted = "a data URL" if only_data else "a data URL or one with http or https"
            reason = f"{what} is {wanted}, and this is {shown(url)}"
            findings.add(at, "url", reason, f"make it {wanted}, or take it out")
        return
    head, comma, data = url[5:].partition(",")
    mime_type, *options = head.split(";")
    if not comma or "base64" not in options:
        reason = f"the data URL of {what} says 'base64' before its comma, and this one doesn't"
        findings.add(at, "url", reason, "write it as data:TYPE;base64,BYTES, or take it out")
    elif mime_types is not None and mime_type.lower() not in mime_types:
        reason = f"{findings.vendor} reads {', '.join(sorted(mime_types))} here, and this is {shown(mime_type)}"
        findings.add(at, "media-type", reason, "convert it, or take it out")
    elif not is_base64(data):
        reason = f"the bytes of {what} are base64, and these can't be read as such"
        findings.add(at, "base64", reason, "write them as base64, or take it out")
