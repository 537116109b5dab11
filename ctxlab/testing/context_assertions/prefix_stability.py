"""The share of each prompt of a conversation with which the next one begins."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ctxlab.api.build import rebuild
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import common_prefix_tokens
from ctxlab.providers.prefix_breaks import prefix_breaks
from ctxlab.studies.successive_builds import successive_builds
from ctxlab.testing.context_assertions.expectation import Finding


@dataclass(frozen=True, slots=True, eq=False)
class SharedPrefix:
    """Two successive prompts, and the tokens at their beginning that are the same."""

    old: Trace
    new: Trace
    tokens: int

    @property
    def share(self) -> float:
        """The share of the earlier prompt that the later one begins with; 1 for an empty one."""
        return min(1.0, self.tokens / self.old.tokens) if self.old.tokens else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LeastShared:
    """The successive prompts of a conversation that share least; None where it has fewer than two turns."""

    pair: SharedPrefix | None
    pairs: int

    def finding(self, share: float) -> Finding:
        """Whether every prompt begins with at least this share of the one before it; where it does least, and why."""
        if self.pair is None:
            return Finding(None, "fewer than two turns of the path can be built, so no prompt follows another")
        pair = self.pair
        build_input = pair.new.start.input
        at = build_input.leaf or build_input.session.active_leaf_id
        words = f"least at {at}: {pair.share:.0%} of the prompt before it ({counted(self.pairs, 'pair')} looked at)"
        broken = prefix_breaks(pair.old, pair.new)[:3]
        causes = [f"{each.key or 'the request'}, {each.step or 'no step'}: {each.reason}" for each in broken]
        return Finding(pair.share >= share, "\n".join([words, *causes]))


def least_shared(trace: Trace, turns: int) -> LeastShared:
    """Of the prompts for the last `turns` turns of the path those two neighbours that share least."""
    start = replace(trace.start, input=replace(trace.start.input, pending=None))
    alone = replace(trace, start=start)
    runs = [build.trace for build in successive_builds(trace, lambda leaf: rebuild(alone, leaf=leaf), turns)]
    pairs = [SharedPrefix(old, new, common_prefix_tokens(old, new)) for old, new in pairwise(runs)]
    return LeastShared(min(pairs, key=lambda pair: pair.share, default=None), len(pairs))
