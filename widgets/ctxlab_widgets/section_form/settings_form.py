"""The settings of a chat and of plugins, section by section; a change counts at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.chat_settings import kept_of_nobody
from ctxlab.chat.plugin_settings import PluginSettings, plugin_settings
from ctxlab.display.short_texts import counted, first_of
from ctxlab.documents.plugin_settings import StoredPluginSettings
from ctxlab_widgets.section_form import SectionForm


class SettingsForm(SectionForm):
    """Draws settings by section and keeps each change in `settings`; values of plugins that are gone stay in it.

    Without settings it shows those of the packages that are installed. `models` are names to choose from, `notes`
    are sentences above the sections.

    >>> SettingsForm(ctxlab.plugin_settings(stored))  # doctest: +SKIP
    """

    _layer = "settings"

    settings = traitlets.Instance(PluginSettings)
    """The settings with all changes. Set it, and those are edited."""

    @checked_arguments
    def __init__(
        self, settings: PluginSettings | None = None, *, models: Sequence[str] = (), notes: Sequence[str] = ()
    ) -> None:
        self._known_models, self._notes = list(models), list(notes)
        super().__init__()
        self.settings = settings if settings is not None else plugin_settings()
        self._begin(self.settings)

    def __repr__(self) -> str:
        return f"SettingsForm({self.settings!r})"

    def _heading(self, values: PluginSettings) -> dict[str, Any]:
        gone = kept_of_nobody(values)
        kept = [f"Kept for plugins that are not installed: {first_of(gone, 4)}."] if gone else []
        return {
            "title": "Settings",
            "name": "",
            "sentence": _sentence(values),
            "notes": [*(note.text for note in values.notes), *kept, *self._notes],
            "saves": False,
            "dirty": False,
        }

    def _initial(self, values: PluginSettings) -> PluginSettings:
        return replace(values, stored=StoredPluginSettings(), notes=())

    def _reset(self, values: PluginSettings, section: str, name: str) -> PluginSettings:
        return values.without_value(section, name)

    def _models(self) -> list[str]:
        return self._known_models

    def _changed(self, values: PluginSettings) -> None:
        self.settings = values

    @traitlets.observe("settings")
    def _on_settings(self, change: Mapping[str, Any]) -> None:
        settings = cast("PluginSettings", change["new"])
        if settings is not self._values:
            self._begin(settings)


def _sentence(values: PluginSettings) -> str:
    """The number of values that are set and of sections, in words."""
    forms = values.forms()
    number = sum(each["is_set"] for form in forms for group in form["groups"] for each in group["fields"])
    if not forms:
        return "There is nothing to set: no package brings a section."
    set_here = f"{counted(number, 'value')} {'is' if number == 1 else 'are'} set" if number else "No value is set"
    return f"{set_here} in {counted(len(forms), 'section')}; a change counts at once."
