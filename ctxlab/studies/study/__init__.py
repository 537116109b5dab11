"""Studies: cases built under variants at budgets, scored, one row each."""

from ctxlab.public_names import listed
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.plan import StudyPlan
from ctxlab.studies.study.run_study import run_study
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, Scorer, ScoreValue
from ctxlab.studies.study.study_result import StudyResult
from ctxlab.studies.study.variant import Variant, variants_of

__all__ = [
    "BrokenCase",
    "Case",
    "ScoreColumn",
    "ScoreValue",
    "ScoredRun",
    "Scorer",
    "StudyPlan",
    "StudyResult",
    "Variant",
    "run_study",
    "variants_of",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
