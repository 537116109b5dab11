"""Facts of a model that decide on a request: limits, thinking, parameters that it takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ctxlab.assets.capabilities import UNKNOWN, Capabilities
from ctxlab.pipeline.parameters.thinking import Effort, ThinkingMode


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model as its vendor publishes it. Limits are in tokens; None and `known` False mean not known.

    `thinking` are the modes that it takes; `thinks_always` cannot be switched off. `without` are names of
    `RequestParameters` that it refuses, `without_while_thinking` those that it refuses or fixes while it thinks.
    `prefill`: whether the last message may be the beginning of its reply. `system_inside`: whether system messages may
    stand inside the history. `min_cache_tokens` is the shortest prefix that is cached. `thinks_by_default` does so when
    nothing is said of it. `not_both` are pairs of parameters of which it takes one at a time; the first one is sent.
    """

    name: str = ""
    known: bool = False
    context_window: int | None = None
    max_output_tokens: int | None = None
    thinking: tuple[ThinkingMode, ...] = ("off", "on", "budget", "effort", "adaptive")
    efforts: tuple[Effort, ...] = ()
    thinks_always: bool = False
    min_thinking_budget: int | None = None
    max_thinking_budget: int | None = None
    without: frozenset[str] = frozenset()
    without_while_thinking: frozenset[str] = frozenset()
    prefill: bool | None = None
    system_inside: bool | None = None
    tools: bool | None = None
    min_cache_tokens: int | None = None
    capabilities: Capabilities = field(default=UNKNOWN)
    source: str = ""
    as_of: str = ""
    thinks_by_default: bool = False
    min_top_p_while_thinking: float | None = None
    not_both: tuple[tuple[str, str], ...] = ()
