"""The part of a vendor's prompt cache that a compression makes useless."""

from __future__ import annotations

from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import common_prefix_tokens


@dataclass(frozen=True, slots=True)
class PrefixLoss:
    """Tokens at the start of the prompt that stay as they were, and those behind them, before and after.

    `kept_tokens` may be read from a cache once more; the `lost_tokens` of the old prompt may not, and `new_tokens` are
    read for the first time by the next request. What a request costs at its end, such as the beginning of the reply,
    counts as lost and new wherever the two prompts differ.
    """

    kept_tokens: int
    lost_tokens: int
    new_tokens: int

    def __str__(self) -> str:
        if not self.lost_tokens and not self.new_tokens:
            return "the prompt stays as it is" if self.kept_tokens else "the prompt is empty"
        first = (
            f"the first {counted(self.kept_tokens, 'token')} of the prompt stay as they are; behind them"
            if self.kept_tokens
            else "no token at the start of the prompt stays as it is;"
        )
        return f"{first} a cache of {self.lost_tokens:,} is of no more use, and {self.new_tokens:,} are new"


def prefix_loss(before: Trace, after: Trace) -> PrefixLoss:
    """The tokens with which both prompts begin, and those behind, in both.

    They begin with the tools' definitions, with whole messages that are the same, and with the words that the first
    message that isn't the same has in common.
    """
    counter = before.services.tokenizer
    common = common_prefix_tokens(before, after)
    if before.tokens == after.tokens == common:
        return PrefixLoss(common if common > counter.request_tokens else 0, 0, 0)
    kept = min(max(0, common - counter.request_tokens), before.tokens)
    return PrefixLoss(kept, before.tokens - kept, after.tokens - kept)
