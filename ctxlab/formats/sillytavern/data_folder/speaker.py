"""The one who replies next: the character of a chat, or a member of its group."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ctxlab.errors import ReadError
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.lazy_pattern import lazy_pattern

NATURAL, MANUAL, POOLED = 0, 2, 3
"""Numbers of a group's ways to choose; with the other one, 1, all reply in the order of the list."""
GOES_ON: Final = ("swipe", "continue", "quiet")
"""Kinds of turns in which the member replies who wrote the newest reply, a muted one too."""
IMPERSONATE: Final = "impersonate"
NARRATOR: Final = "narrator"
WORDS: Final = lazy_pattern(r"\w+", re.ASCII)
"""Words as the program finds them: a name in Chinese has none, and is never called by it."""
USUALLY_TALKS: Final = 0.5
"""The talkativeness of a character whose card doesn't say."""


def speaker_of(
    conversation: Conversation, wanted: str | None, *, kind: str, text: str | None, losses: list[Loss]
) -> CardFile:
    """The card of who replies: in a group the one that is wanted by name or file, else as the group chooses.

    Where the program draws one, the first is taken, and `losses` says so.
    """
    group = conversation.group
    if group is None:
        return conversation.cards[0]
    if wanted is not None:
        found = next((card for card in conversation.cards if wanted in (card.name, card.file, card.stem)), None)
        if found is None:
            names = ", ".join(card.name for card in conversation.cards)
            raise ReadError(f"the group has no member {wanted!r}; its members are {names}")
        return found
    if kind == IMPERSONATE:  # whoever it is, muted or not, the words are the user's
        return _drawn(conversation.cards, losses)
    if kind in GOES_ON:
        writer = _writer_of_newest_reply(conversation, with_hidden=kind == "quiet")
        return writer if writer is not None else _drawn(conversation.cards, losses)
    last = last_speaker(conversation)
    muted = group.get("disabled_members") or ()
    speaking = [card for card in conversation.cards if card.file not in muted]
    if not speaking:
        raise ReadError("the group has no member that isn't muted")
    return _chosen(group, conversation, speaking, last, text, losses)


def last_speaker(conversation: Conversation) -> CardFile | None:
    """The member who wrote the newest message; None where it is the user's or nobody's."""
    line = as_object(conversation.lines[-1]) if conversation.lines else {}
    if line.get("is_user") or "mes" not in line:
        return None
    names = (line.get("original_avatar"), line.get("name"))
    return next((card for card in conversation.cards if card.file == names[0] or card.name == names[1]), None)


def _writer_of_newest_reply(conversation: Conversation, *, with_hidden: bool) -> CardFile | None:
    """The member who wrote the newest message, else the newest before it that names its writer's card."""
    lines = [line for line in map(as_object, conversation.lines) if "mes" in line]
    if lines and _is_reply(lines[-1], with_hidden=with_hidden):
        return last_speaker(conversation)
    replies = (line for line in reversed(lines) if _is_reply(line, with_hidden=with_hidden))
    file = next((line["original_avatar"] for line in replies if line.get("original_avatar")), None)
    return next((card for card in conversation.cards if card.file == file), None)


def _is_reply(line: Mapping[str, Any], *, with_hidden: bool) -> bool:
    is_hidden = bool(line.get("is_system")) and not with_hidden
    return not (line.get("is_user") or is_hidden or as_object(line.get("extra")).get("type") == NARRATOR)


def _drawn(cards: Sequence[CardFile], losses: list[Loss]) -> CardFile:
    """The first of those of whom the program draws one."""
    if len(cards) > 1:
        names = ", ".join(card.name for card in cards)
        losses.append(Loss("the group", f"the program draws who replies of {names}; {cards[0].name} does"))
    return cards[0]


def _chosen(
    group: Mapping[str, Any],
    conversation: Conversation,
    speaking: Sequence[CardFile],
    last: CardFile | None,
    text: str | None,
    losses: list[Loss],
) -> CardFile:
    strategy = group.get("activation_strategy")
    if strategy == NATURAL:
        return _natural(group, conversation, speaking, text, losses)
    if strategy == POOLED and not text:
        spoken = {card.file for card in _since_the_user(conversation)}
        waiting = [card for card in speaking if card.file not in spoken] or [card for card in speaking if card != last]
        return _drawn(waiting or speaking, losses)
    if strategy == POOLED:
        return _drawn(speaking, losses)
    if strategy == MANUAL and len(speaking) > 1:
        losses.append(Loss("the group", f"nobody replies until asked; {speaking[0].name} is, as speaker= is not given"))
    return speaking[0]


def _natural(
    group: Mapping[str, Any],
    conversation: Conversation,
    speaking: Sequence[CardFile],
    text: str | None,
    losses: list[Loss],
) -> CardFile:
    """The one who is named first, else one of those who like to talk; with nothing typed not the one who spoke last."""
    line = as_object(conversation.lines[-1])
    newest = text or ("" if line.get("is_system") else str(line.get("mes") or ""))
    goes_on = bool(text) or line.get("is_user") or group.get("allow_self_responses")
    free = speaking if goes_on else [card for card in speaking if card.name != line.get("name")]
    # One who never talks unasked replies only where nobody else can: then even the one who spoke last may be drawn.
    return _named(newest, free) or _drawn([card for card in free if _talks(card) > 0] or speaking, losses)


def _talks(card: CardFile) -> float:
    """The talkativeness of a character: the chance, from 0 to 1, that it talks unasked."""
    stored = card.extensions.get("talkativeness", card.data.get("talkativeness"))
    try:
        return float(stored or 0) if isinstance(stored, (int, float, str)) else USUALLY_TALKS
    except ValueError:
        return USUALLY_TALKS


def _named(text: str, cards: Sequence[CardFile]) -> CardFile | None:
    """The card of which a word of its name comes first in a text."""
    for word in WORDS.findall(text):
        for card in cards:
            if word.lower() in (each.lower() for each in WORDS.findall(card.name)):
                return card
    return None


def _since_the_user(conversation: Conversation) -> Iterator[CardFile]:
    for line in map(as_object, reversed(conversation.lines)):
        if line.get("is_user") or "mes" not in line:
            return
        yield from (card for card in conversation.cards if card.name == line.get("name"))
