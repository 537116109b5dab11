"""Refusals of OpenAI's Responses for a body, all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.media import data_url, has_scheme, is_base64
from ctxlab.testing.fake_server.openai_chat.check import (
    MOST_PICTURES,
    is_json_object,
    strict_answer,
    strict_schema,
)
from ctxlab.testing.fake_server.openai_chat.models import OpenAiTraits, traits_of
from ctxlab.testing.fake_server.openai_responses.shape import REQUEST
from ctxlab.testing.fake_server.refusal import Body, Path, Report, SentSignatures
from ctxlab.testing.fake_server.shapes import as_text

BEGINS = {"message": "msg_", "reasoning": "rs_", "function_call": "fc_"}
CALLS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
OUTPUTS = set(CALLS.values())
ENCRYPTED = lazy_pattern(r"[A-Za-z0-9+/_=-]+")


def check(body: Body, report: Report, *, sent: SentSignatures) -> None:
    """Report everything that the Responses API would refuse."""
    REQUEST(body, (), report)
    stored = body.get("previous_response_id") is not None or body.get("conversation") is not None
    if not (body.get("model") or body.get("prompt")):
        report.refuse("shape.missing", ("model",), "the field is required")
    if body.get("input") in (None, [], "") and not stored and body.get("prompt") is None:
        report.refuse("input", ("input",), "there is no input and no conversation to go on with")
    if body.get("previous_response_id") is not None and body.get("conversation") is not None:
        report.refuse(
            "state-both", ("previous_response_id",), "previous_response_id and conversation exclude each other"
        )
    given = body.get("input")
    entries = [entry if isinstance(entry, dict) else {} for entry in given] if isinstance(given, list) else []
    _tool_pairs(entries, report, stored=stored)
    _ids(entries, report)
    for index, entry in enumerate(entries):
        if entry.get("type") == "reasoning":
            _reasoning(entry, ("input", index), entries[index + 1 :], report, sent=sent, store=body.get("store"))
    traits = traits_of(body["model"]) if isinstance(body.get("model"), str) else OpenAiTraits()
    _media(entries, traits, report)
    _tools(body, report)
    _parameters(body, traits, report)


def _tool_pairs(entries: list[dict[str, Any]], report: Report, *, stored: bool) -> None:
    waiting: dict[tuple[str, str], int] = {}
    answered: set[str] = set()
    called: set[str] = set()
    for index, entry in enumerate(entries):
        kind, id, path = as_text(entry.get("type")), as_text(entry.get("call_id")), ("input", index)
        if kind in CALLS:
            if id in called:
                report.refuse("tool-id-repeated", (*path, "call_id"), f"the call {id!r} is there twice")
            called.add(id)
            waiting[CALLS[kind], id] = index
            arguments = entry.get("arguments")
            if isinstance(arguments, str) and not is_json_object(arguments):
                report.refuse("tool-arguments", (*path, "arguments"), "the arguments are no JSON object")
        elif kind in OUTPUTS:
            if id in answered:
                report.refuse("tool-id-repeated", (*path, "call_id"), f"{id!r} is answered twice")
            elif waiting.pop((kind, id), None) is None and not stored:
                report.refuse("tool-orphan", (*path, "call_id"), f"no call before it has the id {id!r}")
            answered.add(id)
    for (_, id), index in waiting.items():
        report.refuse("tool-unanswered", ("input", index), f"no output after it answers {id!r}")


def _ids(entries: list[dict[str, Any]], report: Report) -> None:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        kind, id, path = as_text(entry.get("type", "message")), entry.get("id"), ("input", index, "id")
        if not isinstance(id, str):
            continue
        if id in seen:
            report.refuse("tool-id-repeated", path, f"two items have the id {id!r}")
        seen.add(id)
        begin = BEGINS.get(kind, "")
        if not id.startswith(begin) and (kind != "message" or entry.get("role") == "assistant"):
            report.refuse("item-id", path, f"the id of a {kind} begins with {begin}")


def _reasoning(
    entry: dict[str, Any], path: Path, after: list[dict[str, Any]], report: Report, *, sent: SentSignatures, store: Any
) -> None:
    id, encrypted = entry.get("id"), entry.get("encrypted_content")
    if encrypted is None and (id is None or store is False):
        report.refuse("reasoning-empty", path, "there is no encrypted_content, and nothing is stored to take it from")
    if isinstance(encrypted, str):
        known = encrypted in sent.thinking
        if ENCRYPTED.fullmatch(encrypted) is None or not (known or sent.trust_others):
            report.refuse("signature", (*path, "encrypted_content"), "the content is none that was given")
    if id is not None:
        following = next((item for item in after if item.get("type") != "reasoning"), {})
        asked = following.get("role") in ("user", "system", "developer") or as_text(following.get("type")) in OUTPUTS
        if not following or asked:
            report.refuse("reasoning-alone", path, f"no item of the reply follows the reasoning {id!r}")


def _parts(entries: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Path]]:
    for index, entry in enumerate(entries):
        for name in ("content", "output"):
            content = entry.get(name)
            for number, part in enumerate(content if isinstance(content, list) else []):
                if isinstance(part, dict):
                    yield part, ("input", index, name, number)


def _media(entries: list[dict[str, Any]], traits: OpenAiTraits, report: Report) -> None:
    pictures = 0
    for part, path in _parts(entries):
        kind = as_text(part.get("type"))
        if kind not in {"input_image", "input_file"}:
            continue
        pictures += kind == "input_image"
        if not traits.pictures:
            report.refuse("pictures-model", path, f"the model reads no {kind} parts")
        if kind == "input_image":
            _picture(part, path, report)
        else:
            _file(part, path, report)
    if pictures > MOST_PICTURES:
        report.refuse("picture-count", ("input",), f"{pictures} pictures, at most {MOST_PICTURES} go")


def _picture(part: dict[str, Any], path: Path, report: Report) -> None:
    url = part.get("image_url")
    embedded = data_url(url) if isinstance(url, str) else None
    if embedded is not None and not is_base64(embedded.data):
        report.refuse("base64", (*path, "image_url"), "the data is not base64")
    elif embedded is not None and not embedded.mime_type.startswith("image/"):
        report.refuse("url", (*path, "image_url"), f"{embedded.mime_type} is no picture")
    elif isinstance(url, str) and embedded is None and not has_scheme(url, "http", "https"):
        report.refuse("url", (*path, "image_url"), "a picture is at http or https, or in a data URL")
    elif url is None and part.get("file_id") is None:
        report.refuse("file", path, "a picture has image_url or file_id")


def _file(part: dict[str, Any], path: Path, report: Report) -> None:
    data, url = part.get("file_data"), part.get("file_url")
    if isinstance(data, str):
        embedded = data_url(data)
        if embedded is None or not is_base64(embedded.data):
            report.refuse("base64", (*path, "file_data"), "the data is no data URL of base64")
        if not part.get("filename"):
            report.refuse("file", (*path, "filename"), "file_data needs a filename")
    elif isinstance(url, str):
        if not has_scheme(url, "http", "https"):
            report.refuse("url", (*path, "file_url"), "a file is at http or https")
    elif not part.get("file_id"):
        report.refuse("file", path, "a file has file_data, file_url or file_id")


def _tools(body: Body, report: Report) -> None:
    tools = (
        [tool if isinstance(tool, dict) else {} for tool in body["tools"]]
        if isinstance(body.get("tools"), list)
        else []
    )
    named = {as_text(tool.get("name")) for tool in tools if tool.get("type") == "function"}
    for index, tool in enumerate(tools):
        if tool.get("type") != "function":
            continue
        schema = tool.get("parameters")
        if isinstance(schema, dict) and schema and schema.get("type") != "object":
            report.refuse("tool-schema", ("tools", index, "parameters", "type"), "the type of parameters is object")
        if tool.get("strict") is True:
            strict_schema(schema, ("tools", index, "parameters"), report)
    choice = body.get("tool_choice")
    if not tools and choice is not None and choice not in ("none", "auto"):
        report.refuse("tool-choice", ("tool_choice",), "tool_choice needs tools")
    elif (
        tools
        and isinstance(choice, dict)
        and choice.get("type") == "function"
        and as_text(choice.get("name")) not in named
    ):
        report.refuse("tool-choice", ("tool_choice", "name"), "no tool has this name")


def _parameters(body: Body, traits: OpenAiTraits, report: Report) -> None:
    reasoning, limit = body.get("reasoning"), body.get("max_output_tokens")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    if isinstance(effort, str) and effort not in traits.efforts:
        report.refuse("effort-model", ("reasoning", "effort"), f"the model has no effort {effort!r}")
    if isinstance(limit, int) and traits.reply_limit is not None and limit > traits.reply_limit:
        report.refuse(
            "reply-limit", ("max_output_tokens",), f"{limit} is above the model's limit of {traits.reply_limit}"
        )
    if traits.reasons and not traits.samples(effort if isinstance(effort, str) else None):
        for name in ("temperature", "top_p"):
            if body.get(name) is not None and body[name] != 1:
                report.refuse("sampling-model", (name,), "while it reasons the model takes only 1")
    if body.get("stream_options") is not None and body.get("stream") is not True:
        report.refuse("stream-options", ("stream_options",), "stream_options need stream: true")
    wanted = body.get("text")
    format = wanted.get("format") if isinstance(wanted, dict) else None
    strict_answer(format, ("text", "format"), report)
    if isinstance(format, dict) and format.get("type") == "json_object":
        words = json.dumps([body.get("input")], ensure_ascii=False).lower()
        if "json" not in words:
            report.refuse("json-word", ("input",), "JSON mode needs the word JSON in the input")
