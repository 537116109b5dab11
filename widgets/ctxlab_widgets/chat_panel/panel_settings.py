"""The settings of a chat by section, and what follows from them for its translations, names and completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.chat.chat_settings import OWN_SECTIONS, chat_settings, own_values
from ctxlab.chat.completion.settings import CompletionSettings
from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.translation.settings import TranslationSettings
from ctxlab_widgets.chat_panel.sending import with_sending

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel


def first_settings(
    panel: ChatPanel, given: PluginSettings | Mapping[str, Any] | None, aside: Sequence[Any]
) -> PluginSettings:
    """The settings that a chat begins with; `aside` is what it was given for each section of its own, None for nothing.

    What was given there counts before the values that are stored with the plugins'.
    """
    users = (panel.translations, panel.topic, panel.completions)
    own = {
        section.id: user.settings
        for section, user, one in zip(OWN_SECTIONS, users, aside, strict=True)
        if one is not None
    }
    return with_sending(chat_settings(given, own))


def use_settings(panel: ChatPanel) -> None:
    """Let the chat go by its settings as they are."""
    settings: PluginSettings = panel.plugin_settings
    panel.translations.settings = own_values(settings, TranslationSettings)
    panel.topic.settings = own_values(settings, TopicSettings)
    panel.completions.settings = own_values(settings, CompletionSettings)
    panel.sending.use()
