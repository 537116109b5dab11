"""The part of a vendor's prompt cache that a compression makes useless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace


@dataclass(frozen=True, slots=True)
class PrefixLoss:
    """Tokens at the start of the prompt that stay as they were, and those behind them, before and after.

    `kept_tokens` may be read from a cache once more; the `lost_tokens` of the old prompt may not, and `new_tokens` are
    read for the first time by the next request.
    """

    kept_tokens: int
    lost_tokens: int
    new_tokens: int

    def __str__(self) -> str:
        return (
            f"the first {counted(self.kept_tokens, 'token')} of the prompt stay as they are; behind them a cache of "
            f"{self.lost_tokens:,} is of no more use, and {self.new_tokens:,} are new"
        )


def prefix_loss(before: Trace, after: Trace) -> PrefixLoss:
    """The tokens of the messages before the first one that differs, and of those behind, in both prompts."""
    old, new = list(before.messages), list(after.messages)
    same = 0
    while same < min(len(old), len(new)) and _sent(old[same]) == _sent(new[same]):
        same += 1
    kept = sum(int(message["tokens"]) for message in old[:same]) + before.request_tokens
    return PrefixLoss(kept, max(0, before.tokens - kept), max(0, after.tokens - kept))


def _sent(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name not in ("source", "tokens")}
