"""Layers of settings made of what is stored and asked for: a setting by its name, a dialect, an agent, a layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.documents import Agent, ModelProfile, Note, ProcessorEntry
from ctxlab.errors import WrongArgument, WrongSetting
from ctxlab.pipeline.settings.dialects import Dialect
from ctxlab.pipeline.settings.layers import Layer, LayerName
from ctxlab.pipeline.stage import Stage

REQUEST = "request"
"""The name under which parameters of the request are set, as if they were those of a step."""


def layer_of_setting(layer: LayerName, place: str, setting: str, value: Any) -> Layer:
    """A layer that sets one setting; raises WrongSetting."""
    if setting == "enabled":
        if not isinstance(value, bool):
            raise WrongSetting(f"{place}: expected true or false, got {value!r}")
        return Layer(layer, enabled=value)
    if setting == "priority":
        if not isinstance(value, int) or isinstance(value, bool):
            raise WrongSetting(f"{place}: expected a whole number, got {value!r}")
        return Layer(layer, priority=value)
    return Layer(layer, settings={setting: value})


def request_parameter(name: str, value: Any) -> Mapping[str, Any]:
    """A parameter of a request by its own name, checked; raises WrongSetting for an unknown name or a wrong value."""
    from ctxlab.pipeline.parameters.layers import field_named, layer_of

    try:
        layer_of("call", {name: value})
    except WrongArgument as refusal:
        raise WrongSetting(f"{REQUEST}.{name}: {refusal}") from None
    return {field_named(name) or name: value}


def layers_of_dialect(stages: Sequence[Stage], dialect: Dialect) -> dict[str, tuple[Layer, ...]]:
    """The layer of a dialect by the ids of the steps that it sets."""
    found: dict[str, tuple[Layer, ...]] = {}
    for name, value in dialect.settings.items():
        step, _, setting = name.rpartition(".")
        stage = next((stage for stage in stages if stage.is_called(step)), None)
        if stage is not None:
            own = found.get(stage.id, (Layer("dialect"),))[0]
            found[stage.id] = (layer_of_setting("dialect", name, setting, value).over(own),)
    return found


def stored_layers(stage: Stage, model: ModelProfile | None, agent: Agent | None) -> list[Layer]:
    """The layers of a step that a model and an agent bring."""
    layers: list[Layer] = []
    stored: tuple[tuple[LayerName, ModelProfile | Agent | None], ...] = (("model", model), ("agent", agent))
    for name, holder in stored:
        entry = _entry_of(stage, holder)
        if entry is not None:
            layers.append(stage.layer_for(entry.id, Layer(name, entry.enabled, None, entry.settings)))
    return layers


def _entry_of(stage: Stage, stored: ModelProfile | Agent | None) -> ProcessorEntry | None:
    """The entry of a step in an agent or a model: the one in `processors`, else the one made of older places."""
    if stored is None:
        return None
    for entry in reversed(stored.processors):
        if stage.is_called(entry.id):
            return entry
    return stage.base.settings_from(stored)


def unknown_entries(stages: Sequence[Stage], stored: ModelProfile | Agent | None, name: str) -> list[Note]:
    """A warning for each step that an agent or a model names and that is not here."""
    return [
        Note("warning", f"the {name} names a step that is not here, {entry.id!r}; it is ignored")
        for entry in (stored.processors if stored else ())
        if not any(stage.is_called(entry.id) for stage in stages)
    ]


def layout_entries(layout: Any, notes: list[Note]) -> list[Mapping[str, Any]]:
    """The steps of a stored layout, in either form; `notes` gets what is amiss."""
    if isinstance(layout, Mapping) and "enabledProcessorIds" in layout:
        return _older_layout(cast("Mapping[str, Any]", layout), notes)
    if isinstance(layout, Sequence) and not isinstance(layout, str):
        return [cast("Mapping[str, Any]", e) for e in cast("Sequence[object]", layout) if isinstance(e, Mapping)]
    notes.append(Note("warning", f"the layout is {type(layout).__name__}, not a list of steps; it is ignored"))
    return []


def _older_layout(layout: Mapping[str, Any], notes: list[Note]) -> list[Mapping[str, Any]]:
    """The reference's stored form. Its order is the order of registration, not of running, and is not taken over."""
    notes.append(Note("info", "the stored layout says which steps are on; its order is not the running order"))
    enabled, ordered = _names(layout.get("enabledProcessorIds")), _names(layout.get("orderedProcessorIds"))
    return [{"id": name, "enabled": name in enabled} for name in dict.fromkeys((*ordered, *enabled))]


def _names(stored: object) -> list[str]:
    return [str(name) for name in cast("list[object]", stored)] if isinstance(stored, list) else []


def layout_layer(entry: Mapping[str, Any], notes: list[Note]) -> Layer:
    """The layer of a step of a layout; `notes` gets the values that were left out."""
    enabled, priority, settings = entry.get("enabled"), entry.get("priority"), entry.get("settings") or {}
    if enabled is not None and not isinstance(enabled, bool):
        notes.append(Note("warning", f"layout of {entry.get('id')!r}: enabled is {enabled!r}, not true or false"))
        enabled = None
    if priority is not None and (not isinstance(priority, int) or isinstance(priority, bool)):
        notes.append(Note("warning", f"layout of {entry.get('id')!r}: priority is {priority!r}, not a whole number"))
        priority = None
    if not isinstance(settings, Mapping):
        notes.append(Note("warning", f"layout of {entry.get('id')!r}: settings are not an object"))
        settings = {}
    return Layer("layout", enabled, priority, cast("Mapping[str, Any]", settings))
