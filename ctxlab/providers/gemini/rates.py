"""Tokens that Google adds to messages and charges for files."""

from __future__ import annotations

from ctxlab.engines.tokens import ImageCost, MediaRules, Overhead
from ctxlab.providers.rates import MediaTable, Rates

# Not published. The tokens guide's chat of "Hi my name is Bob" and "Hi Bob!" is 10, its words are 8; a prompt that
# count_tokens gives as 10 is billed as 11.
OVERHEAD = Overhead(
    message_tokens=1,
    name_tokens=0,
    call_tokens=3,
    request_tokens=1,
    source="Google, Understand and count tokens: examples",
    as_of="2026-10",
)

# Patterns of bare names, the first that fits; dated, as vendors change them.
MEDIA: MediaTable = (
    (
        r"gemini-(?:[3-9]|\d\d)",
        MediaRules(
            "gemini-3",
            ImageCost("fixed", {"costPerImage": 1120}),
            video_tokens_per_second=70 + 32,  # a frame per second and its sound
            page_tokens=560,
            source="ai.google.dev, Media resolution: defaults",
            as_of="2026-10",
        ),
    ),
    (
        r"gemini",
        MediaRules(
            "gemini",
            page_tokens=258,
            source="ai.google.dev, Understand and count tokens; Document understanding",
            as_of="2026-10",
        ),
    ),
)

RATES = Rates(OVERHEAD, MEDIA)
