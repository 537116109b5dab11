"""Parameters of requests: the reference's filters and names, beside what ours sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from ctxlab.context import Draft, Origin, Text
from ctxlab.documents import ModelProfile
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.models import model_info, vendor_of
from ctxlab.providers.parameters import ModelParameters, layer_of, merged, normalised, request_parameters
from ctxlab.providers.provider import Prompt
from ctxlab.providers.registry import built_in
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.wires import PROVIDERS
from tests.golden.cases import Case
from tests.golden.forms import Data

OURS = {"claude": "anthropic", "google": "gemini"}
"""Our provider for a type of the reference; others have the same name."""
FAMILIES = {"anthropic": "claude", "google": "gemini"}
ABOUT = ("modelId", "messages")


def run(case: Case) -> Any:
    """What ours gives for a case about parameters."""
    return next(give for begin, give in OF_NAME if case.name.startswith(begin))(case.input)


def is_about_parameters(case: Case) -> bool:
    return any(case.name.startswith(begin) for begin, _ in OF_NAME)


def _effective(data: Data) -> Any:
    found = merged([layer_of("agent", data)])
    return {**{to_camel(name): value for name, value in found.values.items()}, **found.custom}


def _names(data: Data) -> list[str]:
    return sorted(to_camel(name) for name in ModelParameters.model_fields)


def expected(case: Case) -> Any:
    """What the reference gives; names in any order."""
    return sorted(case.expected) if isinstance(case.expected, list) else case.expected


def _for_model(data: Data) -> Any:
    profile = ModelProfile(id=data["modelId"], capabilities=data.get("capabilities"))
    return sent(data["parameters"], profile, OURS.get(data["provider"], data["provider"]))


def _for_request(data: Data) -> Any:
    options, model = data["options"], data["model"]
    name = options["modelId"]
    most = model["tokenLimits"]["output"]
    profile = ModelProfile(id=name, capabilities=model["capabilities"], max_output_tokens=most)
    kind = data["profile"]["type"]
    found = sent({key: value for key, value in options.items() if key not in ABOUT}, profile, OURS.get(kind, kind))
    return {**{key: options[key] for key in ABOUT}, **found}


def sent(stored: Data, profile: ModelProfile, name: str) -> Data:
    """The parameters that reach a body, by the names and with the values of the file where nothing changed them."""
    provider, found = built_in()[name], merged([layer_of("agent", stored)])
    model = model_info(profile, provider)
    asked, _ = request_parameters(found)
    settled = normalised(asked, model, provider)
    out = BodyWriter(losses=list(settled.losses))
    origin = Origin("node", "n")
    draft = Draft("node:n", "user", (Text.of("Hello.", origin),), origin)
    provider.write(Prompt((draft,)), settled.parameters, model, provider, out)
    lost = {loss.what for loss in out.losses if loss.kind == "parameter"}
    left = settled.parameters.given()
    kept: Data = {}
    for field, value in found.values.items():
        if _reaches(field, left, lost):
            kept[to_camel(field)] = _changed(field, value, settled.parameters)
    return {**kept, **found.custom}


def _changed(field: str, value: Any, settled: RequestParameters) -> Any:
    if field == "max_tokens":
        return settled.max_output_tokens
    if field == "thinking_budget" and settled.thinking is not None:
        return settled.thinking.budget_tokens
    return list(value) if isinstance(value, tuple) else value


def _reaches(field: str, left: Mapping[str, Any], lost: set[str]) -> bool:
    settled = {"max_tokens": "max_output_tokens", "stop_sequences": "stop", "safety_settings": "safety"}.get(
        field, field
    )
    if settled in lost:
        return False
    thinking = left.get("thinking")
    if field in ("thinking_enabled", "thinking_budget", "reasoning_effort", "include_thoughts"):
        own = {
            "thinking_enabled": thinking is not None and thinking.mode != "off",
            "thinking_budget": thinking is not None and thinking.budget_tokens is not None,
            "reasoning_effort": thinking is not None and thinking.effort is not None,
            "include_thoughts": thinking is not None and thinking.include is not None,
        }
        return "thinking" not in lost and own[field]
    return settled in left


def _family(data: Data) -> str:
    name = data["provider"]
    vendor = vendor_of(data["modelId"]) or PROVIDERS.get(OURS.get(name, name))
    return FAMILIES.get(vendor or "", vendor or "unknown")


OF_NAME: tuple[tuple[str, Callable[[Data], Any]], ...] = (
    ("params buildEffective", _effective),
    ("params filterForModel", _for_model),
    ("params ALL_LLM_PARAMETER_KEYS", _names),
    ("modelFamily", _family),
    ("filterByCapabilities", _for_request),
)
"""What each kind of case asks for, by how its name begins."""
