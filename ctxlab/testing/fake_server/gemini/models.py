"""Traits of Gemini models by their names; of a name that isn't known nothing is assumed."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

NAMED = lazy_pattern(r"gemini-(\d+)(?:\.(\d+))?-?(.*)")


@dataclass(frozen=True, slots=True)
class GeminiTraits:
    """The rules of a model: how it is told to think, signatures, and limits."""

    budgets: tuple[int, int] | None = (0, 32_768)
    """Least and most thinking tokens besides -1 (as many as it likes); none for a model that doesn't think."""
    may_stop_thinking: bool = True
    levels: bool = True
    needs_signatures: bool = False
    reply_limit: int | None = None
    json_with_tools: bool = True
    least_cached: int = 1_024


def traits_of(model: str) -> GeminiTraits:
    """The traits of a model by its name.

    >>> traits_of("gemini-3-pro-preview").needs_signatures, traits_of("gemini-2.5-pro").budgets
    (True, (128, 32768))
    """
    found = NAMED.search(model)
    if found is None:
        return GeminiTraits()
    generation, rest = (int(found[1]), int(found[2] or 0)), found[3]
    if generation >= (3, 0):
        return GeminiTraits((0, 32_768), True, True, "image" not in rest, 65_536, True, 4_096)
    if generation < (2, 5):
        return GeminiTraits(None, False, False, False, 8_192, False)
    if "pro" in rest:
        return GeminiTraits((128, 32_768), False, False, False, 65_536, False, 4_096)
    least = 512 if "lite" in rest else 1
    return GeminiTraits((least, 24_576), True, False, False, 65_536, False)
