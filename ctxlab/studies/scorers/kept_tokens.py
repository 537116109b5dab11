"""The tokens of the history that are sent, and those that were cut."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.scorers.message_states import MessageStates
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue


@dataclass(frozen=True, slots=True)
class KeptTokens:
    """Tokens of the history that are sent and those that aren't, each message counted alone, before it was merged."""

    name: str = "kept-tokens"
    version: str = "1"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("kept_tokens", "tokens of the history kept", "tokens", "higher"),
            ScoreColumn("cut_tokens", "tokens of the history cut", "tokens", "lower"),
            ScoreColumn("kept_share", "share of the history's tokens kept", "share", "higher"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        states = MessageStates.of(run.trace)
        counter = run.trace.services.tokenizer
        there = kept = 0
        for draft in states.before:
            tokens = counter.count_draft(draft)
            there += tokens
            if states.is_whole(draft):
                kept += tokens
            elif draft.key in states.sent:
                kept += min(tokens, counter.count(states.own_words(draft)) + counter.message_tokens)
        return {"kept_tokens": kept, "cut_tokens": there - kept, "kept_share": kept / there if there else None}


KEPT_TOKENS = KeptTokens()
