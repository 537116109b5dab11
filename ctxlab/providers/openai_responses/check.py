"""Problems of the body of a response, by OpenAI's rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ctxlab.providers.body_checks import (
    ANYTHING,
    ARRAY,
    BOOLEAN,
    OBJECT,
    Findings,
    Value,
    check_fields,
    check_size,
    is_object,
    number,
    one_of,
    or_null,
    shown,
    text,
    whole,
)
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.check import METADATA, TIERS
from ctxlab.providers.openai_chat.check_messages import any_text_holds, too_many_pictures
from ctxlab.providers.openai_chat.check_model import EFFORTS, check_model
from ctxlab.providers.openai_chat.check_tools import (
    CHOICES,
    FUNCTION,
    TOOL_NAME,
    check_allowed,
    check_function,
    check_schema_format,
    check_tool_count,
    is_there,
)
from ctxlab.providers.openai_chat.profiles import OF_OPENAI
from ctxlab.providers.openai_responses.check_items import check_input
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider

Json = Mapping[str, Any]

INCLUDABLE = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
INCLUDE = Value(
    f"an array of {', '.join(INCLUDABLE)}",
    lambda value: isinstance(value, list) and all(item in INCLUDABLE for item in cast("list[Any]", value)),
)
LEAST_TOKENS = 16
FIELDS: Mapping[str, Value] = {
    "model": text(least=1),
    "input": ANYTHING,  # looked at on its own
    "instructions": or_null(text()),
    "background": or_null(BOOLEAN),
    "background_options": OBJECT,
    "access_programs": OBJECT,
    "context_management": or_null(ARRAY),
    "conversation": Value("an id or an object", lambda value: value is None or isinstance(value, str | dict)),
    "image": OBJECT,
    "include": or_null(INCLUDE),
    "max_output_tokens": or_null(whole(LEAST_TOKENS)),
    "max_tool_calls": or_null(whole(1)),
    "metadata": or_null(METADATA),
    "moderation": or_null(OBJECT),
    "parallel_tool_calls": or_null(BOOLEAN),
    "previous_response_id": or_null(text()),
    "prompt": or_null(OBJECT),
    "prompt_cache_key": or_null(text()),
    "prompt_cache_options": OBJECT,
    "prompt_cache_retention": or_null(one_of("in_memory", "24h")),
    "reasoning": or_null(OBJECT),
    "safety_identifier": or_null(text()),
    "service_tier": or_null(TIERS),
    "store": or_null(BOOLEAN),
    "stream": or_null(BOOLEAN),
    "stream_options": or_null(OBJECT),
    "temperature": or_null(number(0, 2)),
    "text": OBJECT,
    "tool_choice": ANYTHING,
    "tools": ANYTHING,
    "top_logprobs": or_null(whole(0, 20)),
    "top_p": or_null(number(0, 1)),
    "truncation": or_null(one_of("auto", "disabled")),
    "user": text(),
}
REASONING: Mapping[str, Value] = {
    "effort": or_null(one_of(*EFFORTS)),
    "summary": or_null(one_of("auto", "concise", "detailed")),
    "generate_summary": or_null(one_of("auto", "concise", "detailed")),
    "context": or_null(one_of("auto", "current_turn", "all_turns")),
    "mode": text(),
}
FLAT_FUNCTION: Mapping[str, Value] = {
    **FUNCTION,
    "type": text(),
    "allowed_callers": ANYTHING,
    "defer_loading": BOOLEAN,
    "output_schema": or_null(OBJECT),
}
CUSTOM: Mapping[str, Value] = {
    "type": text(),
    "name": TOOL_NAME,
    "description": text(),
    "format": OBJECT,
    "allowed_callers": ANYTHING,
    "defer_loading": BOOLEAN,
}
HOSTED = frozenset(
    {"file_search", "computer", "computer_use_preview", "web_search", "web_search_2025_08_26", "mcp"}
    | {"web_search_preview", "web_search_preview_2025_03_11", "code_interpreter", "image_generation", "local_shell"}
    | {"shell", "namespace", "tool_search", "apply_patch", "programmatic_tool_calling"}
)
"""Types of tools that the vendor runs, or knows; their fields are its own."""


def check_body(
    body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
) -> Iterable[Problem]:
    """The problems of a plain JSON body, in its order."""
    findings = Findings(provider.title)
    check_fields(body, FIELDS, (), findings, required=("model",), extra=provider.extra_fields)
    goes_on = any(body.get(name) for name in ("previous_response_id", "conversation", "prompt"))
    if "input" in body:
        check_input(body["input"], model, findings, goes_on=goes_on, is_stored=body.get("store") is not False)
    elif not goes_on:
        reason = f"{provider.title} wants an input, and there is none"
        findings.add(("input",), "field-missing", reason, "give a text or an array of items")
    names = _tools(body["tools"], findings) if body.get("tools") is not None else None
    if body.get("tool_choice") is not None:
        _choice(body["tool_choice"], names, findings)
    _objects(body, findings)
    check_model(body, model, findings)
    check_size(body, OF_OPENAI.max_bytes, findings)
    if isinstance(body.get("input"), list) and OF_OPENAI.max_pictures is not None:
        too_many_pictures("input", body["input"], "input_image", OF_OPENAI.max_pictures, findings)
    order = {name: i for i, name in enumerate(body)}
    return sorted(findings.found, key=lambda each: order.get(str(each.path[0]), len(order)) if each.path else -1)


def _objects(body: Json, findings: Findings) -> None:
    """Record problems inside `reasoning`, `text` and `stream_options`, and of fields that exclude each other."""
    if isinstance(body.get("reasoning"), dict):
        check_fields(body["reasoning"], REASONING, ("reasoning",), findings, what="reasoning")
    if isinstance(body.get("text"), dict):
        _answer(body["text"], body, findings)
    if body.get("stream_options") is not None and body.get("stream") is not True:
        reason = "stream_options is taken with stream alone"
        findings.add(("stream_options",), "stream-options", reason, "leave it out, or stream")
    if isinstance(body.get("stream_options"), dict):
        fields = {"include_obfuscation": BOOLEAN}
        check_fields(body["stream_options"], fields, ("stream_options",), findings, what="stream_options")
    if body.get("previous_response_id") and body.get("conversation"):
        reason = "a response goes on from a response or a conversation, and both are named"
        findings.add(("previous_response_id",), "goes-on", reason, "leave one of them out")


def _answer(answer: Json, body: Json, findings: Findings) -> None:
    fields = {"format": OBJECT, "verbosity": or_null(one_of("low", "medium", "high"))}
    check_fields(answer, fields, ("text",), findings, what="text")
    form = answer.get("format")
    if not isinstance(form, dict):
        return
    form = cast("Json", form)
    at = ("text", "format")
    kind = form.get("type")
    if kind == "json_schema":
        check_schema_format(form, at, findings, "type")
        if "schema" not in form:
            reason = f"{findings.vendor} wants the schema itself here, and there is none"
            findings.add((*at, "schema"), "field-missing", reason, "give a schema, or leave the form out")
    elif kind in ("text", "json_object"):
        check_fields(form, {"type": text()}, at, findings, what="the form of an answer")
        if kind == "json_object":
            _json_word(body, findings)
    else:
        kinds = "text, json_object, json_schema"
        reason = f"{findings.vendor} gives answers as one of {kinds}, and this is {shown(kind)}"
        findings.add((*at, "type"), "answer-form", reason, f"make it one of {kinds}, or take the whole form out")


def _json_word(body: Json, findings: Findings) -> None:
    given = body.get("input")
    items: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [{"content": given}]
    if not any_text_holds(items, "json"):
        reason = "an answer in JSON is asked for, and no message of the input has the word JSON in it"
        findings.add(("text", "format"), "json-word", reason, "ask for JSON in a message, or leave it out")


def _tools(tools: Any, findings: Findings) -> set[str] | None:
    """Record the problems of `tools`; gives the names of functions, None where there are no tools."""
    if not isinstance(tools, list):
        reason = f"tools are an array, and this is {shown(tools)}"
        findings.add(("tools",), "tools", reason, "make it an array, or leave it out")
        return set()
    tools = cast("list[Any]", tools)
    check_tool_count(tools, findings, lenient=False)
    names: set[str] = set()
    for i, tool in enumerate(tools):
        at = ("tools", i)
        if is_object(tool, at, findings, "a tool"):
            _tool(cast("Json", tool), at, names, findings)
    return names if tools else None


def _tool(tool: Json, at: tuple[str, int], names: set[str], findings: Findings) -> None:
    kind = tool.get("type")
    if kind == "function":
        check_function(tool, FLAT_FUNCTION, at, names, findings)
    elif kind == "custom":
        check_function(tool, CUSTOM, at, names, findings)
    elif not isinstance(kind, str) or kind not in HOSTED:
        reason = f"{shown(kind)} is no type of a tool of {findings.vendor}"
        findings.add((*at, "type"), "tool-type", reason, "make it 'function' with a name, or take it out")


def _choice(choice: Any, names: set[str] | None, findings: Findings) -> None:
    at = ("tool_choice",)
    if isinstance(choice, str):
        if choice not in CHOICES:
            mend = f"make it one of {', '.join(CHOICES)}, or name a tool in an object"
            findings.add(at, "tool-choice", f"{shown(choice)} is no choice of tools", mend)
        elif choice == "required" and names is None:
            reason = "there are no tools, and one is required"
            findings.add(at, "choice-without-tools", reason, "leave it out, or give tools")
        return
    if not is_object(choice, at, findings, "a choice of tools"):
        return
    choice = cast("Json", choice)
    kind = choice.get("type")
    if kind in ("function", "custom"):
        fields = {"type": text(), "name": text(least=1)}
        check_fields(choice, fields, at, findings, required=("name",), what="the choice of a tool")
        is_there(choice.get("name"), names or set(), (*at, "name"), findings)
    elif kind == "allowed_tools":
        check_allowed(choice, at, findings, "type")
    elif not isinstance(kind, str) or kind not in HOSTED:
        reason = f"{shown(kind)} is no type of a choice of {findings.vendor}"
        findings.add((*at, "type"), "tool-choice", reason, "make it 'function' with a tool's name, or leave it out")
