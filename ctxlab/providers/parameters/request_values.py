"""Stored parameters as those of a request, in nobody's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.parameters.layers import Effective
from ctxlab.providers.request_parameters import RequestParameters, Thinking, ThinkingMode

PLAIN = (
    *("temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "seed", "n", "logprobs", "logit_bias"),
    *("top_logprobs", "response_format", "tool_choice", "parallel_tool_calls", "audio", "prediction", "service_tier"),
)
"""Parameters that have one name and one form, stored and settled."""


def request_parameters(found: Effective, *, stream: bool = False) -> tuple[RequestParameters, tuple[RequestLoss, ...]]:
    """The parameters of a request, and what of the stored ones has no place in any."""
    values = found.values
    losses: list[RequestLoss] = []
    custom = dict(found.custom)
    if values.get("tools"):
        reason = "tools are those of the agent; definitions among the parameters aren't sent"
        losses.append(RequestLoss("parameter", "tools", reason))
    streams = stream or values.get("stream") is True
    if "stream_options" in values and streams:
        custom.setdefault("stream_options", values["stream_options"])
    parameters = RequestParameters(
        max_output_tokens=values.get("max_completion_tokens") or values.get("max_tokens"),
        stop=_stops(values),
        thinking=_thinking(values),
        modalities=tuple(values.get("modalities") or ()),
        include=tuple(values.get("include") or ()),
        safety=tuple(values.get("safety_settings") or ()),
        store=values["store"] if "store" in values else values.get("responses_store"),
        web_search=_web_search(values),
        user=values.get("user") or _user_of(values.get("claude_metadata")),
        metadata=values.get("metadata"),
        stream=True if streams else values.get("stream"),
        custom=frozen(custom),
        **{name: values.get(name) for name in PLAIN},
    )
    return parameters, tuple(losses)


def _stops(values: Mapping[str, Any]) -> tuple[str, ...]:
    """All texts at which a reply ends, each once; an empty one ends nothing."""
    stop = values.get("stop") or ()
    all_of_them = ((stop,) if isinstance(stop, str) else tuple(stop)) + tuple(values.get("stop_sequences") or ())
    return tuple(dict.fromkeys(text for text in all_of_them if text))


def _thinking(values: Mapping[str, Any]) -> Thinking | None:
    """How the model is to think. A switch that is off beats budget and effort; a budget of 0 is off, -1 is adaptive."""
    switch, budget = values.get("thinking_enabled"), values.get("thinking_budget")
    effort, include = values.get("reasoning_effort"), values.get("include_thoughts")
    mode = cast("ThinkingMode | None", values.get("thinking_mode"))
    if switch is False or mode == "off" or (mode is None and (budget == 0 or effort == "none")):
        return Thinking("off")
    if mode is None:
        if switch is None and budget is None and effort is None and include is None:
            return None
        mode = "adaptive" if budget == -1 else "budget" if budget else "effort" if effort else "on"
    tokens = budget if mode == "budget" and budget and budget > 0 else None
    return Thinking(mode, tokens, effort if mode != "on" else None, include)


def _web_search(values: Mapping[str, Any]) -> Any:
    if values.get("web_search_enabled") is False:
        return None
    options = values.get("web_search_options")
    if options is not None:
        return options
    return FrozenDict() if values.get("web_search_enabled") else None


def _user_of(metadata: Mapping[str, Any] | None) -> str | None:
    user = (metadata or {}).get("user_id")
    return user if isinstance(user, str) else None
