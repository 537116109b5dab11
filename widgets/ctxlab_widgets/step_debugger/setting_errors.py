"""Why a setting doesn't take a value, as one plain sentence."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ctxlab.documents.refused_values import reason_of
from ctxlab.errors import did_you_mean
from ctxlab.pipeline import Stage

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


def setting_error(stage: Stage, name: str, value: Any) -> str:
    """Why not, as a sentence; empty when the step takes the value."""
    settings = stage.processor.settings
    fields = type(settings).model_fields
    if name not in fields:
        return f"{stage.id} has no setting {name!r}{did_you_mean(name, list(fields))}"
    values = {each: getattr(settings, each) for each in fields} | {name: value}
    try:
        type(settings).model_validate(values)
    except ValidationError as problem:
        error = problem.errors(include_url=False)[0]
        title = fields[name].title or name.replace("_", " ").capitalize()
        return _sentence(title, error, value)
    return ""


def _sentence(title: str, error: Any, value: Any) -> str:
    kind, more, place = str(error["type"]), error.get("ctx", {}), error["loc"][1:]
    if place:
        title, value = f"{title}, at {'.'.join(map(str, place))},", error["input"]
    if kind in BOUNDS:
        bound, words = BOUNDS[kind]
        wanted = f"{words} {more[bound]:g}"
    elif kind == "literal_error":
        wanted = f"one of {more['expected']}"
    elif kind.partition("_")[0] in KINDS:
        wanted = KINDS[kind.partition("_")[0]]
    else:
        return f"{title}: {reason_of(error)}."
    return f"{title} must be {wanted}, not {_value_text(value)}."


def _value_text(value: Any) -> str:
    if value is None or value == "":
        return "empty"
    text = f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
