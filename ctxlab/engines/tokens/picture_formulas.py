"""Tokens of a picture, by the vendors' formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from math import ceil, floor, isfinite, sqrt
from types import MappingProxyType
from typing import Any, cast

from ctxlab.lazy_dataclass import dataclass

Parameters = Mapping[str, float]
_TILE_BASE = 85
_LARGEST = 10_000_000  # pixels, seconds, pages: more than that is not a size


@dataclass(frozen=True, slots=True)
class ImageCost:
    """A method of METHODS and its parameters; what is not given is the method's default."""

    method: str = "gemini_2_0"
    parameters: Parameters = field(default_factory=dict[str, float])


def image_tokens(width: float, height: float, cost: ImageCost) -> int:
    """Tokens of a picture of this size in pixels; an unknown method costs as the default one."""
    return METHODS.get(cost.method, _gemini_2_0)(width, height, cost.parameters)


def low_detail_tokens(cost: ImageCost) -> int | None:
    """Tokens of any picture with `detail: low`; None where that makes no difference.

    With OpenAI's tiles it is the base alone, since no tile is sent (Images and vision: calculating costs).
    """
    return ceil(cost.parameters.get("baseCost", _TILE_BASE)) if cost.method == "openai_tile" else None


def image_cost(data: object) -> ImageCost | None:
    """A stored `visionTokenCost`: {"calculationMethod": ..., "parameters": {...}}; None if it is none."""
    if not isinstance(data, Mapping):
        return None
    stored = cast("Mapping[str, Any]", data)
    method, parameters = stored.get("calculationMethod"), stored.get("parameters")
    if not isinstance(method, str):
        return None
    given = cast("Mapping[str, Any]", parameters) if isinstance(parameters, Mapping) else {}
    return ImageCost(method, {name: number for name in given if (number := size_in(given, name)) is not None})


def size_in(data: Mapping[str, Any], name: str) -> float | None:
    """A number that can be a size, else None: stored metadata may hold anything."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LARGEST:
        return None
    return value if isfinite(value) else None


def _per_image(_width: float, _height: float, given: Parameters) -> int:
    return ceil(given.get("costPerImage", 0))


def _gemini_2_0(width: float, height: float, _given: Parameters) -> int:
    if width <= 384 and height <= 384:
        return 258
    return ceil(width / 768) * ceil(height / 768) * 258


def _openai_tile(width: float, height: float, given: Parameters) -> int:
    """Fit into 2048 x 2048, then the shorter side to 768; a base and a price for each tile of 512."""
    base, tile, side = given.get("baseCost", _TILE_BASE), given.get("tileCost", 170), given.get("tileSize", 512)
    if max(width, height) > 2048:
        scale = min(2048 / width, 2048 / height)
        width, height = floor(width * scale), floor(height * scale)
    if min(width, height) > 768:
        scale = 768 / min(width, height)
        width, height = floor(width * scale), floor(height * scale)
    return ceil(base + ceil(width / side) * ceil(height / side) * tile)


def _openai_patch(width: float, height: float, given: Parameters) -> int:
    """Patches of 32 pixels, 1536 at most (the picture shrinks to fit), times the model's multiplier."""
    most, multiplier = given.get("maxPatches", 1536), given.get("multiplier", 1)
    patches = ceil(width / 32) * ceil(height / 32)
    if patches > most:
        scale = sqrt(most * 32 * 32 / (width * height))
        across, down = width * scale / 32, height * scale / 32
        scale = min(floor(across) / across, floor(down) / down)
        patches = ceil(round(across * scale, 6)) * ceil(round(down * scale, 6))
    return ceil(min(patches or most, most) * multiplier)  # 0: a strip that no whole patch fits into


def _anthropic_patch(width: float, height: float, given: Parameters) -> int:
    """Patches of 28 pixels after the longer side is brought to `maxEdge`; never more than `maxTokens`."""
    edge, most = given.get("maxEdge", 1568), given.get("maxTokens", 1568)
    scale = min(1, edge / max(width, height))
    return ceil(min(ceil(width * scale / 28) * ceil(height * scale / 28), most))


def _anthropic_pixels(width: float, height: float, given: Parameters) -> int:
    """Pixels / 750, what Anthropic documented before it counted patches; never more than 1600."""
    scale = min(1, given.get("maxEdge", 1568) / max(width, height))
    return ceil(min(width * scale * height * scale / 750, given.get("maxTokens", 1600)))


PER_IMAGE = ("fixed", "claude_3")
"""Methods that don't ask for a picture's size."""
METHODS: Mapping[str, Callable[[float, float, Parameters], int]] = MappingProxyType(
    {
        "fixed": _per_image,
        "claude_3": _per_image,
        "gemini_2_0": _gemini_2_0,
        "openai_tile": _openai_tile,
        "openai_patch": _openai_patch,
        "anthropic_patch": _anthropic_patch,
        "anthropic_pixels": _anthropic_pixels,
    }
)
