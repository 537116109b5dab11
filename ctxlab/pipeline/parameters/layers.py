"""The parameters of a request before a model is asked: model < agent < session < call, each with its origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, Literal, cast

from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from ctxlab.context import BuildInput
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note
from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.forms import ModelParameters
from ctxlab.pipeline.settings.resolver import DEFAULT, Given, WrongValue, names_of, resolve
from ctxlab.secrets import without_secret_fields

LayerName = Literal["default", "model", "agent", "session", "call", "custom"]
CONTAINERS = frozenset(
    {"contextManagement", "contextPostProcessing", "contextCompression", "imageCompression", "toolCallConfig"}
)
"""Settings of steps, which are stored among the parameters and are not sent."""
CUSTOM, WHITELIST = "custom", "enabledParameters"
SYNONYMS = {"max_output_tokens": "max_tokens", "web_search": "web_search_options", "safety": "safety_settings"}
"""Names of a settled request for stored ones."""


@dataclass(frozen=True, slots=True, eq=False)
class ParameterLayer:
    """Parameters of one source: values by field name (None: not sent), fields of other names, custom ones, a whitelist.

    `enabled` are the only stored parameters that are sent; None is no such list. `read_from` is the wire format of the
    body from which the custom ones were read, if they were.
    """

    name: LayerName
    values: Mapping[str, Any] = field(default_factory=FrozenDict)
    others: Mapping[str, Any] = field(default_factory=FrozenDict)
    custom: Mapping[str, Any] = field(default_factory=FrozenDict)
    custom_on: bool | None = None
    read_from: str | None = None
    enabled: tuple[str, ...] | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Effective:
    """The merged parameters, and where each is from.

    `values` are those that are sent, by field name, `sources` name the layer of each field ("default" where none says
    anything), `layers` hold what each layer says. `switched_off` are those that a whitelist leaves out. `custom` are
    fields by the vendor's own names, and `read_from` the wire formats of those that were read from a body.
    """

    values: Mapping[str, Any]
    sources: Mapping[str, LayerName]
    layers: Mapping[str, Mapping[str, Any]]
    custom: Mapping[str, Any]
    switched_off: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    read_from: Mapping[str, str] = field(default_factory=FrozenDict)

    def __repr__(self) -> str:
        return f"Effective({counted(len(self.values), 'parameter')}, {counted(len(self.custom), 'custom field')})"

    def _repr_html_(self) -> str:
        rows = [
            (name, repr(value), self.sources.get(name, ""))
            for name, value in without_secret_fields(self.values).items()
        ]
        rows += [(name, repr(value), "custom") for name, value in without_secret_fields(self.custom).items()]
        return heading(self) + html_table(("parameter", "value", "layer"), rows)


def effective(build_input: BuildInput, call: Mapping[str, Any] | None = None) -> Effective:
    """The parameters of a build and of a call, each with its origin.

    A wrong value of a file is left out with a note; one of the call raises WrongArgument that names the field.
    """
    session = (build_input.session.model_extra or {}).get("parameterOverrides")
    model = ((build_input.model.model_extra or {}) if build_input.model else {}).get("parameters")
    agent = build_input.agent.parameters if build_input.agent else None
    stored: tuple[tuple[LayerName, object], ...] = (("model", model), ("agent", agent), ("session", session))
    return merged([*(layer_of(name, each) for name, each in stored), layer_of("call", call)])


def merged(layers: Sequence[ParameterLayer]) -> Effective:
    """The layers as one, the later over the earlier; a whitelist holds for what is stored, not for the call."""
    values: dict[str, Any] = {}
    sources: dict[str, LayerName] = dict.fromkeys(ModelParameters.model_fields, "default")
    others: dict[str, Any] = {}
    custom: dict[str, Any] = {}
    read_from: dict[str, str | None] = {}
    custom_on, enabled = True, None
    for layer in layers:
        values |= layer.values
        sources |= dict.fromkeys(layer.values, layer.name)
        others |= layer.others
        custom |= layer.custom
        read_from |= dict.fromkeys(layer.custom, layer.read_from)
        custom_on = layer.custom_on if layer.custom_on is not None else custom_on
        enabled = layer.enabled if layer.enabled is not None else enabled
    off = _left_out(values, sources, enabled)
    kept = {name: value for name, value in values.items() if value is not None and name not in off}
    raw, named = _by_kind(custom if custom_on else {})
    notes = [note for layer in layers for note in layer.notes]
    for name, value in _checked("agent", named, notes, "custom").items():
        kept[name], sources[name] = value, "custom"
    return Effective(
        FrozenDict(kept),
        FrozenDict(sources),
        FrozenDict({layer.name: layer.values for layer in layers}),
        FrozenDict({**others, **raw}),
        tuple(off),
        (*notes, *_off_note(off)),
        FrozenDict({name: wire for name, wire in read_from.items() if wire and name in raw and name not in others}),
    )


def layer_of(name: LayerName, stored: object) -> ParameterLayer:
    """The parameters of a source. Unknown names are fields of a vendor in a file, and a WrongArgument in a call."""
    if stored is None:
        return ParameterLayer(name)
    notes: list[Note] = []
    if not isinstance(stored, Mapping):
        return ParameterLayer(name, notes=(Note("warning", f"the parameters of the {name} are no object; left out"),))
    given, others = dict[str, Any](), dict[str, Any]()
    for key, value in cast("Mapping[str, Any]", stored).items():
        found = field_named(key)
        if found is not None:
            given[found] = value
        elif key not in CONTAINERS and key not in (CUSTOM, WHITELIST, "enabled_parameters"):
            others[key] = value
    for key in [key for key in others if key.startswith("_") and name != "call"]:
        del others[key]
        notes.append(
            Note("info", f"{short(key)} among the parameters begins with _, as names of programs do; it isn't sent")
        )
    if name == "call" and others:
        wrong = next(iter(others))
        meant = did_you_mean(wrong, [*fields_by_name()])
        raise WrongArgument(f"there is no parameter {short(wrong)!r}{meant}; fields of a vendor go into custom")
    custom, custom_on = _custom_of(stored.get(CUSTOM), name, notes)
    listed = stored.get(WHITELIST, stored.get("enabled_parameters"))
    return ParameterLayer(
        name,
        FrozenDict(_checked(name, given, notes)),
        frozen(others),
        frozen(custom),
        custom_on,
        _wire_of(stored.get(CUSTOM)),
        _whitelist_of(listed, name, notes),
        tuple(notes),
    )


@cache
def fields_by_name() -> Mapping[str, str]:
    """Fields by every name that they have: Python's, the file's, and that of a settled request."""
    return FrozenDict({**names_of(ModelParameters), **SYNONYMS})


def field_named(key: str) -> str | None:
    return fields_by_name().get(key)


def field_of_parameter(key: str) -> FieldInfo | None:
    """The field of a parameter by any of its names; None for a name that there is not."""
    return ModelParameters.model_fields.get(field_named(key) or "")


def _checked(layer: LayerName, given: Mapping[str, Any], notes: list[Note], where: str = "parameter") -> dict[str, Any]:
    """The values as their types. None of a session or a call switches off what an earlier layer says."""

    def tell(wrong: WrongValue) -> None:
        text = f"{where} {to_camel(wrong.name)}: {wrong.reason}, got {short(repr(wrong.value))}"
        if layer == "call" or wrong.layer == DEFAULT:
            raise WrongArgument(text) from None
        notes.append(Note("warning", f"{text} (from the {layer}); it isn't sent"))

    said = Given(layer, given, none="switched off" if layer in ("session", "call") else "not set")
    return {name: frozen(value) for name, value in resolve(ModelParameters, [said], tell).values.items()}


def _custom_of(stored: object, layer: LayerName, notes: list[Note]) -> tuple[dict[str, Any], bool | None]:
    """Custom fields and their switch; the older form is the fields alone, which are always sent."""
    if stored is None:
        return {}, None
    if not isinstance(stored, Mapping):
        text = f"parameter custom: an object is expected, got {short(repr(stored))}"
        if layer == "call":
            raise WrongArgument(text)
        notes.append(Note("warning", f"{text} (from the {layer}); it isn't sent"))
        return {}, None
    found = cast("Mapping[str, Any]", stored)
    params = found.get("params")
    if isinstance(params, Mapping):
        switch = found.get("enabled")
        fields, on = dict(cast("Mapping[str, Any]", params)), switch is True or (switch is None and layer == "call")
    else:
        switch = found.get("enabled")
        fields = {name: value for name, value in found.items() if name != "enabled" or not isinstance(value, bool)}
        on = switch is not False
    hidden = [name for name in fields if name.startswith("_")]
    if hidden:
        text = f"custom fields whose names begin with _ belong to programs and are not sent: {', '.join(hidden)}"
        notes.append(Note("info", text))
    return {name: value for name, value in fields.items() if name not in hidden}, on


def _wire_of(stored: object) -> str | None:
    wire = cast("Mapping[str, Any]", stored).get("wire") if isinstance(stored, Mapping) else None
    has_fields = isinstance(stored, Mapping) and isinstance(stored.get("params"), Mapping)
    return wire if has_fields and isinstance(wire, str) else None


def _by_kind(custom: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Custom fields by the vendor's own names, and those that have the name of a parameter as a file spells it."""
    named = {
        name: value
        for name, value in custom.items()
        if name != name.lower() and "_" not in name and field_named(name) is not None
    }
    raw = {name: value for name, value in custom.items() if name not in named}
    return raw, {fields_by_name()[name]: value for name, value in named.items()}


def _whitelist_of(listed: object, layer: LayerName, notes: list[Note]) -> tuple[str, ...] | None:
    if listed is None:
        return None
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, str) for each in cast("list[object]", listed)):
        text = f"parameter {WHITELIST}: a list of names is expected, got {short(repr(listed))}"
        if layer == "call":
            raise WrongArgument(text)
        notes.append(Note("warning", f"{text} (from the {layer}); all parameters are sent"))
        return None
    return tuple(found for each in cast("list[str]", listed) if (found := field_named(each)) is not None)


def _left_out(
    values: Mapping[str, Any], sources: Mapping[str, LayerName], enabled: tuple[str, ...] | None
) -> list[str]:
    if enabled is None:
        return []
    return [
        name for name, value in values.items() if value is not None and name not in enabled and sources[name] != "call"
    ]


def _off_note(off: Iterable[str]) -> list[Note]:
    names = [to_camel(name) for name in off]
    if not names:
        return []
    return [Note("info", f"parameters that are not among the {WHITELIST} aren't sent: {', '.join(names)}")]
