"""Whether every tool call in the prompt has its result, and every result its call."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.context.tool_pairs import CallIds
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue


@dataclass(frozen=True, slots=True)
class ToolPairSoundness:
    """Whether calls and results go in pairs, the halves that don't, and the whole pairs.

    There are no scores where the conversation has no calls and no results.
    """

    name: str = "tool-pairs"
    version: str = "1"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("tool_pairs_sound", "calls and results in pairs", "share", "higher"),
            ScoreColumn("tool_halves", "calls without results and results without calls", "number", "lower"),
            ScoreColumn("tool_pairs", "calls with their results", "number", "higher"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        sent, path = run.trace.result.drafts, run.trace.start.input.session.walk(run.trace.start.input.leaf_id).nodes
        if not any(node.sent_fields.calls or node.role == "tool" for node in path):
            return dict.fromkeys([column.name for column in self.columns])
        ids = CallIds.of(sent)
        halves = ids.unanswered.total() + ids.orphans.total()
        return {"tool_pairs_sound": float(not halves), "tool_halves": halves, "tool_pairs": ids.answered.total()}


TOOL_PAIRS = ToolPairSoundness()
