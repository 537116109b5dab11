"""Stored parameters as those of a request, in nobody's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic.alias_generators import to_camel

from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.pipeline.parameters.layers import Effective
from ctxlab.pipeline.parameters.thinking import ThinkingMode
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.problem import Fix
from ctxlab.providers.request_parameters import RequestParameters, Thinking
from ctxlab.wires import CHAT, WIRES, WireName

PLAIN = (
    *("temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "seed", "n", "logprobs", "logit_bias"),
    *("top_logprobs", "response_format", "tool_choice", "parallel_tool_calls", "audio", "prediction", "service_tier"),
)
"""Parameters that have one name and one form, stored and settled."""


def request_parameters(
    found: Effective, *, wire: WireName | None = None, stream: bool = False
) -> tuple[RequestParameters, tuple[RequestLoss, ...]]:
    """The parameters of a request of a wire format, and what of the stored ones has no place in any."""
    values = found.values
    losses: list[RequestLoss] = []
    custom, read = _of_wire(found, wire)
    losses += read
    if values.get("tools"):
        reason = "tools are those of the agent; definitions among the parameters aren't sent"
        losses.append(RequestLoss("parameter", "tools", reason))
    streams = True if stream else values.get("stream")
    if isinstance(custom.get("stream"), bool):
        streams = custom.pop("stream")
    losses += _not_both(values, wire, streams=streams is True)
    parameters = RequestParameters(
        max_output_tokens=values.get("max_completion_tokens") or values.get("max_tokens"),
        stop=_stops(values),
        thinking=_thinking(values),
        modalities=tuple(values.get("modalities") or ()),
        include=tuple(values.get("include") or ()),
        safety=tuple(values.get("safety_settings") or ()),
        store=_store(values, wire),
        web_search=_web_search(values),
        user=values.get("user") or _user_of(values.get("claude_metadata")),
        metadata=values.get("metadata"),
        stream=streams,
        stream_options=values.get("stream_options") if streams else None,
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
    """The way in which the model is to think. Off beats budget and effort; a budget of 0 is off, -1 is adaptive."""
    switch, budget = values.get("thinking_enabled"), values.get("thinking_budget")
    effort, include = values.get("reasoning_effort"), values.get("include_thoughts")
    mode = cast("ThinkingMode | None", values.get("thinking_mode"))
    if switch is False or mode == "off" or (mode is None and (budget == 0 or effort == "none")):
        return Thinking("off")
    if mode in (None, "on"):
        if mode is None and switch is None and budget is None and effort is None and include is None:
            return None
        mode = "adaptive" if budget == -1 else "budget" if budget else "effort" if effort else "on"
    elif mode == "budget" and budget == -1:
        mode = "adaptive"
    return Thinking(mode, budget if budget and budget > 0 else None, effort, include)


def _web_search(values: Mapping[str, Any]) -> Any:
    if values.get("web_search_enabled") is False:
        return None
    options = values.get("web_search_options")
    if options is not None:
        return options
    return FrozenDict() if values.get("web_search_enabled") else None


def _store(values: Mapping[str, Any], wire: WireName | None) -> bool | None:
    return next((values[name] for name in WIRES.get(wire or "", CHAT).store if name in values), None)


def _not_both(values: Mapping[str, Any], wire: WireName | None, *, streams: bool) -> Iterator[RequestLoss]:
    """Parameters that give way to another one, or say nothing without it."""
    if "stream_options" in values and not streams:
        yield _loss("stream_options", "they say something of a stream, and this reply is none; they aren't sent")
    pairs = (("max_completion_tokens", "max_tokens"), ("user", "claude_metadata.user_id"))
    metadata: Mapping[str, Any] = values.get("claude_metadata") or {}
    asked = {**values, **{f"claude_metadata.{name}": value for name, value in metadata.items()}}
    for first, second in (*pairs, WIRES.get(wire or "", CHAT).store):
        if first in asked and second in asked and asked[first] != asked[second]:
            fix = Fix(f"leave {to_camel(second)} out", parameters={to_camel(second.partition(".")[0]): None})
            yield RequestLoss("parameter", second, f"{to_camel(first)} is given too, and is sent instead", fix=fix)
    for name in metadata:
        if name != "user_id" or _user_of(metadata) is None:
            yield _loss(f"claude_metadata.{name}", "Anthropic takes user_id alone, as a text; it isn't sent")


def _loss(what: str, reason: str) -> RequestLoss:
    fix = Fix(f"leave {to_camel(what)} out", parameters={to_camel(what.partition(".")[0]): None})
    return RequestLoss("parameter", what, reason, fix=fix)


def _of_wire(found: Effective, wire: WireName | None) -> tuple[dict[str, Any], list[RequestLoss]]:
    """The custom fields for a wire format, and those that were read from a body of another one."""
    others = {name: of for name, of in found.read_from.items() if wire is not None and of != wire}
    losses = [
        RequestLoss("parameter", name, f"it was read from a body of {of}, and this is one of {wire}; it isn't sent")
        for name, of in others.items()
    ]
    return {name: value for name, value in found.custom.items() if name not in others}, losses


def _user_of(metadata: Mapping[str, Any] | None) -> str | None:
    user = (metadata or {}).get("user_id")
    return user if isinstance(user, str) else None
