"""Settings of the token limiter: its own, and those that the strategies declare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, cast

from pydantic import Field, create_model

from ctxlab.engines.truncation import STRATEGIES, Strategies, Strategy, settings_of, strategies
from ctxlab.pipeline import ProcessorSettings, form_hints

ID = "token-limiter"


class LimiterSettings(ProcessorSettings):
    """The settings that no strategy adds."""

    budget_tokens: int | None = Field(
        None,
        ge=1,
        title="Budget",
        description="Tokens for the whole prompt; none takes the model's window if known.",
    )
    reserve_tokens: int | None = Field(
        None,
        ge=0,
        title="Reserve",
        description="Tokens of a model's window kept free for the reply; none keeps the reply limit free.",
    )
    strategy: str = Field(STRATEGIES[0].name, title="Strategy", description="Which messages go first.")
    retained_characters: int = Field(
        0,
        ge=0,
        title="Retained characters",
        description="Keep this much of the head of a cut message; 0 keeps none.",
    )
    marker: str = Field("\n[…]", title="Marker", description="Put where a shortened message was cut off.")
    overhead_tokens: int | None = Field(
        None,
        ge=0,
        title="Overhead",
        description="Tokens per message; none takes what wire format and merging need.",
    )

    estimate: Literal["mean", "safe"] = Field(
        "mean",
        title="Estimate",
        description="By which side of an estimate messages are cut; exact counts have one side only.",
        json_schema_extra=form_hints(
            labels={"mean": "near most models", "safe": "over nearly every model's own count"}
        ),
    )

    def made_strategy(self) -> Strategy:
        """The strategy of that name, with its own settings."""
        strategy = strategies().by_name[self.strategy]
        return strategy(**{name: getattr(self, name) for name in settings_of(strategy)})


class SettingsOfLimiter:
    """The settings class with what all strategies add, also those of other packages; made when first asked for."""

    def __get__(self, instance: object, owner: type) -> type[LimiterSettings]:
        return _settings_class(strategies())


@cache
def _settings_class(known: Strategies) -> type[LimiterSettings]:
    of_limiter = LimiterSettings.model_fields["strategy"]
    names = cast("Any", Literal)[tuple(known.by_name)]
    choice = Field(of_limiter.default, title=of_limiter.title, description=of_limiter.description)
    fields: Mapping[str, Any] = {"strategy": (names, choice), **known.settings}
    made = create_model("Settings", __base__=LimiterSettings, __module__="ctxlab.processors.token_limiter", **fields)
    made.read_with = _read_with(known)
    made.__qualname__ = "TokenLimiter.Settings"  # pickle looks it up there
    return made


def _read_with(known: Strategies) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Settings that only some strategies read, with the names of those."""
    readers: dict[str, list[str]] = {"retained_characters": [], "marker": []}
    for name, strategy in known.by_name.items():
        for setting in (
            *settings_of(strategy),
            *(("retained_characters", "marker") if strategy.traits.shortens else ()),
        ):
            readers.setdefault(setting, []).append(name)
    return {setting: ("strategy", tuple(names)) for setting, names in readers.items()}
