"""Tokens that Anthropic adds to messages and charges for files."""

from __future__ import annotations

from ctxlab.engines.tokens import ImageCost, MediaRules, Overhead
from ctxlab.providers.rates import MediaTable, Rates

# Not published. Fitted to the examples of the token counting guide: "You are a scientist" and "Hello, Claude" are 14.
OVERHEAD = Overhead(
    message_tokens=4,
    name_tokens=0,  # the wire format has no names
    call_tokens=10,  # a guess: the opening and closing of a block
    request_tokens=3,
    source="Anthropic, Token counting: examples",
    as_of="2026-10",
)


def _rules(name: str, edge: float, most: int) -> MediaRules:
    """A page is a picture at its largest and 1,500 to 3,000 tokens of text (PDF support); measured: 2,100 to 2,500."""
    return MediaRules(
        name,
        ImageCost("anthropic_patch", {"maxEdge": edge, "maxTokens": most}),
        page_tokens=1568 + 1500,
        source="platform.claude.com, Images and vision; PDF support",
        as_of="2026-07",
    )


# Patterns of bare names, the first that fits; dated, as vendors change them.
MEDIA: MediaTable = (
    (
        r"claude-(?:opus-4[.-][78]|(?:opus|sonnet|fable|mythos)-[5-9])",
        _rules("claude, high resolution", 2576, 4784),
    ),
    (r"claude", _rules("claude", 1568, 1568)),
)

RATES = Rates(OVERHEAD, MEDIA)
