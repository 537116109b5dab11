"""Refusals of pydantic, each as one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.documents.refused_values import reason_of

KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "a mapping",
    "model": "a mapping",
    "finite": "a finite number",
}
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "more than"),
    "less_than": ("lt", "less than"),
}


def refusal_sentence(subject: str, error: Mapping[str, Any], value: object) -> str:
    """A sentence on what the subject must be, and what it was; `error` is one of `ValidationError.errors()`."""
    wanted = _wanted(error)
    return f"{subject} must be {wanted}, not {value_text(value)}." if wanted else f"{subject}: {reason_of(error)}."


def _wanted(error: Mapping[str, Any]) -> str:
    kind, more = str(error["type"]), error.get("ctx", {})
    if kind in BOUNDS:
        bound, words = BOUNDS[kind]
        return f"{words} {more[bound]:g}"
    if kind == "literal_error":
        return f"one of {more['expected']}"
    return KINDS.get(kind.partition("_")[0], "")


def value_text(value: object) -> str:
    """A value in at most 60 characters."""
    if value is None or value == "":
        return "empty"
    text = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)
    return short(text, 60)
