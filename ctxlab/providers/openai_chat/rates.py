"""Tokens that OpenAI adds to messages and charges for files."""

from __future__ import annotations

from ctxlab.engines.tokens import ImageCost, MediaRules, Overhead, image_tokens
from ctxlab.providers.rates import MediaTable, Rates

OVERHEAD = Overhead(
    message_tokens=3,  # <|start|>role<|message|> ... <|end|>
    name_tokens=1,
    call_tokens=3,  # recipient and constraint marks; the cookbook counts no calls
    request_tokens=3,  # every reply is primed with <|start|>assistant<|message|>
    source="OpenAI cookbook, How to count tokens with tiktoken (gpt-3.5-turbo-0613 and newer)",
    as_of="2024-07",
)


def _rules(name: str, image: ImageCost, *, as_of: str = "2026-02", page_text_tokens: int = 500) -> MediaRules:
    """OpenAI puts the text of a page and a picture of it into the context (File inputs guide): here a letter page at
    150 dpi and about 500 tokens of text. Audio is 1 token per 100 ms (Realtime, Managing costs)."""
    page_tokens = image_tokens(1275, 1650, image) + page_text_tokens
    return MediaRules(
        name,
        image,
        audio_tokens_per_second=10,
        page_tokens=page_tokens,
        source="developers.openai.com, Images and vision: calculating costs",
        as_of=as_of,
    )


def _tile(base: float, tile: float) -> ImageCost:
    return ImageCost("openai_tile", {"baseCost": base, "tileCost": tile})


def _patch(multiplier: float) -> ImageCost:
    return ImageCost("openai_patch", {"multiplier": multiplier})


# Patterns of bare names, the first that fits; dated, as vendors change them.
MEDIA: MediaTable = (
    (r"gpt-4o-mini", _rules("gpt-4o-mini", _tile(2833, 5667))),
    (r"gpt-4\.1-mini", _rules("gpt-4.1-mini", _patch(1.62))),
    (r"gpt-4\.1-nano", _rules("gpt-4.1-nano", _patch(2.46))),
    (r"o4-mini|codex-mini", _rules("o4-mini", _patch(1.72))),
    # The guide says 1.62 and 2.46 for these two, the bill 1.2 and 1.5; too much is the safer mistake.
    (r"gpt-5-mini", _rules("gpt-5-mini", _patch(1.62))),
    (r"gpt-5-nano", _rules("gpt-5-nano", _patch(2.46))),
    (r"gpt-5\.(?:[2-9]|\d\d)", _rules("gpt-5.2", _patch(1.2), as_of="2026-09")),
    (r"gpt-5", _rules("gpt-5", _tile(70, 140))),
    (r"o[13](?![a-z0-9])", _rules("o3", _tile(75, 150))),
    (r"gpt-4|chatgpt-4o", _rules("gpt-4o", _tile(85, 170))),
)

RATES = Rates(OVERHEAD, MEDIA)
