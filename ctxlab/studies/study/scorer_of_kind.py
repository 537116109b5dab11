"""A scorer of the cases of one kind, which has no scores for the others."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, Scorer, ScoreValue


@dataclass(frozen=True, slots=True)
class ScorerOfKind:
    """A scorer of cases of one kind: what it builds for a whole conversation isn't built again for each question."""

    scorer: Scorer
    kind: str

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def version(self) -> str:
        return f"{self.scorer.version} of {self.kind}"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return self.scorer.columns

    @property
    def needs(self) -> str:
        """The facts that the scorer goes by, where it says them."""
        found = getattr(self.scorer, "needs", "")
        return found if isinstance(found, str) else ""

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        if run.case.kind != self.kind:
            return dict.fromkeys([column.name for column in self.columns])
        return self.scorer.score(run)
