"""The third of the prompt in which the surviving evidence stands: its head, its middle or its tail."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.scorers.message_states import NODE, MessageStates
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

PLACES = ("head", "middle", "tail")


@dataclass(frozen=True, slots=True)
class EvidencePlace:
    """The shares of the surviving evidence in the first, second and last third of the prompt, by tokens.

    A message is in the third in which its own middle falls; what was merged into one message is in one place. There are
    no scores where none of the evidence is whole.
    """

    name: str = "evidence-place"
    version: str = "1"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        titles = ("first", "second", "last")
        return tuple(
            ScoreColumn(f"evidence_in_{place}", f"surviving evidence in the {title} third", "share")
            for place, title in zip(PLACES, titles, strict=True)
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        states = MessageStates.of(run.trace)
        whole = set(states.whole_keys([f"{NODE}{each}" for each in run.case.evidence]))
        if not whole:
            return dict.fromkeys([column.name for column in self.columns])
        count = run.trace.services.tokenizer.count_draft
        costs = [count(draft) for draft in run.trace.result.drafts]
        total, before = sum(costs), 0
        found = dict.fromkeys(PLACES, 0)
        for draft, cost in zip(run.trace.result.drafts, costs, strict=True):
            here = sum(part.key in whole for part in draft.parts)
            third = min(2, 3 * (2 * before + cost) // (2 * total)) if total else 0
            found[PLACES[third]] += here
            before += cost
        return {f"evidence_in_{place}": n / len(whole) for place, n in found.items()}


EVIDENCE_PLACE = EvidencePlace()
