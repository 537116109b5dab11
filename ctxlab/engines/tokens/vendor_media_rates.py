"""Tokens of pictures, sound, films and documents: a dated table of what vendors publish."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import ceil

from ctxlab.context import AssetRef
from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens.model_encodings import read_model_name
from ctxlab.engines.tokens.picture_formulas import (
    PER_IMAGE,
    ImageCost,
    image_cost,
    image_tokens,
    low_detail_tokens,
    size_in,
)
from ctxlab.engines.tokens.picture_size import inline_size, sent_size

ASSUMED_PIXELS = 1024  # for a side that isn't known
_PAGES = ("pages", "pageCount", "page_count", "numPages")


@dataclass(frozen=True, slots=True)
class MediaRules:
    """Token prices of media for a family of models. With `page_tokens` 0 documents cost nothing."""

    name: str
    image: ImageCost = field(default_factory=ImageCost)
    video_tokens_per_second: int = 263
    audio_tokens_per_second: int = 32
    page_tokens: int = 0
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class MediaTokens:
    """`estimated` when a size that the formula needs isn't known."""

    tokens: int
    estimated: bool = False


def media_tokens(asset: AssetRef, rules: MediaRules) -> MediaTokens:
    """Tokens of a file. An unknown side of a picture counts as 1024 pixels, an unknown duration as 0 seconds.

    A picture's size is that of its route, where it is scaled; else what its bytes say where they are inline; else what
    its metadata says.
    """
    match asset.kind:
        case "image":
            return _picture(asset, rules.image)
        case "video":
            return _by_duration(asset, rules.video_tokens_per_second)
        case "audio":
            return _by_duration(asset, rules.audio_tokens_per_second)
        case "document" if rules.page_tokens:
            # Always an estimate: how much text a page has is not known here. A document has at least one page.
            pages = next((n for name in _PAGES if (n := size_in(asset.metadata, name))), 1.0)
            return MediaTokens(ceil(pages) * rules.page_tokens, estimated=True)
        case "document":
            # It goes along, and nobody says what it costs.
            return MediaTokens(0, estimated=asset.route is not None)
        case _:
            return MediaTokens(0)


def media_rules_for(model: str | ModelProfile | None = None) -> MediaRules:
    """The rules of a model: what its profile says of pictures, and the table's row for its name, else DEFAULT_RULES."""
    if not isinstance(model, ModelProfile):
        return _rules_of_name(model or "")
    rules = _rules_of_name(model.id or model.name or "")
    stored = model.vision_token_cost or (model.capabilities or {}).get("visionTokenCost")
    cost = image_cost(stored)
    return replace(rules, image=cost) if cost else rules


def _rules_of_name(name: str) -> MediaRules:
    bare = read_model_name(name).bare
    return next((rules for pattern, rules in TABLE if re.match(pattern, bare)), DEFAULT_RULES)


def _picture(asset: AssetRef, cost: ImageCost) -> MediaTokens:
    if cost.method in PER_IMAGE:
        return MediaTokens(image_tokens(ASSUMED_PIXELS, ASSUMED_PIXELS, cost))
    low = asset.metadata.get("detail") == "low"
    if low and (tokens := low_detail_tokens(cost)) is not None:
        return MediaTokens(tokens)
    measured = sent_size(asset) or inline_size(asset.source)
    width, height = measured or (size_in(asset.metadata, "width"), size_in(asset.metadata, "height"))
    tokens = image_tokens(width or ASSUMED_PIXELS, height or ASSUMED_PIXELS, cost)
    # What low detail costs where patches are counted, nobody publishes; a picture that fits 512 x 512 costs the same.
    unclear = low and cost.method == "openai_patch" and max(width or 0, height or 0) > 512
    return MediaTokens(tokens, estimated=width is None or height is None or unclear)


def _by_duration(asset: AssetRef, tokens_per_second: int) -> MediaTokens:
    seconds = size_in(asset.metadata, "duration")
    return MediaTokens(ceil(seconds or 0) * tokens_per_second, estimated=seconds is None)


# What counts when the model says nothing and isn't in the table; documents are free.
DEFAULT_RULES = MediaRules("default", source="ai.google.dev, Understand and count tokens", as_of="2026-10")


def _openai(name: str, image: ImageCost, *, as_of: str = "2026-02", page_text_tokens: int = 500) -> MediaRules:
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


def _anthropic(name: str, edge: float, most: int) -> MediaRules:
    """A page is a picture at its largest and 1,500 to 3,000 tokens of text (PDF support); measured: 2,100 to 2,500."""
    return MediaRules(
        name,
        ImageCost("anthropic_patch", {"maxEdge": edge, "maxTokens": most}),
        page_tokens=1568 + 1500,
        source="platform.claude.com, Images and vision; PDF support",
        as_of="2026-07",
    )


# Patterns of bare names, the first that fits; dated, as vendors change them.
TABLE: tuple[tuple[str, MediaRules], ...] = (
    (r"gpt-4o-mini", _openai("gpt-4o-mini", _tile(2833, 5667))),
    (r"gpt-4\.1-mini", _openai("gpt-4.1-mini", _patch(1.62))),
    (r"gpt-4\.1-nano", _openai("gpt-4.1-nano", _patch(2.46))),
    (r"o4-mini|codex-mini", _openai("o4-mini", _patch(1.72))),
    # The guide says 1.62 and 2.46 for these two, the bill 1.2 and 1.5; too much is the safer mistake.
    (r"gpt-5-mini", _openai("gpt-5-mini", _patch(1.62))),
    (r"gpt-5-nano", _openai("gpt-5-nano", _patch(2.46))),
    (r"gpt-5\.(?:[2-9]|\d\d)", _openai("gpt-5.2", _patch(1.2), as_of="2026-09")),
    (r"gpt-5", _openai("gpt-5", _tile(70, 140))),
    (r"o[13](?![a-z0-9])", _openai("o3", _tile(75, 150))),
    (r"gpt-4|chatgpt-4o", _openai("gpt-4o", _tile(85, 170))),
    (
        r"claude-(?:opus-4[.-][78]|(?:opus|sonnet|fable|mythos)-[5-9])",
        _anthropic("claude, high resolution", 2576, 4784),
    ),
    (r"claude", _anthropic("claude", 1568, 1568)),
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
