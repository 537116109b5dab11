"""The share of a prompt that begins as the one before it, turn by turn along a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.shared_beginning import common_prefix_tokens
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue
from ctxlab.studies.successive_builds import refuse_few_turns, successive_builds


@dataclass(frozen=True, slots=True)
class PrefixStability:
    """The longest common prefix of successive prompts, as a share of the later one: the mean of the last turns.

    Turns are messages on the path that the model answers. `prefix_tokens` and `new_tokens` are means a turn, in the
    tokens of the
    run's own tokenizer, with no vendor's rules. There are no scores where fewer than two turns can be built.
    """

    turns: int = 10
    name: str = "prefix"
    version: str = "1"

    def __post_init__(self) -> None:
        refuse_few_turns(self.turns)

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("prefix_share", "share of the prompt that begins as the one before", "share", "higher"),
            ScoreColumn("prefix_tokens", "tokens that begin as in the prompt before, a turn", "tokens", "higher"),
            ScoreColumn("new_tokens", "tokens behind what stayed the same, a turn", "tokens", "lower"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        traces = [build.trace for build in successive_builds(run.trace, run.at, self.turns)]
        pairs = [(common_prefix_tokens(old, new), new.tokens) for old, new in pairwise(traces)]
        if not pairs:
            return dict.fromkeys([column.name for column in self.columns])
        same = sum(tokens for tokens, _ in pairs) / len(pairs)
        share = sum(tokens / whole if whole else 1.0 for tokens, whole in pairs) / len(pairs)
        return {
            "prefix_share": share,
            "prefix_tokens": same,
            "new_tokens": sum(whole for _, whole in pairs) / len(pairs) - same,
        }


PREFIX = PrefixStability()
