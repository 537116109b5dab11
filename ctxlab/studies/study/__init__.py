"""Studies: cases built under variants at budgets, scored, one row each."""

from ctxlab.public_names import listed
from ctxlab.studies.study.case import Case
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, Scorer, ScoreValue
from ctxlab.studies.study.variant import Variant, variants_of

__all__ = ["Case", "ScoreColumn", "ScoreValue", "ScoredRun", "Scorer", "Variant", "variants_of"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
