"""Problems of the parts of a content or an output in OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.context.file_facts import FileKind
from ctxlab.providers.body_checks import (
    ANYTHING,
    ARRAY,
    OBJECT,
    Findings,
    Value,
    check_fields,
    is_object,
    one_of,
    or_null,
    shown,
    text,
)
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.check_parts import check_url, read_by_model
from ctxlab.providers.openai_chat.file_parts import DETAILS, PICTURES
from ctxlab.providers.place import JsonPath

Json = Mapping[str, Any]

PARTS: Mapping[str, Mapping[str, Value]] = {
    "input_text": {"text": text()},
    "input_image": {
        "detail": or_null(one_of(*DETAILS)),
        "image_url": or_null(text()),
        "file_id": or_null(text()),
    },
    "input_file": {
        "detail": one_of("auto", "low", "high"),
        "file_data": text(),
        "file_url": or_null(text()),
        "file_id": or_null(text()),
        "filename": text(),
    },
    "output_text": {"text": text(), "annotations": ARRAY, "logprobs": ANYTHING},
    "refusal": {"refusal": text()},
}
INPUT = frozenset({"input_text", "input_image", "input_file"})
OUTPUT = frozenset({"output_text", "refusal"})
KINDS: Mapping[str, FileKind] = {"input_image": "image", "input_file": "document"}
REQUIRED = {"input_text": ("text",), "output_text": ("text",), "refusal": ("refusal",)}


def check_parts(parts: list[Any], role: str, at: JsonPath, model: ModelInfo, findings: Findings) -> None:
    """Record the problems of an array of parts in a message of this role, or in the output of a tool."""
    if not parts:
        findings.add(at, "content", "an array of parts has at least one", "make it a text, or take the message out")
    takes = OUTPUT if role == "assistant" else INPUT
    for i, part in enumerate(parts):
        path = (*at, i)
        if is_object(part, path, findings, "a part"):
            _part(cast("Json", part), role, takes, path, model, findings)


def _part(part: Json, role: str, takes: frozenset[str], at: JsonPath, model: ModelInfo, findings: Findings) -> None:
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in PARTS:
        reason = f"{findings.vendor} knows no part of type {shown(kind)}"
        mend = f"make it one that it knows here, such as {sorted(takes)[-1]!r}, or take it out"
        findings.add((*at, "type"), "part-type", reason, mend)
        return
    if kind not in takes:
        whose = {"assistant": "a message of the assistant", "tool": "an output"}.get(role, f"a {role} message")
        reason = f"{findings.vendor} takes no part of type {kind!r} in {whose}, but {', '.join(sorted(takes))}"
        findings.add((*at, "type"), "part-of-role", reason, "make it one of these, or take it out")
        return
    fields = {"type": text(), "prompt_cache_breakpoint": OBJECT, **PARTS[kind]}
    check_fields(part, fields, at, findings, required=REQUIRED.get(kind, ()), what=f"a part of type {kind!r}")
    if kind == "input_image":
        _picture(part, at, findings)
    elif kind == "input_file":
        _file(part, at, findings)
    if kind in KINDS:
        read_by_model(KINDS[kind], (*at, "type"), model, findings)


def _picture(part: Json, at: JsonPath, findings: Findings) -> None:
    url = part.get("image_url")
    if url is None and part.get("file_id") is None:
        findings.add(at, "file", "a picture has an address or an id", "give image_url or file_id, or take it out")
    elif isinstance(url, str):
        check_url(url, (*at, "image_url"), findings, what="a picture", mime_types=PICTURES)


def _file(part: Json, at: JsonPath, findings: Findings) -> None:
    ways = [name for name in ("file_data", "file_url", "file_id") if part.get(name) is not None]
    if len(ways) != 1:
        reason = f"a file has one of file_data, file_url and file_id, and this one has {', '.join(ways) or 'none'}"
        findings.add(at, "file", reason, "give one of them, or take it out")
        return
    value = part[ways[0]]
    if ways[0] == "file_data" and isinstance(value, str):
        check_url(value, (*at, "file_data"), findings, what="a file", only_data=True)
        if "filename" not in part:
            reason = f"{findings.vendor} wants a name beside a file's data"
            findings.add((*at, "filename"), "file", reason, "give it a filename")
    elif ways[0] == "file_url" and isinstance(value, str) and not value.lower().startswith(("http://", "https://")):
        reason = f"the address of a file begins with http:// or https://, and this is {shown(value)}"
        findings.add((*at, "file_url"), "url", reason, "give such an address, or take it out")
