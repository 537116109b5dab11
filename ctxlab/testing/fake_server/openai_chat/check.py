"""Refusals of Chat Completions for a body: OpenAI's, DeepSeek's and those of compatible servers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.testing.fake_server.media import data_url, has_scheme, is_base64
from ctxlab.testing.fake_server.openai_chat.models import OpenAiTraits, traits_of
from ctxlab.testing.fake_server.openai_chat.shape import COMPATIBLE, DEEPSEEK, REQUEST
from ctxlab.testing.fake_server.refusal import Body, Path, Report
from ctxlab.testing.fake_server.shapes import as_text

MOST_PICTURES = 1_500
SAMPLING_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
OLD_NAMES = {"deepseek-chat"}
"""Names of DeepSeek that stand for a model that doesn't think."""


def check_openai(body: Body, report: Report) -> None:
    """Report everything that OpenAI's Chat Completions would refuse."""
    REQUEST(body, (), report)
    _common(body, report, most_stops=4)
    _fields(body, report)
    traits = traits_of(body["model"]) if isinstance(body.get("model"), str) else OpenAiTraits()
    _model_parameters(body, traits, report)
    pictures = 0
    for part, path in _parts(_messages(body)):
        kind = as_text(part.get("type"))
        pictures += kind == "image_url"
        if kind in {"image_url", "file"} and not traits.pictures:
            report.refuse("pictures-model", path, f"the model reads no {kind} parts")
        if kind == "input_audio" and not traits.sound:
            report.refuse("sound-model", path, "the model hears no sound")
    if pictures > MOST_PICTURES:
        report.refuse("picture-count", ("messages",), f"{pictures} pictures, at most {MOST_PICTURES} go")


def check_compatible(body: Body, report: Report) -> None:
    """Report what hardly any server that speaks Chat Completions would take; fields that nobody lists pass."""
    report.open = True
    COMPATIBLE(body, (), report)
    _common(body, report, most_stops=None)


def check_deepseek(body: Body, report: Report, *, beta: bool) -> None:
    """Report everything that DeepSeek would refuse, and the fields that it would ignore."""
    DEEPSEEK(body, (), report)
    _common(body, report, most_stops=16)
    messages = _messages(body)
    thinking = body.get("thinking")
    off = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    thinks = not off and (isinstance(thinking, dict) or as_text(body.get("model")) not in OLD_NAMES)
    for index, message in enumerate(messages):
        path, last = ("messages", index), index == len(messages) - 1
        if message.get("prefix"):
            if not last:
                report.refuse("prefix-last", (*path, "prefix"), "only the last message may be a prefix")
            if not beta:
                report.refuse("prefix-beta", (*path, "prefix"), "a prefix needs the address that ends in /beta")
        elif last and message.get("role") == "assistant":
            report.refuse("prefill-unmarked", path, "a last message of the assistant needs prefix: true")
        if thinks and message.get("tool_calls") and not isinstance(message.get("reasoning_content"), str):
            report.refuse(
                "reasoning-missing", (*path, "reasoning_content"), "the thinking of a turn with calls is missing"
            )


def _messages(body: Body) -> list[dict[str, Any]]:
    messages = body.get("messages")
    return [message if isinstance(message, dict) else {} for message in messages] if isinstance(messages, list) else []


def _parts(messages: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Path]]:
    for index, message in enumerate(messages):
        content = message.get("content")
        for number, part in enumerate(content if isinstance(content, list) else []):
            if isinstance(part, dict):
                yield part, ("messages", index, "content", number)


def _common(body: Body, report: Report, *, most_stops: int | None) -> None:
    messages = _messages(body)
    _assistants(messages, report)
    _tool_pairs(messages, report)
    if "url" in report.rules:
        for part, path in _parts(messages):
            _media(part, path, report)
    _tools(body, report)
    stop = body.get("stop")
    if isinstance(stop, list) and most_stops is not None and len(stop) > most_stops:
        report.refuse("stop-count", ("stop",), f"{len(stop)} stop sequences, at most {most_stops} go")
    if body.get("stream_options") is not None and body.get("stream") is not True:
        report.refuse("stream-options", ("stream_options",), "stream_options need stream: true")
    if body.get("top_logprobs") is not None and body.get("logprobs") is not True:
        report.refuse("logprobs", ("top_logprobs",), "top_logprobs need logprobs: true")
    wanted = body.get("response_format")
    if "json-word" in report.rules and isinstance(wanted, dict) and wanted.get("type") == "json_object":
        words = json.dumps([message.get("content") for message in messages], ensure_ascii=False).lower()
        if "json" not in words:
            report.refuse("json-word", ("messages",), "JSON mode needs the word JSON in a message")


def _assistants(messages: Sequence[dict[str, Any]], report: Report) -> None:
    for index, message in enumerate(messages):
        said = any(message.get(name) for name in ("tool_calls", "function_call", "refusal", "audio"))
        if message.get("role") == "assistant" and message.get("content") is None and not said:
            report.refuse(
                "assistant-empty", ("messages", index, "content"), "an assistant message needs content or calls"
            )


def _tool_pairs(messages: Sequence[dict[str, Any]], report: Report) -> None:
    waiting: dict[str, Path] = {}
    answered: set[str] = set()
    for index, message in enumerate(messages):
        path: Path = ("messages", index)
        if message.get("role") == "tool":
            id = as_text(message.get("tool_call_id"))
            if id in answered:
                report.refuse("tool-id-repeated", (*path, "tool_call_id"), f"{id!r} is answered twice")
            elif waiting.pop(id, None) is None:
                report.refuse("tool-orphan", (*path, "tool_call_id"), f"no call right before it has the id {id!r}")
            answered.add(id)
            continue
        _unanswered(waiting, report)
        waiting, answered = {}, set()
        calls = message.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            _call(call, (*path, "tool_calls", number), waiting, report)
    _unanswered(waiting, report)


def _unanswered(waiting: dict[str, Path], report: Report) -> None:
    for id, path in waiting.items():
        report.refuse("tool-unanswered", path, f"no tool message right after it answers {id!r}")


def _call(call: Any, path: Path, waiting: dict[str, Path], report: Report) -> None:
    if not isinstance(call, dict) or not isinstance(call.get("id"), str):
        return
    if call["id"] in waiting:
        report.refuse("tool-id-repeated", (*path, "id"), f"the id {call['id']!r} is there twice")
    waiting[call["id"]] = path
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, str) and not is_json_object(arguments):
        report.refuse("tool-arguments", (*path, "function", "arguments"), "the arguments are no JSON object")


def is_json_object(text: str) -> bool:
    """Whether a text is the JSON of an object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _media(part: dict[str, Any], path: Path, report: Report) -> None:
    kind = as_text(part.get("type"))
    inner = part.get(kind)
    if not isinstance(inner, dict):
        return
    if kind == "image_url" and isinstance(inner.get("url"), str):
        _url(inner["url"], (*path, "image_url", "url"), report)
    elif kind == "input_audio" and isinstance(inner.get("data"), str) and not is_base64(inner["data"]):
        report.refuse("base64", (*path, "input_audio", "data"), "the data is not base64")
    elif kind == "file" and "file" in report.rules:
        _file(inner, (*path, "file"), report)


def _url(url: str, path: Path, report: Report) -> None:
    embedded = data_url(url)
    if embedded is not None and not is_base64(embedded.data):
        report.refuse("base64", path, "the data is not base64")
    elif embedded is not None and not embedded.mime_type.startswith("image/"):
        report.refuse("url", path, f"{embedded.mime_type} is no picture")
    elif embedded is None and not has_scheme(url, "http", "https"):
        report.refuse("url", path, "a picture is at http or https, or in a data URL")


def _file(file: dict[str, Any], path: Path, report: Report) -> None:
    data = file.get("file_data")
    if isinstance(data, str):
        embedded = data_url(data)
        if embedded is None or not is_base64(embedded.data):
            report.refuse("base64", (*path, "file_data"), "the data is no data URL of base64")
        if not file.get("filename"):
            report.refuse("file", (*path, "filename"), "file_data needs a filename")
    elif not file.get("file_id"):
        report.refuse("file", path, "a file has file_data or a file_id")


def _tools(body: Body, report: Report) -> None:
    tools = body["tools"] if isinstance(body.get("tools"), list) else []
    functions = [tool.get("function") if isinstance(tool, dict) else None for tool in tools]
    named = Counter(as_text(function.get("name")) for function in functions if isinstance(function, dict))
    for index, function in enumerate(functions):
        if not isinstance(function, dict):
            continue
        path = ("tools", index, "function")
        schema = function.get("parameters")
        if isinstance(schema, dict) and schema and schema.get("type") != "object":
            report.refuse("tool-schema", (*path, "parameters", "type"), "the type of parameters is object")
        if function.get("strict") is True and "strict-schema" in report.rules:
            strict_schema(schema, (*path, "parameters"), report)
        if "tool-name-repeated" in report.rules and named[as_text(function.get("name"))] > 1:
            report.refuse("tool-name-repeated", (*path, "name"), "two functions have this name")
    choice = body.get("tool_choice")
    if not tools:
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.get(name) is not None and body.get(name) != "none":
                report.refuse("tool-choice", (name,), f"{name} needs tools")
    elif isinstance(choice, dict) and isinstance(choice.get("function"), dict):
        name = as_text(choice["function"].get("name"))
        if name not in named:
            report.refuse("tool-choice", ("tool_choice", "function", "name"), "no tool has this name")


def strict_schema(schema: Any, path: Path, report: Report) -> None:
    """Report the objects of a strict schema that take more fields than they list, or leave some of these out."""
    waiting = [(schema, path)]
    while waiting:
        one, at = waiting.pop()
        if not isinstance(one, dict):
            continue
        listed = one.get("properties")
        kinds = one["type"] if isinstance(one.get("type"), list) else [one.get("type")]
        if "object" in kinds:
            if one.get("additionalProperties") is not False:
                report.refuse("strict-schema", (*at, "additionalProperties"), "additionalProperties has to be false")
            required = one.get("required")
            if isinstance(listed, dict) and not (
                isinstance(required, list) and all(name in required for name in listed)
            ):
                report.refuse("strict-schema", (*at, "required"), "required has to name every property")
        for group in ("properties", "$defs", "definitions"):
            if isinstance(one.get(group), dict):
                waiting += [(inner, (*at, group, name)) for name, inner in one[group].items()]
        if isinstance(one.get("anyOf"), list):
            waiting += [(inner, (*at, "anyOf", number)) for number, inner in enumerate(one["anyOf"])]
        waiting.append((one.get("items"), (*at, "items")))


def strict_answer(form: Any, path: Path, report: Report) -> None:
    """Report an answer's schema that says it is strict and isn't."""
    if isinstance(form, dict) and form.get("strict") is True:
        strict_schema(form.get("schema"), (*path, "schema"), report)


def _fields(body: Body, report: Report) -> None:
    modalities, biases = body.get("modalities"), body.get("logit_bias")
    if isinstance(modalities, list) and "audio" in modalities and not isinstance(body.get("audio"), dict):
        report.refuse("audio", ("audio",), "an answer with sound needs audio")
    for token in biases if isinstance(biases, dict) else ():
        if re.fullmatch("[0-9]+", token) is None:
            report.refuse("token", ("logit_bias", token), "the key is no id of a token")
    form = body.get("response_format")
    if isinstance(form, dict):
        strict_answer(form.get("json_schema"), ("response_format", "json_schema"), report)


def _model_parameters(body: Body, traits: OpenAiTraits, report: Report) -> None:
    effort = body.get("reasoning_effort")
    if isinstance(effort, str) and effort not in traits.efforts:
        report.refuse("effort-model", ("reasoning_effort",), f"the model has no effort {effort!r}")
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        report.refuse("max-tokens-both", ("max_tokens",), "max_tokens and max_completion_tokens are the same limit")
    for name in ("max_tokens", "max_completion_tokens"):
        limit = body.get(name)
        if isinstance(limit, int) and traits.reply_limit is not None and limit > traits.reply_limit:
            report.refuse("reply-limit", (name,), f"{limit} is above the model's limit of {traits.reply_limit}")
    if not traits.reasons:
        return
    if body.get("max_tokens") is not None:
        report.refuse("max-tokens-model", ("max_tokens",), "the model takes max_completion_tokens")
    if body.get("stop") is not None and not traits.stops:
        report.refuse("stop-model", ("stop",), "the model takes no stop sequences")
    if not traits.samples(effort if isinstance(effort, str) else None):
        for name, default in SAMPLING_DEFAULTS.items():
            if body.get(name) is not None and body[name] != default:
                report.refuse("sampling-model", (name,), f"while it reasons the model takes only {default}")
        for name in ("logprobs", "logit_bias"):
            if body.get(name):
                report.refuse("sampling-model", (name,), f"while it reasons the model takes no {name}")
