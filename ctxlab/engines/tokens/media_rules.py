"""Tokens of pictures, sound, films and documents by the rules of a family of models."""

from __future__ import annotations

from dataclasses import field
from math import ceil

from ctxlab.context import AssetRef
from ctxlab.engines.tokens.picture_formulas import (
    PER_IMAGE,
    ImageCost,
    image_tokens,
    low_detail_tokens,
    size_in,
)
from ctxlab.engines.tokens.picture_size import inline_size, sent_size
from ctxlab.lazy_dataclass import dataclass

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
