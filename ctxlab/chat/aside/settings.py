"""Settings of models that are asked aside: the model that they name, their prompt, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import Field

from ctxlab.documents import Note
from ctxlab.documents.stored import Stored, read_stored
from ctxlab.pipeline.settings.setting_form_fields import form_hints

S = TypeVar("S", bound=Stored)
MODEL: Final = Field(
    "",
    title="Model",
    description="profile:model; blank for the conversation's own model.",
    json_schema_extra=form_hints(kind="model", placeholder="the chat's"),
)


class ModelName(NamedTuple):
    """A model as settings name it: the profile, which may be a provider's name, and the model."""

    profile: str
    model: str


def model_named(identifier: str) -> ModelName | None:
    """The model of a `modelIdentifier`, `profile:model` with the first colon between them; None for a blank one.

    >>> model_named("openai:gpt-4o-mini"), model_named("llama3")
    (ModelName(profile='openai', model='gpt-4o-mini'), ModelName(profile='', model='llama3'))
    """
    profile, colon, model = identifier.strip().partition(":")
    name = (model if colon else profile).strip()
    return ModelName(profile.strip() if colon else "", name) if name else None


def read_settings(kind: type[S], given: Mapping[str, Any] | S | None, place: str) -> tuple[S, tuple[Note, ...]]:
    """Settings as they are or from a file's data, and notes on values that don't fit and names that aren't known."""
    if given is None:
        return kind(), ()
    if isinstance(given, kind):
        return given, ()
    there = {name: value for name, value in dict(given).items() if value is not None}
    settings, notes = read_stored(kind, there, place=place)
    known = [field.alias or name for name, field in kind.model_fields.items()]
    unknown = [
        Note("info", f"{place}: there is no setting {name!r}; it is left out{_nearest(name, known)}")
        for name in settings.model_extra or {}
    ]
    return settings, (*notes, *unknown)


def _nearest(name: str, known: list[str]) -> str:
    """A clause that names the setting which is spelled nearly so; empty where none is."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def filled(template: str, values: Mapping[str, str]) -> str:
    """A prompt with its places filled in, in one pass: what is put in is never looked through for places."""
    if not values:
        return template
    name, *others = values
    rest = {other: values[other] for other in others}
    return values[name].join(filled(piece, rest) for piece in template.split(f"{{{name}}}"))
