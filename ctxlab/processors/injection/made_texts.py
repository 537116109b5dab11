"""Words that the injection step puts itself: a form around lore, and the user's after a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ctxlab.context import AssetRef, Cause, Draft, Edit, Origin, Text
from ctxlab.engines.macros.call import CAUSE
from ctxlab.lazy_pattern import lazy_pattern

_NEWEST: Final = lazy_pattern(r"\{\{\s*lastChatMessage\s*\}\}", re.IGNORECASE)
AFTER_REPLY: Final = "after-reply"
LORE_ALONE: Final = "{0}"
"""The form of lore that is the lore itself; also its place in other forms."""
FORMED: Final = "the form of lore is put around it"


def lore_form(words: str, processor: str) -> Text:
    """The form of lore, whose macros are still to be expanded."""
    return Text.of(words, Origin("separator", "lore-format"), Cause(processor, "lore-format", FORMED))


def formed(draft: Draft, form: Text, processor: str) -> Draft:
    """Lore with its form around it; a form without a place for the lore stands instead of it."""
    words = str(form)
    at = words.find(LORE_ALONE)
    if at < 0:
        cause = Cause(processor, "lore-format", "the form of lore has no place for it")
        origin = Origin("separator", "lore-format")
        return draft.edit_text(lambda text: text.splice([Edit(0, len(text), words, cause, origin)]))
    before, after = form.cut(0, at), form.cut(at + len(LORE_ALONE), len(words))
    texts = [before, *(part for part in draft.body if isinstance(part, Text)), after]
    files = [part for part in draft.body if isinstance(part, AssetRef)]
    return replace(draft, body=(Text([span for text in texts for span in text.spans]), *files))


def with_newest_message(text: Text, newest: str) -> Text:
    """Words that ask to go on, with the message that is gone on with, without blanks around it.

    What it is put in place of is no macro elsewhere, and macros in the message are expanded like those beside it.
    """
    cause = Cause(CAUSE, "lastChatMessage", "the message that is to be gone on with")
    origin = Origin("macro", "lastChatMessage")
    found = _NEWEST.finditer(str(text))
    return text.splice([Edit(mark.start(), mark.end(), newest.strip(), cause, origin) for mark in found])


def words_after_reply(words: str, processor: str) -> Draft:
    """A message of the user's words after a reply, whose macros are still to be expanded."""
    cause = Cause(processor, "after-reply", "the newest message is the assistant's")
    origin = Origin("notice", processor)
    return Draft(f"made:{processor}:0", "user", (Text.of(words.strip(), origin, cause),), origin, pinned=True)


def end_of_history(drafts: Sequence[Draft]) -> int:
    """The position after the newest message of the history, and after what goes inside it."""
    at = [i for i, draft in enumerate(drafts) if draft.placement is None or draft.placement.is_in_history]
    return at[-1] + 1 if at else 0
