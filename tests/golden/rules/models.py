"""Whether a message is meant for a model, as the decisions say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from tests.golden.forms import Data


def model_of(data: Data) -> Data:
    """The names of the model that a case is built for."""
    agent, shared = data.get("agentConfig") or {}, data.get("shared") or {}
    model, profile = shared.get("model") or {}, shared.get("profile") or {}
    return {
        "modelId": model.get("id") or agent.get("modelId"),
        "modelName": model.get("name"),
        "profileName": profile.get("name"),
    }


def fits(match: Data | None, context: Data) -> bool:
    """Whether a message is meant for a model: sides without patterns don't vote, every part of an id is a name."""
    if not match or not match.get("enabled"):
        return True
    profile = [context["profileName"]] if context.get("profileName") else []
    votes = [_hit(match.get("patterns"), _names(context))] if match.get("patterns") else []
    if patterns := profile_patterns(match):
        votes.append(_hit(patterns, profile))
    if not votes:
        return True
    return (all if match.get("mode") == "all" else any)(votes) is not bool(match.get("exclude"))


def profile_patterns(match: Data) -> list[str]:
    named = match.get("patterns") if match.get("matchProfileName") else ()
    return [*(match.get("profilePatterns") or ()), *(named or ())]


def _names(context: Data) -> Iterator[str]:
    whole = context.get("modelId") or ""
    behind = whole.split(":", 1)[-1]
    return filter(None, [context.get("modelName"), whole, behind, behind.split("/")[-1]])


def _hit(patterns: Iterable[str], names: Iterable[str]) -> bool:
    texts = list(names)
    return any(
        regex.search(pattern, text, regex.IGNORECASE) for pattern in filter(_is_valid, patterns) for text in texts
    )


def _is_valid(pattern: str) -> bool:
    try:
        regex.compile(pattern)
    except regex.error:
        return False
    return True
