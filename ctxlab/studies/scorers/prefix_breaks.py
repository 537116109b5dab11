"""The steps and rules that break the prefix from one turn of a conversation to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.prefix_blame import prefix_blame
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue
from ctxlab.studies.successive_builds import refuse_few_turns, successive_builds


@dataclass(frozen=True, slots=True)
class PrefixBreaks:
    """The share of prompts that don't begin with the one before, and the step and the rule that lose most tokens by it.

    `prefix_breaks` is the share of turns that break, `broken_tokens` the tokens that are sent again behind a break, a
    turn. The step is empty where nothing breaks or no step is to blame. There are no scores where fewer than two turns
    can be built.
    """

    turns: int = 10
    name: str = "prefix-breaks"
    version: str = "1"

    def __post_init__(self) -> None:
        refuse_few_turns(self.turns)

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("prefix_breaks", "turns whose prompt doesn't begin with the one before", "share", "lower"),
            ScoreColumn("broken_tokens", "tokens sent again behind a break, a turn", "tokens", "lower"),
            ScoreColumn("breaking_step", "step that loses most tokens by breaks", "text"),
            ScoreColumn("breaking_rule", "why it broke the prefix", "text"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        traces = [build.trace for build in successive_builds(run.trace, run.at, self.turns)]
        pairs = [prefix_blame(old, new) for old, new in pairwise(traces)]
        if not pairs:
            return dict.fromkeys([column.name for column in self.columns])
        breaks = [each for each in pairs if each is not None]
        lost = Counter[tuple[str, str]]()
        for each in breaks:
            lost[each.found.step, each.found.reason] += each.lost_tokens
        step, rule = lost.most_common(1)[0][0] if lost else ("", "")
        return {
            "prefix_breaks": len(breaks) / len(pairs),
            "broken_tokens": sum(each.lost_tokens for each in breaks) / len(pairs),
            "breaking_step": step,
            "breaking_rule": rule,
        }


PREFIX_BREAKS = PrefixBreaks()
