"""Settings by section as a form: those of a chat and of plugins, and those of a user profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.errors import CtxlabError, WrongSetting
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.undo_steps import UndoSteps
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.section_form.payload import initial_json, sections_json

__all__ = ["SectionForm"]


class SectionForm(Widget):
    """Edits values by section; the base of the forms of settings and of a user profile.

    A subclass says what the form is called, what its values were at first, and what becomes of a change.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    _layer = ""
    """The origin of values that are set, as a field says it."""

    view = traitlets.Unicode("").tag(sync=True)
    """The sections with their fields as JSON; empty when there is nothing to edit."""
    initial_settings = traitlets.Unicode("").tag(sync=True)
    """As JSON: `{section: {"enabled": true, "settings": {name: [value, ""]}}}`, to which a field's Undo goes back."""
    refused = traitlets.Dict().tag(sync=True)
    """`{"step", "name", "text"}` of a value that is not taken, the step being its section; empty when none."""
    report = traitlets.Unicode("").tag(sync=True)
    """The effect of the last Save, as a sentence; empty before one and after a change."""

    def __init__(self) -> None:
        self._values: PluginSettings | None = None
        self._steps = UndoSteps[PluginSettings]()
        super().__init__()

    # --- what a person does

    def set_value(self, section: str, name: str, value: Any, *, continues: bool = False) -> None:
        """Give a setting another value; raises CtxlabError, and changes nothing, for one that it doesn't take."""
        before = self._now()
        try:
            made = before.with_value(section, name, value)
        except WrongSetting as problem:
            self.refused = {"step": section, "name": name, "text": str(problem)}
            raise
        self._change(section, name, made, continues=continues)

    def reset(self, section: str, name: str) -> None:
        """Give a setting the value back that it has by default, or had when it was saved last."""
        self._change(section, name, self._reset(self._now(), section, name))

    def undo(self) -> None:
        """The values before the last change; raises CtxlabError where there is none."""
        self._take(self._steps.undo(self._now()))

    def redo(self) -> None:
        """The values that were undone last; raises CtxlabError where there is none."""
        self._take(self._steps.redo(self._now()))

    def save(self) -> None:
        """Take all changes over where they have to be saved; raises CtxlabError where there is nothing to save."""
        raise CtxlabError("there is nothing to save: a change counts at once")

    # --- what a subclass says

    def _heading(self, values: PluginSettings) -> dict[str, Any]:
        """Title, name, sentence, notes, and whether there is something to save."""
        raise NotImplementedError

    def _initial(self, values: PluginSettings) -> PluginSettings:
        """The values to which a field's Undo goes back."""
        raise NotImplementedError

    def _reset(self, values: PluginSettings, section: str, name: str) -> PluginSettings:
        raise NotImplementedError

    def _changed(self, values: PluginSettings) -> None:
        """Values that were changed here."""

    def _models(self) -> list[str]:
        """Names of models to choose from."""
        return []

    # --- what is shown

    def show(self) -> None:
        """Take over the values as they are."""
        values = self._values
        if values is None:
            self.view, self.initial_settings = "", ""
            return
        data = {
            **self._heading(values),
            **self._steps.labels,
            "sections": sections_json(values, self._models(), self._layer),
        }
        with self.hold_sync():
            self.initial_settings = as_json(initial_json(self._initial(values)))
            self.view = as_json(data)

    # --- what changes

    def _now(self) -> PluginSettings:
        if self._values is None:
            raise CtxlabError(f"the {type(self).__name__} shows nothing to edit")
        return self._values

    def _change(self, section: str, name: str, made: PluginSettings, *, continues: bool = False) -> None:
        item = made.item(section, name)
        label = f"{item.section.title}: {item.info.title or item.own_name.replace('_', ' ')}"
        self._steps.change(label, self._now(), continues=continues)
        self._take(made)

    def _take(self, values: PluginSettings) -> None:
        self._values, self.refused, self.report = values, {}, ""
        self._changed(values)
        self.show()

    def _begin(self, values: PluginSettings | None) -> None:
        """Edit other values from the start."""
        self._steps.clear()
        self._values, self.refused, self.report = values, {}, ""
        self.show()

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        self.refused = {}
        super()._on_message(_, content, buffers)

    def _on_error(self, problem: CtxlabError) -> None:
        if not self.refused:
            super()._on_error(problem)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "set", "step": str(section), "name": str(name), "value": value}:
                self.set_value(section, name, value, continues=message.get("continues") is True)
            case {"command": "undo", "step": str(section), "name": str(name)}:
                self.reset(section, name)
            case {"command": "undo" | "redo" | "save" as command}:
                getattr(self, command)()
            case _:
                raise self._wrong_command(message)
