"""Parameters of a request as fields of OpenAI's chat form."""

from __future__ import annotations

from typing import Any

from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, with_sent_names
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.profiles import ChatProfile, wants_completion_tokens
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.problem import Fix
from ctxlab.providers.provider import Provider
from ctxlab.providers.request_parameters import RequestParameters, Thinking

ELSEWHERE = {
    "include": "it is of OpenAI's Responses",
    "safety": "it is of Gemini",
    "web_search": "this vendor's chat searches nothing",
    "top_k": "words are drawn by top_p alone there",
}


def put_parameters(
    parameters: RequestParameters,
    model: ModelInfo,
    provider: Provider,
    profile: ChatProfile,
    forms: CallForms,
    out: BodyWriter,
) -> None:
    """Put each parameter that is given into the body, or record that there is no place for it."""
    for name, value in parameters.given().items():
        if name == "max_output_tokens":
            out.body["max_completion_tokens" if wants_completion_tokens(model, profile) else "max_tokens"] = value
        elif name == "thinking":
            put_thinking(value, model, provider, profile, out)
        elif name == "stream":
            out.body["stream"] = value
            if value:
                out.body["stream_options"] = plain_json(parameters.stream_options or {"include_usage": True})
        elif name == "stream_options":
            if not parameters.stream:  # with it they are in the body
                _lose(name, "they say something of a stream alone", out)
        elif name == "web_search" and provider.name == "openai":
            out.body["web_search_options"] = plain_json(value)
        elif name == "response_format" and not profile.json_schema and value.get("type") == "json_schema":
            out.body["response_format"] = {"type": "json_object"}
            reason = f"{provider.title} takes no schema; an answer in JSON is asked for, without it"
            out.lose("parameter", "response_format", reason, path=("response_format",))
        elif name == "stop" and len(value) > profile.max_stops:
            out.body["stop"] = list(value[: profile.max_stops])
            reason = f"{provider.title} takes up to {profile.max_stops} of them; the first ones are sent"
            out.lose("parameter", "stop", reason, path=("stop",))
        elif name in ("tool_choice", "parallel_tool_calls") and "tools" not in out.body:
            _lose(name, "there are no tools to choose from", out)
        elif name == "top_logprobs" and not parameters.logprobs:
            _lose(name, "it is taken with logprobs alone", out)
        elif name == "tool_choice":
            out.body[name] = with_sent_names(plain_json(value), forms)
        elif name in profile.parameters:
            out.body[name] = plain_json(value)
        else:
            _lose(name, ELSEWHERE.get(name, f"{provider.title}'s chat has no such field"), out)


def put_thinking(
    thinking: Thinking, model: ModelInfo, provider: Provider, profile: ChatProfile, out: BodyWriter
) -> None:
    """Put how the model is to think into the body, in the vendor's words."""
    if profile.thinking == "effort":
        effort = openai_effort(thinking, model, provider, out)
        if effort is not None:
            out.body["reasoning_effort"] = effort
        if thinking.include:
            _lose("include_thoughts", f"{provider.title}'s chat gives no thoughts", out)
        return
    _put_switch(thinking, provider, profile, out)


def openai_effort(thinking: Thinking, model: ModelInfo, provider: Provider, out: BodyWriter) -> str | None:
    """The effort in which OpenAI's models are told how to think; None leaves it to the model."""
    if thinking.mode == "off":
        if "none" in model.efforts:
            return "none"
        if model.known and not model.thinks_always and not model.efforts:
            return None
        _lose("thinking", f"{model.name or 'this model'} has no switch for it; it thinks as it is made to", out)
        return None
    if thinking.mode == "budget":
        label = "ask for an effort"
        asked = {"thinkingMode": "effort", "thinkingBudget": None, "reasoningEffort": "medium"}
        fix = Fix(label, parameters=asked)
        reason = f"{provider.title} takes an effort and no number of tokens"
        out.lose("parameter", "thinking_budget", f"{reason}; it isn't sent", fix=None if thinking.effort else fix)
    elif thinking.mode == "on" and thinking.effort is None:
        _lose("thinking", f"{provider.title} takes an effort and no switch; the model's own effort holds", out)
    return thinking.effort


def _put_switch(thinking: Thinking, provider: Provider, profile: ChatProfile, out: BodyWriter) -> None:
    """DeepSeek's switch, which many of those that take OpenAI's form have too."""
    if thinking.mode == "off" or thinking.effort == "none":
        out.body["thinking"] = {"type": "disabled"}
        return
    if thinking.mode != "effort" or not profile.lenient:
        has_budget = thinking.mode == "budget" and thinking.budget_tokens is not None and profile.lenient
        budget = {"budget_tokens": thinking.budget_tokens} if has_budget else {}
        out.body["thinking"] = {"type": "enabled", **budget}
    if thinking.mode == "budget" and thinking.budget_tokens is not None and not profile.lenient:
        _lose("thinking_budget", f"{provider.title} takes an effort and no number of tokens", out)
    if thinking.effort is not None:
        out.body["reasoning_effort"] = thinking.effort
    if thinking.include is False:
        _lose("include_thoughts", f"{provider.title} gives its thoughts in any case", out)


def is_thinking(parameters: RequestParameters, model: ModelInfo) -> bool:
    """Whether the model thinks with these parameters."""
    thinking = parameters.thinking
    if thinking is None:
        return model.thinks_always or model.thinks_by_default
    return thinking.mode != "off" and thinking.effort != "none"


def _lose(name: str, why: str, out: BodyWriter, **more: Any) -> None:
    out.lose("parameter", name, f"{why}; it isn't sent", **more)
