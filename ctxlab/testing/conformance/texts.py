"""Answers of the topics rules and macros: a text as it is afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.context import BuildInput, Pending, Variables
from ctxlab.documents import ModelProfile, RegexConfig, RegexPreset, RegexRule, UserProfile
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.testing.conformance.conversation import agent_of, session_of

Json = Mapping[str, Any]
RULE_FIELDS: Mapping[str, str] = {
    "find": "regex",
    "replace": "replacement",
    "roles": "targetRoles",
    "depth": "depthRange",
    "macros": "substitutionMode",
    "trim": "trimStrings",
}


def replaced(given: Json) -> dict[str, Any]:
    """The text after all rules."""
    from ctxlab.api import regex_steps

    rules = tuple(_rule(each) for each in given["rules"])
    steps = regex_steps(
        given["text"],
        RegexConfig(presets=(RegexPreset(id="rules", rules=rules),)),
        role=given.get("role", "user"),
        depth=given.get("depth", 0),
        stage=given.get("stage", "request"),
        agent=agent_of(given),
        user=UserProfile(name=given.get("user", "")),
    )
    return {"text": str(steps.text)}


def _rule(given: Json) -> RegexRule:
    fields = {RULE_FIELDS.get(name, name): value for name, value in given.items()}
    stages = fields.pop("stages", ["request"])
    fields["applyTo"] = {"render": "render" in stages, "request": "request" in stages}
    if "substitutionMode" in fields:
        fields["substitutionMode"] = fields["substitutionMode"].upper()
    return RegexRule.model_validate(fields)


def expanded(given: Json) -> dict[str, Any]:
    """The text with values in the place of its macros, and the variables afterwards."""
    dice = iter(given.get("dice", ()))
    user = UserProfile(id="user", name=given.get("user", ""), content=given.get("persona", ""))
    agent = agent_of(given).with_(**{name: given[name] for name in ("description", "scenario") if name in given})
    build_input = BuildInput(
        session_of(given),
        agent=agent,
        user=user,
        model=ModelProfile(id=given["model"]) if "model" in given else None,
        pending=Pending(given["typed"]) if "typed" in given else None,
        variables=Variables(given.get("variables", {}), given.get("globalVariables", {})),
        timestamp=given.get("clock"),
        zone=given.get("zone"),
    )
    env = MacroEnv.of(build_input, dice=lambda _: _next(dice)).speaking(given.get("dialect"))
    found = expand(given["text"], env)
    return {
        "text": str(found),
        "variables": dict(found.variables.session),
        "globalVariables": dict(found.variables.everywhere),
    }


def _next(dice: Iterator[float]) -> float:
    return float(next(dice))
