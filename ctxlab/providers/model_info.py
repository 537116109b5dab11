"""The model of a request as one value: its name and family, limits, thinking, parameters that it takes, its inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from ctxlab.assets.capabilities import UNKNOWN, Capabilities
from ctxlab.documents import ModelProfile
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.tokens.model_encodings import ALIASES, ModelName, read_model_name
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.thinking import Effort, ThinkingMode

UNREAD: Final = ModelName("", None)
PROFILE: Final = "the model's profile"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as its vendor publishes it, or its profile says. Limits are in tokens; None and `known` False: not known.

    `asked` is what it was resolved of, `family` the reading of its name, done once and handed along. `origins` are
    fields that the profile or a file of one's own says; of others `source` says where they are from, with its month.

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
    asked: str | ModelProfile | None = field(default=None, hash=False)
    family: ModelName = UNREAD
    origins: Mapping[str, str] = field(default_factory=FrozenDict, hash=False)

    def __post_init__(self) -> None:
        if self.name and self.family == UNREAD:
            object.__setattr__(self, "family", read_model_name(self.name))

    @property
    def profile(self) -> ModelProfile | None:
        return self.asked if isinstance(self.asked, ModelProfile) else None

    @property
    def encoding(self) -> str:
        """The encoding by which its tokens are counted, or the estimate where none is known."""
        stored = self.profile.tokenizer if self.profile else None
        return ALIASES.get(stored or "", stored) or self.family.counted_by

    @property
    def wire(self) -> str | None:
        """The form of requests that its profile says; None where it says none."""
        return self.profile.wire if self.profile and "wire" in self.profile.model_fields_set else None

    @property
    def vendor(self) -> str | None:
        """The vendor by its name: openai, anthropic, google, deepseek; None where the name doesn't say."""
        family = self.family
        if family.bare.startswith("deepseek"):
            return "deepseek"
        if family.wire != "openai":
            return family.wire
        return "openai" if family.encoding is not None or re.match(r"gpt-\d", family.bare) else None

    def source_of(self, name: str) -> str:
        """The source of a field, such as `context_window`; "" where nothing is known of it."""
        if name in self.origins:
            return self.origins[name]
        if name == "capabilities":
            return self.capabilities.source
        if name in ("family", "vendor", "encoding"):
            return PROFILE if name == "encoding" and self.profile and self.profile.tokenizer else "its name"
        return f"{self.source}, {self.as_of}" if self.source else ""
