"""Precedence of a step's settings: default < dialect < model < agent < the user's layout < this call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from ctxlab.documents import Note
from ctxlab.errors import WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.processor import Processor, ProcessorSettings
from ctxlab.pipeline.settings.resolver import DEFAULT, Given, WrongValue, names_of, resolve

LayerName = Literal["dialect", "model", "agent", "layout", "call"]
ORDER: tuple[LayerName, ...] = ("dialect", "model", "agent", "layout", "call")
STORED = frozenset({"model", "agent", "layout"})
"""Layers whose wrong values earn a note; those of a call or a dialect are errors."""


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
    of_step = {"enabled": "default", "priority": "default"}
    notes: list[Note] = []
    for layer in applied:
        if layer.enabled is not None:
            enabled, of_step["enabled"] = layer.enabled, layer.name
        if layer.priority is not None:
            priority, of_step["priority"] = layer.priority, layer.name
    given = [Given(layer.name, _known_fields(base, layer, notes)) for layer in applied]

    def tell(wrong: WrongValue) -> None:
        text = f"{base.id}.{wrong.name}: {wrong.reason}, got {wrong.value!r}"
        if wrong.layer not in STORED:
            raise WrongSetting(text) from None
        used = "the default" if wrong.below == DEFAULT else f"that of the {wrong.below}"
        notes.append(Note("warning", f"{text} (from the {wrong.layer}); {used} is used", base.id))

    found = resolve(base.Settings, given, tell, base=base.settings)
    return ResolvedSettings(found.settings, enabled, priority, {**of_step, **found.origins}, tuple(notes))


def _known_fields(base: Processor, layer: Layer, notes: list[Note]) -> dict[str, Any]:
    names, found = names_of(base.Settings), dict[str, Any]()
    for spelt, value in layer.settings.items():
        if spelt in names:
            found[names[spelt]] = value
            continue
        text = f"{base.id} has no setting {spelt!r}{did_you_mean(spelt, list(base.Settings.model_fields))}"
        if layer.name not in STORED:
            raise WrongSetting(text)
        notes.append(Note("warning", f"{text} (from the {layer.name}); it is ignored", base.id))
    return found
