"""Traits of OpenAI's models by their names; of a name that isn't known nothing is assumed."""

from __future__ import annotations

import re

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

GPT = lazy_pattern(r"gpt-(\d+)(?:\.(\d+))?(?!\d|o)(.*)")
SAMPLING_BY_DEFAULT = {(5, 1), (5, 2), (5, 4)}
"""Generations that don't reason unless asked to, and take a temperature then."""
ALL_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})


@dataclass(frozen=True, slots=True)
class OpenAiTraits:
    """The rules of a model: whether it reasons, its efforts, what it reads, and the limit of its reply."""

    reasons: bool | None = None
    """None where the name says nothing."""
    efforts: frozenset[str] = ALL_EFFORTS
    samples_by_default: bool = True
    samples_without_effort: bool = True
    stops: bool = True
    pictures: bool = True
    sound: bool = True
    reply_limit: int | None = None

    def samples(self, effort: str | None) -> bool:
        """Whether another temperature than 1 goes with an effort, or without one."""
        return self.samples_without_effort if effort == "none" else effort is None and self.samples_by_default


def traits_of(model: str) -> OpenAiTraits:
    """The traits of a model by its name.

    >>> traits_of("gpt-5-mini").samples(None), traits_of("gpt-4o").samples(None), traits_of("gpt-5.1").samples("none")
    (False, True, True)
    """
    if re.match(r"o\d", model):
        efforts = frozenset({"low", "medium", "high"})
        return OpenAiTraits(
            True,
            efforts,
            False,
            False,
            not model.startswith(("o3", "o4")),
            "mini" not in model or model[1] != "3",
            False,
            100_000,
        )
    found = GPT.match(model)
    if found is not None and int(found[1]) >= 5 and "chat" not in found[3]:
        generation = (int(found[1]), int(found[2] or 0))
        fixed = "pro" in found[3] or "codex" in found[3] or generation == (5, 0)
        by_default = not fixed and generation in SAMPLING_BY_DEFAULT
        return OpenAiTraits(True, _efforts(generation, found[3]), by_default, not fixed, False, True, False, 128_000)
    if re.match(r"gpt-(3|4|5|audio)|chatgpt", model):
        return _older(model)
    return OpenAiTraits()


def _efforts(generation: tuple[int, int], rest: str) -> frozenset[str]:
    if generation == (5, 0):
        return frozenset({"high"}) if "pro" in rest else frozenset({"minimal", "low", "medium", "high"})
    efforts = {"none", "low", "medium", "high"}
    if generation >= (5, 2) or "max" in rest:
        efforts.add("xhigh")
    if generation >= (5, 6):
        efforts.add("max")
    return frozenset(efforts)


def _older(model: str) -> OpenAiTraits:
    limits = (("gpt-4.1", 32_768), ("gpt-4o", 16_384), ("gpt-4-", 4_096), ("gpt-3.5", 4_096), ("gpt-4", 8_192))
    limit = next((limit for name, limit in limits if model.startswith(name)), 16_384)
    blind = model.startswith("gpt-3.5") or re.fullmatch(r"gpt-4(-\d{4})?", model) is not None
    return OpenAiTraits(
        False, frozenset(), pictures=not blind, sound="audio" in model or "realtime" in model, reply_limit=limit
    )
