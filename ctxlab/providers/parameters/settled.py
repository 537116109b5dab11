"""The parameters of one request, settled for one model: fitted to its limits, with what is not sent and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic.alias_generators import to_camel

from ctxlab.documents import Note
from ctxlab.documents.frozen_json import JsonObject, frozen
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.layers import Effective
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.parameters.request_values import request_parameters
from ctxlab.providers.parameters.thinking import Settling, fitted_thinking
from ctxlab.providers.problem import Fix
from ctxlab.providers.provider import Provider
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.schema_words import json_schema_of

LEAST_REPLY_TOKENS = 1_024
"""Tokens that are left for the reply where a thinking budget has to give way, as long as the budget allows it."""
USUAL_REPLY_TOKENS = 4_096
MOST_STOPS = {"openai": 4, "deepseek": 16, "gemini": 5}
"""Texts at which a reply ends that a provider takes (API references, 2026-10); others name no number."""
WARMEST = {"anthropic": 1.0}
"""The highest temperature by wire format (API reference, 2026-10), where it isn't 2."""
DEFAULTS: Mapping[str, float] = {"temperature": 1, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0}
"""Values that say nothing new to a model that takes no other."""
NEEDS_LIMIT = frozenset({"anthropic"})
"""Wire formats whose requests must say a reply limit (Messages API, max_tokens)."""


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Parameters that this model takes, with what is not sent of those that were asked for, and why."""

    parameters: RequestParameters
    losses: tuple[RequestLoss, ...] = ()
    notes: tuple[Note, ...] = ()


def parameters_of(found: Effective, model: ModelInfo, provider: Provider, *, stream: bool = False) -> Settled:
    """The parameters of agent, session and call, settled for a model."""
    asked, losses = request_parameters(found, wire=provider.wire, stream=stream)
    if provider.schema_types == "json" and asked.response_format is not None:
        asked = replace(asked, response_format=_with_json_types(asked.response_format))
    strange = _unknown_fields(asked.custom.keys() & found.read_from, asked, model, provider)
    if strange:
        asked = replace(asked, custom=frozen({k: v for k, v in asked.custom.items() if k not in strange}))
        reason = f"it was read from another's body, and {provider.title} has no such field; it isn't sent"
        losses = (*losses, *(RequestLoss("parameter", name, reason) for name in strange))
    settled = normalised(asked, model, provider)
    return Settled(settled.parameters, (*losses, *settled.losses), (*found.notes, *settled.notes))


def _unknown_fields(
    read: Iterable[str], asked: RequestParameters, model: ModelInfo, provider: Provider
) -> tuple[str, ...]:
    """The custom fields that were read from a body and that this vendor's form doesn't know."""
    return tuple(
        name
        for name in sorted(read)
        for problem in provider.check({name: asked.custom[name]}, model, provider)
        if problem.path == (name,) and problem.rule in ("unknown-field", "field-unknown") and problem.level == "error"
    )


def _with_json_types(form: JsonObject) -> JsonObject:
    held = form.get("json_schema")
    if not isinstance(held, Mapping) or "schema" not in held:
        return form
    return frozen({**form, "json_schema": {**held, "schema": json_schema_of(held["schema"])}})


def normalised(parameters: RequestParameters, model: ModelInfo, provider: Provider) -> Settled:
    """The parameters as this model takes them. What is normalised stays as it is when it is normalised again."""
    out = Settling(model.name or "this model")
    parameters = replace(parameters, thinking=fitted_thinking(parameters.thinking, model, out))
    parameters = _reply_limit(parameters, model, provider, out)
    parameters = _budget_below_limit(parameters, model, out)
    parameters = _without(parameters, model.without, f"{out.model} doesn't take it", out)
    if thinks(parameters, model):
        fix = None if model.thinks_always else Fix("switch thinking off", parameters={"thinkingEnabled": False})
        reason = f"{out.model} doesn't take it while it thinks"
        parameters = _without(parameters, model.without_while_thinking, reason, out, fix)
        parameters = _top_p_while_thinking(parameters, model, out)
    parameters = _one_of_a_pair(parameters, model, out)
    parameters = _within_ranges(parameters, provider, out)
    return Settled(parameters, tuple(out.losses), tuple(out.notes))


def thinks(parameters: RequestParameters, model: ModelInfo) -> bool:
    """Whether a model thinks with these parameters."""
    if parameters.thinking is None:
        return model.thinks_by_default
    return parameters.thinking.mode != "off"


def _reply_limit(
    parameters: RequestParameters, model: ModelInfo, provider: Provider, out: Settling
) -> RequestParameters:
    limit, most = parameters.max_output_tokens, model.max_output_tokens
    if limit is None:
        if provider.wire not in NEEDS_LIMIT:
            return parameters
        found = most or USUAL_REPLY_TOKENS
        whose = f"the most that {out.model} writes" if most else "a usual one, as the model's own isn't known"
        out.note(f"{provider.title} wants a reply limit; {found:,} tokens is {whose}")
        return replace(parameters, max_output_tokens=found)
    if most is not None and limit > most:
        out.note(f"the reply limit of {limit:,} tokens became {most:,}, the most that {out.model} writes")
        return replace(parameters, max_output_tokens=most)
    return parameters


def _budget_below_limit(parameters: RequestParameters, model: ModelInfo, out: Settling) -> RequestParameters:
    """A thinking budget gives way to the reply limit; a limit that leaves no room for the least budget is raised."""
    thinking, limit = parameters.thinking, parameters.max_output_tokens
    budget = thinking.budget_tokens if thinking else None
    if thinking is None or budget is None or limit is None or budget < limit:
        return parameters
    least = model.min_thinking_budget or 1
    fitting = max(least, limit - LEAST_REPLY_TOKENS)
    if fitting >= limit:
        raised = least + limit
        if model.max_output_tokens is not None:
            raised = min(raised, model.max_output_tokens)
        out.note(
            f"the reply limit of {limit:,} tokens became {raised:,}: thoughts count in it, and {out.model} thinks with "
            f"at least {least:,}"
        )
        limit, fitting = raised, least
    if fitting != budget:
        out.note(f"the thinking budget of {budget:,} tokens became {fitting:,}, as it counts in the reply limit")
    return replace(parameters, max_output_tokens=limit, thinking=replace(thinking, budget_tokens=fitting))


def _without(
    parameters: RequestParameters, names: frozenset[str], reason: str, out: Settling, fix: Fix | None = None
) -> RequestParameters:
    given = parameters.given()
    refused = [name for name in given if name in names]
    for name in refused:
        if given[name] == DEFAULTS.get(name, ...):
            out.note(f"{name} {given[name]:g} is what {out.model} does anyway; it isn't sent")
            continue
        own = fix if fix is not None else without(name)
        out.lose(name, f"{reason}; it isn't sent", own)
    return _cleared(parameters, refused)


STORED: Mapping[str, tuple[str, ...]] = {
    "max_output_tokens": ("maxTokens", "maxCompletionTokens"),
    "safety": ("safetySettings",),
    "stop": ("stop", "stopSequences"),
    "store": ("store", "responsesStore"),
    "user": ("user", "claudeMetadata"),
    "web_search": ("webSearchOptions", "webSearchEnabled"),
}
"""Names in an agent's file of settled parameters that have other ones there, or several."""


def without(name: str) -> Fix:
    """The fix that leaves a parameter out, by whichever names it is stored."""
    return Fix(f"leave {to_camel(name)} out", parameters=dict.fromkeys(STORED.get(name, (to_camel(name),))))


def _cleared(parameters: RequestParameters, names: list[str]) -> RequestParameters:
    empty: dict[str, Any] = {name: () if isinstance(getattr(parameters, name), tuple) else None for name in names}
    return replace(parameters, **empty) if names else parameters


def _top_p_while_thinking(parameters: RequestParameters, model: ModelInfo, out: Settling) -> RequestParameters:
    least = model.min_top_p_while_thinking
    if least is None or parameters.top_p is None or parameters.top_p >= least:
        return parameters
    out.note(f"top_p {parameters.top_p:g} became {least:g}, the least that {out.model} takes while it thinks")
    return replace(parameters, top_p=least)


def _one_of_a_pair(parameters: RequestParameters, model: ModelInfo, out: Settling) -> RequestParameters:
    for first, second in model.not_both:
        if getattr(parameters, first) is not None and getattr(parameters, second) is not None:
            fix = without(second)
            out.lose(second, f"{out.model} takes either {first} or {second}; {first} is sent", fix)
            parameters = _cleared(parameters, [second])
    return parameters


def _within_ranges(parameters: RequestParameters, provider: Provider, out: Settling) -> RequestParameters:
    warmest = WARMEST.get(provider.wire)
    if warmest is not None and parameters.temperature is not None and parameters.temperature > warmest:
        out.note(f"temperature {parameters.temperature:g} became {warmest:g}, the highest that {provider.title} takes")
        parameters = replace(parameters, temperature=warmest)
    most = MOST_STOPS.get(provider.name)
    if most is not None and len(parameters.stop) > most:
        what = ", ".join(repr(each) for each in parameters.stop[most:][:3])
        out.lose("stop", f"{provider.title} takes up to {most} of them; the first {most} are sent, without {what}")
        parameters = replace(parameters, stop=parameters.stop[:most])
    if parameters.top_logprobs is not None and parameters.logprobs is not True and provider.wire == "openai-chat":
        out.note("logprobs was switched on, as top_logprobs says nothing without it")
        parameters = replace(parameters, logprobs=True)
    return parameters
