"""All settings of a chat by section: its own for translation, names and completions, then those of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, cast

from ctxlab.chat.completion.settings import CompletionSettings
from ctxlab.chat.plugin_settings import PluginSettings, SettingsSection, plugin_settings, with_sections_first
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.translation.settings import TranslationSettings
from ctxlab.documents.stored import Stored

S = TypeVar("S", bound=Stored)

OWN_SECTIONS = (
    SettingsSection(
        "translation", "Translation", TranslationSettings, "Of messages, and of what is typed, when it is asked for."
    ),
    SettingsSection("topicNaming", "Names of conversations", TopicSettings, "A short name, asked for or by itself."),
    SettingsSection(
        "inputCompletion", "Completion", CompletionSettings, "How the model goes on from what is being typed."
    ),
)
"""The sections of a chat itself; the id is the name under which programs store them."""


def chat_settings(given: PluginSettings | Mapping[str, object] | None, own: Mapping[str, Stored]) -> PluginSettings:
    """The settings of plugins with the chat's own sections in front; `own` are values by section that count instead.

    A package's settings that a section of the chat has already are left out with a note.
    """
    found = given if isinstance(given, PluginSettings) else plugin_settings(given)
    found = with_sections_first(found, OWN_SECTIONS)
    plugins = {**found.stored.plugins, **{id: values.to_data() for id, values in own.items()}}
    plugins = {id: values for id, values in plugins.items() if values or id not in own}
    if plugins == found.stored.plugins:
        return found
    return replace(found, stored=found.stored.with_(plugins=plugins))


def own_values(settings: PluginSettings, kind: type[S]) -> S:
    """The values of a chat's own section as its model; a default stands for one that isn't taken."""
    section = next(each for each in OWN_SECTIONS if each.settings is kind)
    held = settings.stored.plugins.get(section.id)
    stored = cast("Mapping[str, object]", held) if isinstance(held, Mapping) else {}
    right = {item.name: stored[item.name] for item in section.items() if item.name in stored}
    taken = {item.name for item in section.items() if item.name in right and not item.error(right[item.name])}
    return kind.model_validate({name: value for name, value in right.items() if name in taken})


def kept_of_nobody(settings: PluginSettings) -> tuple[str, ...]:
    """Ids of stored sections whose plugin isn't there; their values stay as they are."""
    known = {section.id for section in settings.sections}
    return tuple(id for id in settings.stored.plugins if id not in known)
