"""SillyTavern's files: cards, presets, lorebooks, regex scripts and chats, in and out.

Reading goes by `ctxlab.read`; here is what takes more than a file's name to say.
"""

from __future__ import annotations

from ctxlab.formats.sillytavern.cards.chat_texts import with_chat_texts
from ctxlab.formats.sillytavern.cards.combine_with_preset import joined
from ctxlab.formats.sillytavern.cards.reader import Card, card_from
from ctxlab.formats.sillytavern.presets.chat_completion import preset_from
from ctxlab.formats.sillytavern.presets.text_completion import text_preset_from

__all__ = ["Card", "card_from", "joined", "preset_from", "text_preset_from", "with_chat_texts"]
