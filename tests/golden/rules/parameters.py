"""Parameters: where ours differ from the reference's on purpose. What ours must give follows from the case alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.requests import without
from tests.golden.rules.rule import Rule

FILES = ("llm_requests",)
CONTAINERS = ("custom", "contextCompression", "enabledParameters")


def rule(id: str, why: str, begins: str, applies: Callable[[Case], bool], ours: Callable[[Case], Any]) -> Rule:
    """A rule for cases whose names begin so."""
    return Rule(id, why, FILES, lambda case: case.name.startswith(begins) and applies(case), ours)


def always(case: Case) -> bool:
    return True


def of(*types: str) -> Callable[[Case], bool]:
    return lambda case: case.input["profile"]["type"] in types


def _options(case: Case) -> Data:
    return case.input["options"]


def _with(case: Case, name: str) -> Data:
    return {**case.expected, name: _options(case)[name]}


def _claude(case: Case) -> Data:
    return {**without(case.expected, "topK"), "thinkingBudget": 1024}


RULES: tuple[Rule, ...] = (
    rule(
        "systems 6.2: containers aren't sent",
        "Settings of steps and lists of names are no parameters of a request.",
        "params filterForModel",
        lambda case: any(name in case.expected for name in CONTAINERS),
        lambda case: without(case.expected, *CONTAINERS),
    ),
    rule(
        "systems 6.1: a whitelist holds",
        "Only parameters that enabledParameters names are sent, efforts too.",
        "params filterForModel",
        lambda case: "reasoningEffort" in case.expected and "enabledParameters" in case.input["parameters"],
        lambda case: without(case.expected, "reasoningEffort"),
    ),
    rule(
        "systems 6.1: more parameters",
        "Streaming and the way of thinking are parameters as well.",
        "params ALL_LLM_PARAMETER_KEYS",
        always,
        lambda case: sorted([*case.expected, "stream", "thinkingMode"]),
    ),
    rule(
        "systems 6.2: families are vendors",
        "A model is of a vendor whose form of request there is, else of none.",
        "modelFamily",
        lambda case: case.expected in ("qwen", "xai"),
        lambda case: "unknown",
    ),
    rule(
        "systems 6.1: custom fields win",
        "Custom fields go over all others; the reference leaves out those that have a known name.",
        "filterByCapabilities",
        lambda case: "temperature" in _options(case)["custom"]["params"],
        lambda case: {**case.expected, "temperature": _options(case)["custom"]["params"]["temperature"]},
    ),
    rule(
        "systems 6.4: stop sequences are stops",
        "Every vendor but Responses takes texts at which a reply ends.",
        "filterByCapabilities",
        of("openai", "openai-compatible", "gemini"),
        lambda case: _with(case, "stopSequences"),
    ),
    rule(
        "systems 6.2: a model has one way of thinking",
        "A model that thinks by a budget takes no effort.",
        "filterByCapabilities",
        lambda case: "reasoningEffort" in case.expected and "budget" in str(case.input["model"]["capabilities"]),
        lambda case: without(case.expected, "reasoningEffort"),
    ),
    rule(
        "systems 6.4: OpenAI takes no number of thoughts",
        "OpenAI's models think with an effort.",
        "filterByCapabilities",
        of("openai", "openai-responses"),
        lambda case: without(case.expected, "thinkingBudget"),
    ),
    rule(
        "systems 6.4: Responses write one reply",
        "Responses have no field n.",
        "filterByCapabilities",
        of("openai-responses"),
        lambda case: without(case.expected, "n"),
    ),
    rule(
        "systems 6.4: several replies",
        "Gemini's candidateCount is n, and servers in OpenAI's form take n.",
        "filterByCapabilities",
        of("gemini", "openai-compatible"),
        lambda case: _with(case, "n"),
    ),
    rule(
        "systems 6.4: compatible servers take top_k",
        "Servers in OpenAI's form cut by top_k where they can.",
        "filterByCapabilities",
        of("openai-compatible"),
        lambda case: _with(case, "topK"),
    ),
    rule(
        "systems 6.3: what Claude takes while it thinks",
        "Claude takes no top_k while it thinks, and thinks with 1,024 tokens or more.",
        "filterByCapabilities",
        of("claude"),
        _claude,
    ),
)
