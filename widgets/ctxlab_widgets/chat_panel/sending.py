"""The budget and the strategy of a chat's requests, as a section of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import Field, create_model

from ctxlab.chat.plugin_settings import PluginSettings, SettingsSection, with_sections_first
from ctxlab.documents.stored import Stored
from ctxlab.engines.truncation import Strategies, strategies
from ctxlab.pipeline import form_hints
from ctxlab.processors import TokenLimiter

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

ID = "sending"
AS_BEGUN = ""
NAMES = {"budgetTokens": f"{TokenLimiter.id}.budget_tokens", "strategy": f"{TokenLimiter.id}.strategy"}
"""Settings of the limiter by the names of the section."""


def sending_section() -> SettingsSection:
    """The section with the strategies that are known now."""
    return _section(strategies())


@cache
def _section(known: Strategies) -> SettingsSection:
    names = cast("Any", Literal)[(AS_BEGUN, *known.by_name)]
    fields: dict[str, Any] = {
        "budget_tokens": (
            int | None,
            Field(
                None,
                ge=1,
                title="Budget",
                description="Tokens for the whole prompt; blank: as the chat was begun, else the model's window.",
                json_schema_extra=form_hints(placeholder="as the chat was begun"),
            ),
        ),
        "strategy": (
            names,
            Field(
                AS_BEGUN,
                title="Strategy",
                description="Which messages go first where not all of them fit.",
                json_schema_extra=form_hints(labels={AS_BEGUN: "as the chat was begun"}),
            ),
        ),
    }
    made = create_model("SendingSettings", __base__=Stored, **fields)
    return SettingsSection(ID, "What is sent", made, "The room of each request, and what is cut for it.")


def with_sending(settings: PluginSettings) -> PluginSettings:
    """The settings with this section in front."""
    return with_sections_first(settings, (sending_section(),))


def without_sending(settings: PluginSettings) -> PluginSettings:
    """The settings without this section, for a chat whose page decides on what is sent."""
    return replace(settings, sections=tuple(each for each in settings.sections if each.id != ID))


class Sending:
    """Lets a chat's requests go by the section; what is blank there is as the chat was begun."""

    def __init__(self, panel: ChatPanel) -> None:
        self._panel = panel
        self._begun: Mapping[str, Any] = panel.setup.options.get("settings") or {}
        self._set: dict[str, Any] = {}

    def use(self) -> None:
        """Take over what the section says now."""
        panel = self._panel
        settings: PluginSettings = panel.plugin_settings
        wanted = _values(settings)
        if wanted == self._set or not any(each.id == ID for each in settings.sections):
            return
        before: Mapping[str, Any] = panel.setup.options.get("settings") or {}
        others = {name: value for name, value in before.items() if name not in self._set}
        back = {name: self._begun[name] for name in self._set if name in self._begun}
        self._set = wanted
        panel.use(replace(panel.setup, options={**panel.setup.options, "settings": {**others, **back, **wanted}}))

    def tell(self, changed: Mapping[str, Any]) -> None:
        """Show in the section what was changed elsewhere, and counts already."""
        settings: PluginSettings = self._panel.plugin_settings
        if not any(each.id == ID for each in settings.sections):
            return
        for name, of_limiter in NAMES.items():
            value = changed.get(of_limiter)
            if value is not None:
                self._set[of_limiter] = value
                settings = settings.with_value(ID, name, value)
            elif of_limiter in changed:
                self._set.pop(of_limiter, None)
                settings = settings.without_value(ID, name)
        self._panel.plugin_settings = settings


def _values(settings: PluginSettings) -> dict[str, Any]:
    """The settings of the limiter that the section gives; a stored value that isn't taken gives none."""
    stored: object = settings.stored.plugins.get(ID)
    held = cast("Mapping[str, Any]", stored) if isinstance(stored, Mapping) else {}
    items = {item.name: item for item in sending_section().items()}
    return {
        of_limiter: held[name]
        for name, of_limiter in NAMES.items()
        if held.get(name) not in (None, AS_BEGUN) and not items[name].error(held[name])
    }
