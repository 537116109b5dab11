"""A scorer for studies: which share of a prompt's characters is the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass

from ctxlab import ScoreColumn
from ctxlab.studies.study import ScoredRun, ScoreValue


@dataclass(frozen=True, slots=True)
class UserShare:
    """The share of the characters that are sent which came from messages of the user."""

    name: str = "user-share"
    version: str = "1"  # a new one where its answers change, so that kept cells are scored again

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        """One column; neither more nor less of it is better."""
        return (ScoreColumn("user_share", "share of the characters that are the user's", "share"),)

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        """A value for each column; None where nothing is sent."""
        sizes = [(draft.role, len(draft.text)) for draft in run.trace.result.drafts]
        total = sum(size for _, size in sizes)
        user = sum(size for role, size in sizes if role == "user")
        return {"user_share": user / total if total else None}
