"""Settings of a variant that aren't the defaults, in words: one name may stand for two ways of cutting."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.engines.truncation.registry import settings_of, strategies
from ctxlab.processors import TokenLimiter, default_pipeline
from ctxlab.studies.study.variant import STRATEGY, Variant

LIMITER = f"{TokenLimiter.id}."
LONGEST_VALUE = 60
SEVERAL = "differs from case to case"
"""Stands where one variant has several texts of settings."""


def settings_given(variant: Variant, *shared: Mapping[str, Any]) -> str:
    """The settings of a variant that aren't the defaults, as in `head_share=0.5`; empty where it sets nothing.

    `shared` are the options of a build that all variants have, the later ones in force: of their settings those count
    that the variant's strategy goes by. Settings of the limiter are named without their step. What the variant's name
    says already isn't said again.
    """
    common = settings_in(*shared)
    own = {**settings_in(variant.options), **variant.settings}
    of_strategy = {name: value for name, value in common.items() if name in _names_of(_strategy({**common, **own}))}
    said = [pair for name, value in {**of_strategy, **own}.items() for pair in _pair(name, value, variant.name)]
    return ", ".join(said)


def settings_in(*options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of steps in options of a build, the later ones in force."""
    return {name: value for each in options for name, value in (each.get("settings") or {}).items()}


def one_text(texts: Iterable[str]) -> str:
    """The text that all of these are, or the words that there are several."""
    found = set(texts)
    return next(iter(found), "") if len(found) < 2 else SEVERAL


def not_default(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that aren't the defaults."""
    return {name: value for name, value in settings.items() if not _is_default(name, value)}


def as_json(value: Any) -> Any:
    """A setting's value as plain JSON; of what JSON has no form for the name of its class."""
    try:
        return json.loads(json.dumps(value, default=lambda each: type(each).__name__))
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def _strategy(settings: Mapping[str, Any]) -> str:
    named = settings.get(STRATEGY)
    return named if isinstance(named, str) else str(_defaults().get(STRATEGY, ""))


def _names_of(strategy: str) -> set[str]:
    known = strategies().by_name.get(strategy)
    return {LIMITER + name for name in settings_of(known)} if known is not None else set()


def _pair(name: str, value: Any, variant: str) -> Iterator[str]:
    """The setting in words, where it isn't the default, nor what the variant is called by."""
    if _is_default(name, value) or (name == STRATEGY and value == variant):
        return
    pair = f"{name.removeprefix(LIMITER)}={_words(value)}"
    if pair not in variant:
        yield pair


def _words(value: Any) -> str:
    return plain(value if isinstance(value, str) else json.dumps(as_json(value), ensure_ascii=False), LONGEST_VALUE)


def _is_default(name: str, value: Any) -> bool:
    known = _defaults()
    try:
        return name in known and bool(known[name] == value)
    except Exception:  # values of anybody's may compare in any way
        return False


@cache
def _defaults() -> Mapping[str, Any]:
    """Defaults of every step's settings, by `<step>.<setting>`; read once per process."""
    found: dict[str, Any] = {}
    for step in [stage.base for stage in default_pipeline().stages]:
        found[f"{step.id}.enabled"] = step.default_enabled
        found[f"{step.id}.priority"] = step.priority
        found |= {f"{step.id}.{name}": field.default for name, field in step.Settings.model_fields.items()}
    return found
