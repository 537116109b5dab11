"""A step in its place in a pipeline: its settings by layer, and those that come of them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.processor import Processor
from ctxlab.pipeline.settings.layers import Layer, LayerName, resolve_settings


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A step of a pipeline: `processor` has its final settings, `sources` has the layer that each came from."""

    base: Processor
    layers: tuple[Layer, ...]
    processor: Processor
    enabled: bool
    priority: int
    sources: Mapping[str, str]
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, base: Processor, layers: tuple[Layer, ...] = ()) -> Stage:
        settled = resolve_settings(base, layers)
        processor = base.with_settings(settled.settings)
        return cls(base, layers, processor, settled.enabled, settled.priority, settled.sources, settled.notes)

    @property
    def id(self) -> str:
        return self.base.id

    def __repr__(self) -> str:
        return f"Stage({self.id!r}, {self.priority}, {'on' if self.enabled else 'off'})"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import stage_html

        return stage_html(self)

    def settings_in_vain(self) -> Note | None:
        """A note on settings of the call where the step is off and the call doesn't say so itself."""
        given = next((layer.settings for layer in self.layers if layer.name == "call"), {})
        if self.enabled or not given or self.sources["enabled"] == "call":
            return None
        whose = self.sources["enabled"]
        off = "off by default" if whose == "default" else f"switched off by the {whose}"
        names, verb = ", ".join(f"{self.id}.{name}" for name in given), "changes" if len(given) == 1 else "change"
        text = f"{names} {verb} nothing: {self.id} is {off}; set '{self.id}.enabled' to true as well"
        return Note("warning", text, self.id)

    def is_called(self, name: str) -> bool:
        """Whether this is the id of the step, one of its aliases, or a group that it belongs to."""
        names = (self.id, *self.base.aliases, *self.base.groups)
        return name in names or name.removeprefix("primary:") in names

    def layer_for(self, name: str, layer: Layer) -> Layer:
        """The part of a layer that applies to this step when the layer calls it `name`.

        Under the name of its group, off is off, on leaves each step as it is, and settings of others don't count.
        """
        if name.removeprefix("primary:") not in self.base.groups:
            return layer
        fields = self.base.Settings.model_fields
        names = {*fields, *(info.alias for info in fields.values())}
        settings = {name: value for name, value in layer.settings.items() if name in names}
        return Layer(layer.name, None if layer.enabled else layer.enabled, None, settings)

    def with_layer(self, layer: Layer) -> Stage:
        """With the values of a layer on top of those that this layer had before."""
        old = next((known for known in self.layers if known.name == layer.name), Layer(layer.name))
        return Stage.of(self.base, (*self.without(layer.name), layer.over(old)))

    def with_layers(self, layers: tuple[Layer, ...]) -> Stage:
        """With these layers alone; itself where they are those that it has."""
        same = len(layers) == len(self.layers) and all(map(is_, layers, self.layers))
        return self if same else Stage.of(self.base, layers)

    def without(self, *names: LayerName) -> tuple[Layer, ...]:
        return tuple(layer for layer in self.layers if layer.name not in names)

    def does_the_same_as(self, other: Stage) -> bool:
        return self.processor is other.processor or (
            self.base is other.base and self.processor.settings == other.processor.settings
        )
