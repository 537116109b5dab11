"""Which model a message is for."""

from __future__ import annotations

from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules import placing
from tests.golden.rules.models import fits, model_of, profile_patterns
from tests.golden.rules.rule import Rule


def matches_of(case: Case) -> list[tuple[Data, Data]]:
    """Every rule for models in the case, with the names of the model that it is asked about."""
    data = case.input
    if case.file == "model_match":
        return [(data.get("modelMatch") or {}, data.get("context") or {})]
    presets = (data.get("agentConfig") or {}).get("presetMessages") or ()
    return [(preset["modelMatch"], model_of(data)) for preset in presets if preset.get("modelMatch")]


def _ours(case: Case) -> Any:
    if case.file != "model_match":
        return placing.ours(case)
    ((match, context),) = matches_of(case)
    return fits(match, context)


def _empty_side_votes(case: Case) -> bool:
    """The reference takes a side without patterns for a hit; in the mode all another side decides."""
    return any(
        match.get("enabled")
        and not (match.get("patterns") and profile_patterns(match))
        and (match.get("mode") != "all" or not (match.get("patterns") or profile_patterns(match)))
        for match, _ in matches_of(case)
    )


def _id_has_a_colon(case: Case) -> bool:
    return any(match.get("enabled") and ":" in (context.get("modelId") or "") for match, context in matches_of(case))


FILES = ("model_match", "injection_assembler")
RULES = (
    Rule(
        "D10",
        "A side without patterns has no vote: rules with patterns for one side only do filter, and can be excluded by.",
        FILES,
        _empty_side_votes,
        _ours,
    ),
    Rule(
        "D10, ids",
        "llama3:latest is a model's whole name: what stands before a colon can be asked for too.",
        FILES,
        _id_has_a_colon,
        _ours,
    ),
)
