"""Who replies next: the character of a chat, or a member of its group."""

from __future__ import annotations

from ctxlab.errors import ReadError
from ctxlab.formats.sillytavern.data_folder.cards import CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation


def speaker_of(conversation: Conversation, wanted: str | None) -> CardFile:
    """The card of who replies: in a group the one that is wanted by name or file, else the first that isn't muted."""
    if conversation.group is None:
        return conversation.cards[0]
    if wanted is not None:
        found = next((card for card in conversation.cards if wanted in (card.name, card.file, card.stem)), None)
        if found is None:
            names = ", ".join(card.name for card in conversation.cards)
            raise ReadError(f"the group has no member {wanted!r}; its members are {names}")
        return found
    muted = conversation.group.get("disabled_members") or ()
    speaking = [card for card in conversation.cards if card.file not in muted]
    if not speaking:
        raise ReadError("the group has no member that isn't muted")
    return speaking[0]
