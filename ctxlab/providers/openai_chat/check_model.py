"""Problems of parameters that a model doesn't take, or not while it thinks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.providers.body_checks import Findings
from ctxlab.providers.model_info import ModelInfo

Json = Mapping[str, Any]

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "max_output_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens"),
    "web_search": ("web_search_options",),
    "thinking": ("reasoning_effort", "thinking", "reasoning"),
    "response_format": ("response_format", "text"),
}
"""Fields of a body for a parameter, where it has another name there."""
DEFAULTS: Mapping[str, Any] = {
    "temperature": 1,
    "top_p": 1,
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "n": 1,
    "logprobs": False,
}
"""Values that are taken by models that refuse any other."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def check_model(body: Json, model: ModelInfo, findings: Findings, *, of_openai: bool = True) -> None:
    """Record parameters that the model refuses, efforts that it doesn't know, and a reply longer than it gives."""
    is_thinking = thinks(body, model)
    refused = sorted(model.without | (model.without_while_thinking if is_thinking else frozenset()))
    for name in refused:
        for field in FIELDS.get(name, (name,)):
            if body.get(field) is not None and body[field] != DEFAULTS.get(name):
                when = "" if name in model.without else " while it thinks"
                reason = f"{model.name} takes no {field}{when}"
                findings.add((field,), "parameter-of-model", reason, "leave it out")
    effort, at = _effort(body)
    if effort is not None and model.efforts and effort in EFFORTS and effort not in model.efforts:
        reason = f"{model.name} knows the efforts {', '.join(model.efforts)}, and not {effort!r}"
        findings.add(at, "effort", reason, f"make it one of {', '.join(model.efforts)}, or leave it out")
    elif effort in EFFORTS and of_openai and model.known and not model.efforts:
        findings.add(at, "effort", f"{model.name} takes no effort", "leave it out, or ask a model that takes one")
    for field in LIMITS:
        _limit(body, field, model, findings)


def _limit(body: Json, field: str, model: ModelInfo, findings: Findings) -> None:
    value, most = body.get(field), model.max_output_tokens
    if most is not None and isinstance(value, int) and value > most:
        reason = f"{model.name} replies with up to {most:,} tokens, and {field} is {value:,}"
        findings.add((field,), "reply-limit", reason, f"make it {most:,} at most")


def _effort(body: Json) -> tuple[str | None, tuple[str, ...]]:
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict):
        effort = cast("Json", reasoning).get("effort")
        return (effort if isinstance(effort, str) else None), ("reasoning", "effort")
    effort = body.get("reasoning_effort")
    return (effort if isinstance(effort, str) else None), ("reasoning_effort",)


def thinks(body: Json, model: ModelInfo) -> bool:
    """Whether the model thinks at this request: as it is asked to, else where it always does."""
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and isinstance(cast("Json", thinking).get("type"), str):
        return cast("Json", thinking)["type"] != "disabled"
    effort, _ = _effort(body)
    if effort is not None:
        return effort != "none"
    return model.thinks_always or model.thinks_by_default
