"""Values that beat what single placeholders say, as a text of one line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.policy.placeholder import MODES, Placeholder, limit_of, share_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

LINE = lazy_pattern(r"\s*(【[^【】]*】)([^【】\n]*)(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class PlaceholderOverride:
    """Values that beat what a placeholder says; None leaves its own. `search_disabled` searches bases that are off."""

    limit: int | None = None
    limit_per_base: int | None = None
    min_score: float | None = None
    mode: str | None = None
    params: tuple[str, ...] | None = None
    search_disabled: bool = False

    def applied_to(self, placeholder: Placeholder) -> Placeholder:
        """The placeholder with these values."""
        values = {"limit": self.limit, "minimum": self.min_score, "mode": self.mode, "params": self.params}
        return replace(placeholder, **{name: value for name, value in values.items() if value is not None})

    def changed(self, change: Mapping[str, Any]) -> PlaceholderOverride:
        """These values, and others in the place of some."""
        values = {name: tuple(value) if name == "params" else value for name, value in change.items()}
        return replace(self, **values)

    def __str__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        words = {name: value for name, value in given.items() if value is not None and value is not False}
        return "; ".join([f"{name}={_written(value)}" for name, value in words.items()])


def read_overrides(text: str) -> dict[str, PlaceholderOverride]:
    """The overrides of a text by placeholder; raises WrongArgument for a line that can't be read.

    >>> read_overrides("【kb::tides】 limit=7; min_score=0.2")["【kb::tides】"].limit
    7
    """
    found: dict[str, PlaceholderOverride] = {}
    at = 0
    while text[at:].strip():
        match = LINE.match(text, at)
        if match is None:
            raise WrongArgument(f"{short(text[at:].strip())!r} begins with no placeholder such as 【kb::name】")
        pairs = [pair.partition("=") for pair in match[2].split(";") if pair.strip()]
        found[match[1]] = PlaceholderOverride(**dict([_value(name.strip(), value.strip()) for name, _, value in pairs]))
        at = match.end()
    return found


def overrides_text(overrides: Mapping[str, PlaceholderOverride]) -> str:
    """The text that `read_overrides` reads."""
    return "\n".join([f"{raw} {over}" for raw, over in overrides.items()])


def _value(name: str, text: str) -> tuple[str, Any]:
    value: Any = None
    if name in ("limit", "limit_per_base"):
        value = limit_of(text)
    elif name == "min_score":
        value = share_of(text)
    elif name == "mode":
        value = text if text in MODES else None
    elif name == "params":
        value = tuple([each.strip() for each in text.split(",")])
    elif name == "search_disabled":
        value = {"true": True, "false": False}.get(text.lower())
    else:
        known = ", ".join([field.name for field in fields(PlaceholderOverride)])
        raise WrongArgument(f"{short(name)!r} is no value of a placeholder; there are {known}")
    if value is None:
        raise WrongArgument(f"{short(text)!r} is no {name} of a placeholder")
    return name, value


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "true" if value is True else repr(value) if isinstance(value, float) else str(value)
