"""Tokens that a wire format adds to messages and requests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overhead:
    """Tokens per message, name and tool call, and once per request; where the figures are from, and when they held."""

    message_tokens: int
    name_tokens: int
    call_tokens: int
    request_tokens: int
    source: str
    as_of: str


OPENAI = Overhead(
    message_tokens=3,  # <|start|>role<|message|> ... <|end|>
    name_tokens=1,
    call_tokens=3,  # recipient and constraint marks; the cookbook counts no calls
    request_tokens=3,  # every reply is primed with <|start|>assistant<|message|>
    source="OpenAI cookbook, How to count tokens with tiktoken (gpt-3.5-turbo-0613 and newer)",
    as_of="2024-07",
)

# Not published. Fitted to the examples of the token counting guide: "You are a scientist" and "Hello, Claude" are 14.
ANTHROPIC = Overhead(
    message_tokens=4,
    name_tokens=0,  # the wire format has no names
    call_tokens=10,  # a guess: the opening and closing of a block
    request_tokens=3,
    source="Anthropic, Token counting: examples",
    as_of="2026-10",
)

# Not published. The tokens guide's chat of "Hi my name is Bob" and "Hi Bob!" is 10, its words are 8; a prompt that
# count_tokens gives as 10 is billed as 11.
GOOGLE = Overhead(
    message_tokens=1,
    name_tokens=0,
    call_tokens=3,
    request_tokens=1,
    source="Google, Understand and count tokens: examples",
    as_of="2026-10",
)

OVERHEADS = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE}
