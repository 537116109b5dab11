"""Whether the messages that an answer needs are whole in the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxlab.documents import MessageNode
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.ranked_messages import talks
from ctxlab.studies.scorers.message_states import NODE, MessageStates
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue


@dataclass(frozen=True, slots=True)
class EvidenceRetention:
    """The evidence of a case that is whole in the prompt: all of it, its share, and the room that it takes up there.

    A message that was shortened, or is only quoted or summarised elsewhere, isn't whole. The age of the evidence is
    that of its oldest message, in messages behind it before the question, and in talks where there are timestamps. A
    case without evidence has no scores.
    """

    needs: ClassVar[str] = (
        "no case names its evidence; those are ids of messages, evidence of a ctxlab.Case, or of the questions that a "
        'study\'s file names as labels, with kind = "questions" under [cases]'
    )
    name: str = "evidence"
    version: str = "1"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("all_evidence", "all evidence", "share", "higher"),
            ScoreColumn("share_of_evidence", "share of evidence", "share", "higher"),
            ScoreColumn("evidence_share_of_tokens", "share of the prompt's tokens that is evidence", "share", "higher"),
            ScoreColumn(
                "evidence_age_messages",
                "age of the oldest evidence: messages behind it before the question",
                "messages",
            ),
            ScoreColumn(
                "evidence_age_talks",
                "age of the oldest evidence: pauses of hours between it and the question",
                "number",
            ),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        evidence = run.case.evidence
        if not evidence:
            return dict.fromkeys([column.name for column in self.columns])
        trace = run.trace
        states = MessageStates.of(trace)
        whole = states.whole_keys([f"{NODE}{each}" for each in evidence])
        count = trace.services.tokenizer.count_draft
        by_key = {part.key: draft for draft in states.before for part in draft.parts}
        tokens = trace.tokens
        spent = sum(map(count, {by_key[key] for key in whole}))
        path = trace.start.input.session.walk(trace.start.input.leaf_id).nodes
        return {
            "all_evidence": float(len(whole) == len(evidence)),
            "share_of_evidence": len(whole) / len(evidence),
            "evidence_share_of_tokens": min(1.0, spent / tokens) if tokens else 0.0,
            **_age(path, frozenset(evidence)),
        }


def _age(path: Sequence[MessageNode], evidence: frozenset[str]) -> dict[str, ScoreValue]:
    oldest = next((at for at, node in enumerate(path) if node.id in evidence), None)
    if oldest is None:
        return {"evidence_age_messages": None, "evidence_age_talks": None}
    return {"evidence_age_messages": len(path) - 1 - oldest, "evidence_age_talks": talks_after(path[oldest:])}


def talks_after(nodes: Sequence[MessageNode]) -> int | None:
    """The pauses of hours between the first of these messages and the last; None where no message has a time."""
    stamps = [node.timestamp for node in nodes]
    return talks(stamps)[-1] if any(stamps) else None


EVIDENCE = EvidenceRetention()
