"""A change that turns a decision on a lore entry: fields of its entry or book, a message, rules of the scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

SETTINGS = {"max_passes": "passes allowed"}
FIELD_WORDS = {
    "disable": "switched off",
    "scanDepth": "scan depth",
    "probability": "probability",
    "caseSensitive": "case sensitive",
    "matchWholeWords": "whole words",
    "selective": "selective",
    "groupOverride": "group override",
    "ignoreBudget": "ignore budget",
    "constant": "constant",
}


@dataclass(frozen=True, slots=True)
class NearestChange:
    """Fields of the `entry` and of the `book` as in their files, one more `message`, and `settings` of the scan.

    A change of nothing is false: none is known.
    """

    book: Mapping[str, Any] = field(default_factory=FrozenDict)
    message: str | None = None
    entry: Mapping[str, Any] = field(default_factory=FrozenDict)
    settings: Mapping[str, Any] = field(default_factory=FrozenDict)

    @classmethod
    def of(cls, change: NearestChange | Mapping[str, Any]) -> NearestChange:
        """The change that plain data says; raises CtxlabError for a name that a change hasn't."""
        if isinstance(change, NearestChange):
            return change
        names = [each.name for each in fields(cls)]
        for name in change:
            if name not in names:
                raise CtxlabError(f"a change has no {name!r}{did_you_mean(name, names)}; it has {', '.join(names)}")
        return cls(**change)

    def __bool__(self) -> bool:
        return self.message is not None or bool(self.book or self.entry or self.settings)

    def __str__(self) -> str:
        """The change as a person would say it."""
        parts = ["its book without the model filter"] if self.book else []
        parts += [f"a message with {self.message!r}"] if self.message is not None else []
        parts += [_field(name, value) for name, value in self.entry.items()]
        parts += [f"{SETTINGS.get(name, name)}: {value}" for name, value in self.settings.items()]
        return "; ".join(parts)

    def as_data(self) -> dict[str, Any]:
        """The change as plain data, without what it leaves as it is."""
        data = {
            "book": dict(self.book),
            "message": self.message,
            "entry": dict(self.entry),
            "settings": dict(self.settings),
        }
        return {name: value for name, value in data.items() if value or (name == "message" and value is not None)}


def _field(name: str, value: Any) -> str:
    if name == "content":
        return "its content without decorators"
    if name == "key":
        return f"only these keys: {', '.join(value)}" if value else "none of its keys"
    shown = (
        {True: "yes", False: "no", None: "none", "": "none"}.get(value, value) if not isinstance(value, list) else ""
    )
    return f"{FIELD_WORDS.get(name, name)}: {shown or 'any'}"
