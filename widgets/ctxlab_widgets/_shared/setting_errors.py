"""Why a setting doesn't take a value, as one plain sentence."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ctxlab.documents.refusal_sentence import refusal_sentence
from ctxlab.errors import did_you_mean
from ctxlab.pipeline import Stage


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
        place = error["loc"][1:]
        if place:
            return refusal_sentence(f"{title}, at {'.'.join(map(str, place))},", error, error["input"])
        return refusal_sentence(title, error, value)
    return ""
