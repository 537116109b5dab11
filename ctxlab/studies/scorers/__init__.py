"""Scorers of builds, one file each; of a study's columns each is filled by one of them."""

from ctxlab.public_names import listed
from ctxlab.studies.scorers.evidence_retention import EVIDENCE, EvidenceRetention
from ctxlab.studies.scorers.registry import SCORERS, ScorerSource, scorer_named, scorers, scorers_of

__all__ = ["EVIDENCE", "SCORERS", "EvidenceRetention", "ScorerSource", "scorer_named", "scorers", "scorers_of"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
