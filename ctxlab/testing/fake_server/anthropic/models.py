"""Traits of Claude models by their names; of a name that tells no generation nothing is assumed."""

from __future__ import annotations

import re

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

NAMED = lazy_pattern(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:-(\d{1,2}))?(?!\d)")
OLD = lazy_pattern(r"claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)")
Generation = tuple[int, int]
NEWEST: Generation = (99, 0)


@dataclass(frozen=True, slots=True)
class ClaudeTraits:
    """The rules of a model: thinking types, prefill, sampling, efforts, limits."""

    thinking: frozenset[str] = frozenset({"enabled", "disabled", "adaptive", "between_tools"})
    prefill: bool = True
    sampling: bool = True
    one_sampling: bool = False
    """Temperature or top_p, not both."""
    efforts: frozenset[str] = frozenset({"low", "medium", "high", "xhigh", "max"})
    system_messages: bool = True
    reply_limit: int | None = None
    least_cached: int = 1_024
    pictures: int = 600


def traits_of(model: str) -> ClaudeTraits:
    """The traits of a model by its name.

    >>> traits_of("claude-opus-4-6").prefill, traits_of("claude-sonnet-4-5-20250929").prefill
    (False, True)
    """
    if "mythos-preview" in model:
        return ClaudeTraits(frozenset({"enabled", "adaptive"}), False, False, system_messages=False)
    found = NAMED.search(model)
    old = None if found else OLD.search(model)
    if found is None and old is None:
        return ClaudeTraits()
    family = found[1] if found else (old[3] if old else "")
    generation = _generation(found) if found else (int(old[1]), int(old[2] or 0)) if old else NEWEST
    return ClaudeTraits(
        _thinking(family, generation),
        prefill=generation < (4, 6),
        sampling=generation < (4, 7),
        one_sampling=(4, 1) <= generation < (4, 7) and (family == "opus" or generation >= (4, 5)),
        efforts=_efforts(family, generation),
        system_messages=generation >= (4, 8) and (family, generation) != ("sonnet", (5, 0)),
        reply_limit=_reply_limit(family, generation),
        least_cached=_least_cached(family, generation),
        pictures=600 if generation >= (4, 6) else 100,
    )


def _generation(found: re.Match[str]) -> Generation:
    return int(found[2]), int(found[3] or 0)


def _thinking(family: str, generation: Generation) -> frozenset[str]:
    if generation < (3, 7):
        return frozenset()
    if generation < (4, 6):
        return frozenset({"enabled", "disabled"})
    if generation < (4, 7):
        return frozenset({"enabled", "disabled", "adaptive"})
    if family in {"fable", "mythos"} or (family, generation) == ("opus", (5, 5)):
        return frozenset({"adaptive"})
    if generation >= (5, 5):
        off = {"between_tools"} if family == "sonnet" else {"between_tools", "disabled"}
        return frozenset({"adaptive", *off})
    return frozenset({"adaptive", "disabled"})


def _efforts(family: str, generation: Generation) -> frozenset[str]:
    if generation < (4, 6):
        return frozenset({"low", "medium", "high"}) if (family, generation) == ("opus", (4, 5)) else frozenset()
    return frozenset({"low", "medium", "high", "max", *(["xhigh"] if generation >= (4, 7) else [])})


def _reply_limit(family: str, generation: Generation) -> int:
    if generation < (3, 5):
        return 4_096
    if generation < (3, 7):
        return 8_192
    if generation < (4, 6):
        return 32_000 if family == "opus" and generation < (4, 5) else 64_000
    return 128_000


def _least_cached(family: str, generation: Generation) -> int:
    if family == "haiku" and generation < (4, 0):
        return 2_048
    if (family, generation) in {("opus", (4, 5)), ("opus", (4, 6)), ("haiku", (4, 5))}:
        return 4_096
    if (family, generation) == ("opus", (4, 7)):
        return 2_048
    return 512 if generation >= (5, 0) and (family, generation) != ("sonnet", (5, 0)) else 1_024
