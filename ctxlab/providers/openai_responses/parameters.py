"""Parameters of a request as fields of OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, with_sent_names
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.parameters import openai_effort
from ctxlab.providers.openai_responses.tools import flat_choice, flat_format
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Provider
from ctxlab.providers.request_parameters import RequestParameters, Thinking

AS_THEY_ARE = frozenset(
    {"max_output_tokens", "temperature", "top_p", "top_logprobs", "parallel_tool_calls"}
    | {"user", "service_tier", "store", "metadata", "stream"}
)
ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"


def put_parameters(
    parameters: RequestParameters,
    model: ModelInfo,
    provider: Provider,
    forms: CallForms,
    out: BodyWriter,
    *,
    has_encrypted_reasoning: bool = False,
) -> None:
    """Put each parameter that is given into the body, or record that there is no place for it."""
    body = out.body
    for name, value in parameters.given().items():
        if name in AS_THEY_ARE:
            body[name] = plain_json(value)
        elif name == "tool_choice" and "tools" in body:
            body["tool_choice"] = flat_choice(with_sent_names(plain_json(value), forms))
        elif name == "response_format":
            body["text"] = {"format": flat_format(value)}
        elif name == "thinking":
            _put_thinking(value, model, provider, out)
        elif name == "stream_options":
            _put_stream_options(value, out)
        elif name == "tool_choice":
            out.lose("parameter", name, "there are no tools to choose from; it isn't sent")
        elif name not in ("include", "web_search", "logprobs"):  # logprobs is one of `include`
            out.lose("parameter", name, f"{provider.title} has no such field; it isn't sent")
    include = _include(parameters, model, has_encrypted_reasoning=has_encrypted_reasoning)
    if include:
        body["include"] = include


def _put_stream_options(options: Mapping[str, Any], out: BodyWriter) -> None:
    for name in options:
        if name != "include_obfuscation":
            out.lose("parameter", f"stream_options.{name}", "a stream of Responses has no such option; it isn't sent")
    if "include_obfuscation" in options:
        out.body["stream_options"] = {"include_obfuscation": options["include_obfuscation"]}


def _include(parameters: RequestParameters, model: ModelInfo, *, has_encrypted_reasoning: bool) -> list[str]:
    found = list(parameters.include)
    if parameters.logprobs:
        found.append(LOGPROBS)
    thinks = model.thinks_always or model.thinks_by_default or bool(model.efforts)
    if parameters.store is False and (thinks or has_encrypted_reasoning):
        found.append(ENCRYPTED)
    return list(dict.fromkeys(found))


def _put_thinking(thinking: Thinking, model: ModelInfo, provider: Provider, out: BodyWriter) -> None:
    reasoning: dict[str, Any] = {}
    effort = openai_effort(thinking, model, provider, out)
    if effort is not None:
        reasoning["effort"] = effort
    if thinking.include:
        reasoning["summary"] = "auto"
    if reasoning:
        out.body["reasoning"] = reasoning
