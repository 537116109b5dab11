"""A way of building, as a what-if takes it: options of `ctxlab.build` and settings of steps in one mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from ctxlab.documents import Session
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.study.variant import STRATEGY, Variant

ConfigurationSource = Mapping[str, Any] | Variant | str
"""Options of `ctxlab.build` and settings (`"token-limiter.strategy"`), a variant, or the name of a strategy."""


class StartFunction(Protocol):
    """The start of the run that `ctxlab.build` would do with these options: no step done yet."""

    def __call__(self, session: Session, /, **options: Any) -> Trace: ...


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """Options of a build, without its settings, and the settings of steps."""

    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __repr__(self) -> str:
        return f"Configuration({', '.join([*self.options, *self.settings])})"

    def differs_in_settings_only(self, other: Configuration) -> bool:
        """Whether the inputs of their builds are the same, so that steps can be shared."""
        mine, theirs = self.options, other.options
        return mine.keys() == theirs.keys() and all(
            mine[name] is theirs[name] or _equal(mine[name], theirs[name]) for name in mine
        )

    def all_options(self) -> dict[str, Any]:
        return {**self.options, **({"settings": self.settings} if self.settings else {})}


def configuration_of(
    source: ConfigurationSource, *, known: frozenset[str], refused: Mapping[str, str], name: str
) -> Configuration:
    """A configuration; `known` are options of a build, `refused` those that make no sense here, each with a reason."""
    if isinstance(source, str):
        return Configuration({}, {STRATEGY: source})
    if isinstance(source, Variant):
        if source.change is not None:
            raise WrongArgument(f"{name}: {source!r} changes cases, which a replay has none of; a study takes it")
        given: dict[str, Any] = {**source.options, **source.settings}
    else:
        given = dict(source)
    settings: dict[str, Any] = dict(given.pop("settings", None) or {})
    options: dict[str, Any] = {}
    for key, value in given.items():
        if key in refused:
            raise WrongArgument(f"{name}: {key} {refused[key]}")
        if key in known:
            options[key] = value
        elif "." in key:
            settings[key] = value
        else:
            raise WrongArgument(
                f"{name}: {key!r} is no option of build and no setting{did_you_mean(key, sorted(known))}"
            )
    # The budget is a setting of the limiter: two budgets share the steps before it.
    budget = options.pop("budget_tokens", None)
    if budget is not None:
        settings.setdefault("token-limiter.budget_tokens", budget)
    return Configuration(options, settings)


def _equal(a: Any, b: Any) -> bool:
    """Whether two options are equal; of plain values only, others are the same where they are the same object."""
    return type(a) is type(b) and isinstance(a, str | int | float | bool | None) and a == b
