"""The one resolver of layered settings: of a step, of a request's parameters, of compression.

A value has the layer that it is from; one that doesn't fit is told, and the one below it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from ctxlab.documents.refused_values import reason_of
from ctxlab.lazy_dataclass import dataclass

M = TypeVar("M", bound=BaseModel)
NoneMeans = Literal["a value", "not set", "switched off"]
"""The meaning of None in a layer.

It is a value as any other; or the layer says nothing, so that the one below counts; or the layer takes back what those
below say. A parameter that has no value in the end is not sent, which is a fourth thing, and of no layer.
"""
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Given:
    """Values of one layer by field name, and the meaning that None has in it."""

    layer: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    none: NoneMeans = "a value"


@dataclass(frozen=True, slots=True)
class WrongValue:
    """A value that its field doesn't take; `below` is the layer whose value counts in its place.

    `name` is "" and `layer` "default" for what no layer says, such as two values that don't go together.
    """

    layer: str
    name: str
    value: Any
    reason: str
    below: str = DEFAULT


@dataclass(frozen=True, slots=True)
class Resolved(Generic[M]):
    """The settings, the values that layers say, and the layer of every field."""

    settings: M
    values: Mapping[str, Any]
    origins: Mapping[str, str]


def names_of(kind: type[BaseModel]) -> Mapping[str, str]:
    """Fields by each of their names: that of a file and Python's."""
    return {spelt: name for name, info in kind.model_fields.items() for spelt in (info.alias or name, name)}


def resolve(
    kind: type[M], layers: Iterable[Given], tell: Callable[[WrongValue], None], *, base: M | None = None
) -> Resolved[M]:
    """The settings after all layers, the lowest first, above what was given to `base`.

    `tell` gets each value that doesn't fit and may raise. Raises ValidationError for what is wrong and of no layer,
    when `tell` doesn't.
    """
    said: dict[str, list[tuple[str, Any]]] = {}
    for name in kind.model_fields if base is not None else ():
        if base is not None and name in base.model_fields_set:
            said[name] = [(DEFAULT, getattr(base, name))]
    for layer in layers:
        for name, value in layer.values.items():
            if value is not None or layer.none != "not set":
                said.setdefault(name, []).append((layer.layer, value))
    while True:
        try:
            settings = kind.model_validate({name: stack[-1][1] for name, stack in said.items()})
        except ValidationError as refusal:
            error = refusal.errors(include_url=False)[0]
            spelt = str(error["loc"][0]) if error["loc"] else ""
            name = names_of(kind).get(spelt, spelt)
            if name not in said:
                tell(WrongValue(DEFAULT, name, None, reason_of(error)))
                raise
            layer, value = said[name].pop()
            tell(WrongValue(layer, name, value, reason_of(error), said[name][-1][0] if said[name] else DEFAULT))
            if not said[name]:
                del said[name]
        else:
            origins = dict.fromkeys(kind.model_fields, DEFAULT) | {name: each[-1][0] for name, each in said.items()}
            return Resolved(settings, {name: getattr(settings, name) for name in said}, origins)
