"""Scorers of builds, one file each; of a study's columns each is filled by one of them."""

from ctxlab.public_names import listed
from ctxlab.studies.scorers.evidence_place import EVIDENCE_PLACE, EvidencePlace
from ctxlab.studies.scorers.evidence_retention import EVIDENCE, EvidenceRetention
from ctxlab.studies.scorers.function_scorer import FunctionScorer, ScorerFunction, function_scorer
from ctxlab.studies.scorers.instruction_survival import INSTRUCTIONS, InstructionSurvival
from ctxlab.studies.scorers.kept_tokens import KEPT_TOKENS, KeptTokens
from ctxlab.studies.scorers.must_keep import MUST_KEEP, MustKeep
from ctxlab.studies.scorers.prefix_breaks import PREFIX_BREAKS, PrefixBreaks
from ctxlab.studies.scorers.prefix_cost import PREFIX_COST, PrefixCost
from ctxlab.studies.scorers.prefix_stability import PREFIX, PrefixStability
from ctxlab.studies.scorers.repetition import REPETITION, Repetition
from ctxlab.studies.scorers.tool_pair_soundness import TOOL_PAIRS, ToolPairSoundness

SCORERS = (
    EVIDENCE,
    KEPT_TOKENS,
    EVIDENCE_PLACE,
    MUST_KEEP,
    TOOL_PAIRS,
    INSTRUCTIONS,
    REPETITION,
    PREFIX,
    PREFIX_COST,
    PREFIX_BREAKS,
)
"""The scorers that have a name of their own in a study, in the order in which they are offered."""

__all__ = [
    "EVIDENCE",
    "EVIDENCE_PLACE",
    "INSTRUCTIONS",
    "KEPT_TOKENS",
    "MUST_KEEP",
    "PREFIX",
    "PREFIX_BREAKS",
    "PREFIX_COST",
    "REPETITION",
    "SCORERS",
    "TOOL_PAIRS",
    "EvidencePlace",
    "EvidenceRetention",
    "FunctionScorer",
    "InstructionSurvival",
    "KeptTokens",
    "MustKeep",
    "PrefixBreaks",
    "PrefixCost",
    "PrefixStability",
    "Repetition",
    "ScorerFunction",
    "ToolPairSoundness",
    "function_scorer",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
