"""Problems of a chat completion's body, by the rules of OpenAI and of those that take its form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ctxlab.providers.body_checks import (
    BOOLEAN,
    OBJECT,
    Findings,
    Value,
    check_fields,
    check_size,
    number,
    one_of,
    or_null,
    text,
    texts,
    whole,
)
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.check_messages import (
    any_text_holds,
    check_messages,
    check_thoughts,
    too_many_messages,
    too_many_pictures,
)
from ctxlab.providers.openai_chat.check_model import EFFORTS, check_model, thinks
from ctxlab.providers.openai_chat.check_tools import check_choice, check_format, check_tools
from ctxlab.providers.openai_chat.profiles import (
    OF_OPENAI,
    ChatProfile,
    profile_of,
    wants_completion_tokens,
)
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider

Json = Mapping[str, Any]

MAX_MESSAGES = 2048
METADATA = Value(
    "up to 16 texts of up to 512 characters, with names of up to 64",
    lambda value: (
        isinstance(value, dict)
        and len(cast("Json", value)) <= 16
        and all(
            len(name) <= 64 and isinstance(item, str) and len(item) <= 512 for name, item in cast("Json", value).items()
        )
    ),
)
BIASES = Value(
    "an object of numbers from -100 to 100 under the ids of tokens",
    lambda value: (
        isinstance(value, dict)
        and all(
            name.isascii()
            and name.isdecimal()
            and isinstance(bias, int | float)
            and not isinstance(bias, bool)
            and -100 <= bias <= 100
            for name, bias in cast("Json", value).items()
        )
    ),
)
TIERS = one_of("auto", "default", "flex", "scale", "priority", "fast")
MODALITIES = Value(
    "an array of 'text' and 'audio'",
    lambda value: (
        isinstance(value, list) and bool(value) and set(map(str, cast("list[Any]", value))) <= {"text", "audio"}
    ),
)

SHARED: Mapping[str, Value] = {
    "model": text(least=1),
    "messages": Value("an array", lambda value: True),  # looked at on their own
    "temperature": or_null(number(0, 2)),
    "top_p": or_null(number(0, 1)),
    "max_tokens": or_null(whole(1)),
    "frequency_penalty": or_null(number(-2, 2)),
    "presence_penalty": or_null(number(-2, 2)),
    "stop": Value("a text or an array of texts", lambda value: True),
    "logprobs": or_null(BOOLEAN),
    "top_logprobs": or_null(whole(0, 20)),
    "response_format": OBJECT,
    "tools": Value("an array", lambda value: True),
    "tool_choice": Value("a choice", lambda value: True),
    "reasoning_effort": or_null(one_of(*EFFORTS)),
    "stream": or_null(BOOLEAN),
    "stream_options": or_null(OBJECT),
}
OPENAI_FIELDS: Mapping[str, Value] = {
    **SHARED,
    "max_completion_tokens": or_null(whole(1)),
    "seed": or_null(whole(-(2**63), 2**63 - 1)),
    "n": or_null(whole(1, 128)),
    "logit_bias": or_null(BIASES),
    "parallel_tool_calls": BOOLEAN,
    "modalities": or_null(MODALITIES),
    "audio": or_null(OBJECT),
    "prediction": or_null(OBJECT),
    "user": text(),
    "service_tier": or_null(TIERS),
    "store": or_null(BOOLEAN),
    "metadata": or_null(METADATA),
    "functions": Value("an array", lambda value: isinstance(value, list)),
    "function_call": Value("a word or an object", lambda value: isinstance(value, str | dict)),
    "moderation": or_null(OBJECT),
    "prompt_cache_key": or_null(text()),
    "prompt_cache_options": OBJECT,
    "prompt_cache_retention": or_null(one_of("in_memory", "24h")),
    "safety_identifier": or_null(text()),
    "verbosity": or_null(one_of("low", "medium", "high")),
    "web_search_options": OBJECT,
}
DEEPSEEK_FIELDS: Mapping[str, Value] = {
    **SHARED,
    "reasoning_effort": or_null(one_of("minimal", "low", "medium", "high", "xhigh", "max", "ultra")),
    "thinking": or_null(OBJECT),
    "user_id": or_null(text(512)),
}
COMPATIBLE_FIELDS: Mapping[str, Value] = {
    **OPENAI_FIELDS,
    "thinking": or_null(OBJECT),
    "top_k": or_null(whole(-1)),
}


def check_body(
    body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
) -> Iterable[Problem]:
    """The problems of a plain JSON body, in its order."""
    profile = profile_of(provider)
    findings = Findings(provider.title, lenient=profile.lenient)
    check_fields(body, _fields_of(provider), (), findings, required=("model", "messages"), extra=provider.extra_fields)
    if "messages" in body:
        check_messages(body["messages"], model, profile, findings)
    _tools(body, profile, findings)
    _together(body, model, provider, profile, findings)
    check_model(body, model, findings, of_openai=profile is OF_OPENAI)
    check_size(body, profile.max_bytes, findings)
    order = {name: i for i, name in enumerate(body)}
    return sorted(findings.found, key=lambda each: order.get(str(each.path[0]), len(order)) if each.path else -1)


def _fields_of(provider: Provider) -> Mapping[str, Value]:
    known = {"openai": OPENAI_FIELDS, "deepseek": DEEPSEEK_FIELDS}
    return known.get(provider.name, COMPATIBLE_FIELDS)


def _tools(body: Json, profile: ChatProfile, findings: Findings) -> None:
    names: set[str] | None = None
    if body.get("tools") is not None:
        found = check_tools(body["tools"], findings, lenient=profile.lenient, unique=profile.unique_tools)
        names = found if found is not None else set()
    if body.get("tool_choice") is not None:
        check_choice(body["tool_choice"], names, findings)
    if body.get("parallel_tool_calls") is not None and names is None:
        reason = "there are no tools, and parallel_tool_calls is taken with tools alone"
        findings.add(("parallel_tool_calls",), "choice-without-tools", reason, "leave it out, or give tools")
    if isinstance(body.get("response_format"), dict):
        check_format(body["response_format"], ("response_format",), findings, json_schema=profile.json_schema)


def _together(body: Json, model: ModelInfo, provider: Provider, profile: ChatProfile, findings: Findings) -> None:
    """Record fields that need others, or stand against them."""
    messages = body.get("messages")
    messages = cast("list[Any]", messages) if isinstance(messages, list) else []
    _stops(body, profile, findings)
    if body.get("stream_options") is not None:
        _stream_options(body, findings)
    if body.get("top_logprobs") is not None and body.get("logprobs") is not True:
        reason = "top_logprobs is taken with logprobs alone"
        findings.add(("top_logprobs",), "top-logprobs", reason, "set logprobs to true, or leave it out")
    modalities = body.get("modalities")
    if isinstance(modalities, list) and "audio" in modalities and not isinstance(body.get("audio"), dict):
        reason = "an answer with sound wants a voice and a format in audio"
        findings.add(("audio",), "audio", reason, "give audio, or take 'audio' out of modalities")
    form = body.get("response_format")
    if isinstance(form, dict) and cast("Json", form).get("type") == "json_object" and not profile.lenient:
        _json_word(messages, findings)
    if profile is OF_OPENAI:
        too_many_messages(messages, MAX_MESSAGES, findings)
    if profile.max_pictures is not None:
        too_many_pictures("messages", messages, "image_url", profile.max_pictures, findings)
    _reply_limit(body, model, profile, findings)
    if provider.name == "deepseek":
        _deepseek(body, model, messages, findings)


def _stops(body: Json, profile: ChatProfile, findings: Findings) -> None:
    stop = body.get("stop")
    known = texts(profile.max_stops)
    if stop is not None and not isinstance(stop, str) and not known.takes(stop):
        wanted = f"a text or {known.wanted}"
        findings.add(("stop",), "stop", f"{findings.vendor} takes {wanted} here", f"give {wanted}")


def _stream_options(body: Json, findings: Findings) -> None:
    at = ("stream_options",)
    if body.get("stream") is not True:
        findings.add(at, "stream-options", "stream_options is taken with stream alone", "leave it out, or stream")
    if isinstance(body["stream_options"], dict):
        fields = {"include_usage": BOOLEAN, "include_obfuscation": BOOLEAN}
        check_fields(body["stream_options"], fields, at, findings, what="stream_options")


def _json_word(messages: list[Any], findings: Findings) -> None:
    if not any_text_holds(messages, "json"):
        reason = "an answer in JSON is asked for, and no message has the word JSON in it"
        findings.add(("response_format",), "json-word", reason, "ask for JSON in a message, or leave it out")


def _reply_limit(body: Json, model: ModelInfo, profile: ChatProfile, findings: Findings) -> None:
    at = ("max_tokens",)
    if body.get("max_tokens") is None or profile.lenient:
        return
    if body.get("max_completion_tokens") is not None:
        reason = "max_tokens and max_completion_tokens say the same"
        findings.add(at, "reply-limit", reason, "leave max_tokens out")
    elif profile is OF_OPENAI and wants_completion_tokens(model, profile):
        reason = f"{model.name or 'this model'} takes no max_tokens, for it thinks before it replies"
        findings.add(at, "reply-limit", reason, "name it max_completion_tokens")


def _deepseek(body: Json, model: ModelInfo, messages: list[Any], findings: Findings) -> None:
    thinking = body.get("thinking")
    at = ("thinking",)
    if isinstance(thinking, dict):
        fields = {"type": one_of("enabled", "disabled")}
        check_fields(cast("Json", thinking), fields, at, findings, required=("type",), what="thinking")
    if thinks(body, model):
        check_thoughts(messages, findings)
