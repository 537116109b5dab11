"""Tokens that a wire format adds to messages and requests."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass

Costs = tuple[int, int, int, int]
"""Tokens per message, name and call, and once per request."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """Tokens per message, name and tool call, and once per request; where the figures are from, and when they held."""

    message_tokens: int
    name_tokens: int
    call_tokens: int
    request_tokens: int
    source: str
    as_of: str

    @property
    def costs(self) -> Costs:
        return self.message_tokens, self.name_tokens, self.call_tokens, self.request_tokens
