"""The range in which the tokens of a prompt lie where their count is an estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.token_counter import TokenCounter


@dataclass(frozen=True, slots=True)
class TokenRange:
    """Tokens of a prompt at least and at most, as `vocabularies` would count it."""

    low: int
    high: int
    vocabularies: tuple[str, ...]

    def __str__(self) -> str:
        return f"between {self.low:,} and {self.high:,} by {NUMBERS[len(self.vocabularies)]} open vocabularies"


NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


class EstimatingCounter(TokenCounter, Protocol):
    """A counter whose counts may be estimates of ctxlab's own."""

    @property
    def safe(self) -> TokenCounter:
        """This counter by the safe side of its estimate; itself where it has none."""
        ...

    def token_range(self, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> TokenRange | None:
        """The range of a prompt's tokens; None where the texts are counted exactly, or by a caller's own function."""
        ...


def safe_counter(counter: TokenCounter) -> TokenCounter:
    """The counter by the safe side of its estimate; the same one where it has none, as where it is exact."""
    return cast("EstimatingCounter", counter).safe if hasattr(counter, "token_range") else counter


def range_of(
    counter: TokenCounter, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()
) -> TokenRange | None:
    """The range of a prompt's tokens; None where they aren't an estimate of ctxlab's own."""
    found = getattr(counter, "token_range", None)
    return cast("EstimatingCounter", counter).token_range(drafts, tools) if callable(found) else None


def tokens_of(counter: TokenCounter, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> int:
    """Tokens of a whole request: messages, tool definitions and what the wire format adds once."""
    return sum(map(counter.count_draft, drafts)) + (counter.count_tools(tools) if tools else 0) + counter.request_tokens
