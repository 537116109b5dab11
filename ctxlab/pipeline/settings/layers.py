"""Precedence of a step's settings: default < dialect < model < agent < the user's layout < this call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from ctxlab.documents import Note
from ctxlab.documents.refused_values import reason_of
from ctxlab.errors import WrongSetting, did_you_mean
from ctxlab.pipeline.processor import Processor, ProcessorSettings

LayerName = Literal["dialect", "model", "agent", "layout", "call"]
ORDER: tuple[LayerName, ...] = ("dialect", "model", "agent", "layout", "call")


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings of a step from one source, by field name; None means that the source has none."""

    name: LayerName
    enabled: bool | None = None
    priority: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def over(self, older: Layer) -> Layer:
        """Both layers as one; values of this one win."""
        return Layer(
            self.name,
            self.enabled if self.enabled is not None else older.enabled,
            self.priority if self.priority is not None else older.priority,
            {**older.settings, **self.settings},
        )

    @property
    def is_stored(self) -> bool:
        """Stored values that are wrong earn a note; values of a call or a dialect are errors."""
        return self.name not in ("call", "dialect")


@dataclass(frozen=True, slots=True)
class ResolvedSettings:
    """The resolved settings of a step, and the layer that each value is from."""

    settings: ProcessorSettings
    enabled: bool
    priority: int
    sources: Mapping[str, str]
    notes: tuple[Note, ...]


def resolve_settings(base: Processor, layers: Sequence[Layer]) -> ResolvedSettings:
    """The step's settings after all layers. An agent's entry replaces the model's entry whole."""
    applied = sorted(layers, key=lambda layer: ORDER.index(layer.name))
    if any(layer.name == "agent" for layer in applied):
        applied = [layer for layer in applied if layer.name != "model"]
    enabled, priority = base.default_enabled, base.priority
    sources = {"enabled": "default", "priority": "default", **dict.fromkeys(base.Settings.model_fields, "default")}
    values: dict[str, Any] = {name: getattr(base.settings, name) for name in base.settings.model_fields_set}
    notes: list[Note] = []
    for layer in applied:
        if layer.enabled is not None:
            enabled, sources["enabled"] = layer.enabled, layer.name
        if layer.priority is not None:
            priority, sources["priority"] = layer.priority, layer.name
        for name, value in _known_fields(base, layer, notes):
            values[name], sources[name] = value, layer.name
    settings = _checked(base, values, sources, {layer.name: layer for layer in applied}, notes)
    return ResolvedSettings(settings, enabled, priority, sources, tuple(notes))


def _known_fields(base: Processor, layer: Layer, notes: list[Note]) -> list[tuple[str, Any]]:
    fields = base.Settings.model_fields
    by_alias = {info.alias: name for name, info in fields.items() if info.alias}
    found: list[tuple[str, Any]] = []
    for name_given, value in layer.settings.items():
        name = name_given if name_given in fields else by_alias.get(name_given)
        if name is not None:
            found.append((name, value))
            continue
        text = f"{base.id} has no setting {name_given!r}{did_you_mean(name_given, list(fields))}"
        if not layer.is_stored:
            raise WrongSetting(text)
        notes.append(Note("warning", f"{text} (from the {layer.name}); it is ignored", base.id))
    return found


def _checked(
    base: Processor, values: dict[str, Any], sources: dict[str, str], layers: Mapping[str, Layer], notes: list[Note]
) -> ProcessorSettings:
    while True:
        try:
            return base.Settings.model_validate(values)
        except ValidationError as refusal:
            error = refusal.errors(include_url=False)[0]
            name = _field_of(base, error["loc"])
            layer = layers.get(sources.get(name, ""))
            text = f"{base.id}.{name}: {reason_of(error)}, got {values.get(name)!r}"
            if name not in values or layer is None or not layer.is_stored:
                raise WrongSetting(text) from None
            notes.append(Note("warning", f"{text} (from the {layer.name}); the default is used", base.id))
            if name in base.settings.model_fields_set:
                values[name] = getattr(base.settings, name)
            else:
                del values[name]
            sources[name] = "default"


def _field_of(base: Processor, loc: tuple[int | str, ...]) -> str:
    given = str(loc[0]) if loc else ""
    for name, info in base.Settings.model_fields.items():
        if given in (name, info.alias):
            return name
    return given
