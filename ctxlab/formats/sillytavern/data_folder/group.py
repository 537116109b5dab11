"""Cards of a group: the speaker's alone, or the texts of all members one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ctxlab.documents import MessageNode
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import DEPTH_PROMPT, PROMPT_NAME, inner
from ctxlab.formats.sillytavern.cards.reader import DEPTH, ROLES
from ctxlab.formats.sillytavern.data_folder.cards import CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.lazy_pattern import lazy_pattern

JOINED: Final = {
    "description": "Description",
    "personality": "Personality",
    "scenario": "Scenario",
    "mes_example": "Example Messages",
}
"""Fields that are joined, and what the program calls them in words around each."""
JOINS, JOINS_MUTED = 1, 2
"""Numbers of the ways of joining: the members that aren't muted, and all."""
FIELD_NAME: Final = lazy_pattern("<FIELDNAME>", re.IGNORECASE)
CHAR: Final = lazy_pattern(r"\{\{char\}\}|<(?:char|bot)>", re.IGNORECASE)
START: Final = "<START>"


def card_of_turn(conversation: Conversation, speaker: CardFile) -> CardFile:
    """The speaker's card; where the group joins its cards, with the texts of all that count in it."""
    group = conversation.group
    if group is None or not _joins(group):
        return speaker
    members = list(_counting(conversation, group, speaker))
    texts = {key: "\n".join(_texts(group, members, key, title)) for key, title in JOINED.items()}
    return replace(speaker, data={**speaker.data, "data": {**inner(speaker.data), **texts}})


def depth_prompts(conversation: Conversation, speaker: CardFile) -> Iterator[MessageNode]:
    """The depth prompts of the other members, where the group joins its cards."""
    group = conversation.group
    if group is None or not _joins(group):
        return
    for member in _counting(conversation, group, speaker):
        stored = coerce.as_object(member.extensions.get("depth_prompt"))
        text = coerce.field(stored, "prompt", coerce.text, "", None)
        if member.file == speaker.file or not text.strip():
            continue
        role = stored.get("role")
        yield MessageNode.model_validate(
            {
                "id": f"{DEPTH_PROMPT}-{member.stem}",
                "name": f"Depth Prompt of {member.name}",
                "role": role if role in ROLES else "system",
                "content": _as_member(text, member),
                "injection_strategy": {"depth": coerce.field(stored, "depth", coerce.whole, DEPTH, None)},
                "metadata": {PROMPT_NAME: DEPTH_PROMPT},
            }
        )


def _joins(group: Mapping[str, Any]) -> bool:
    return group.get("generation_mode") in (JOINS, JOINS_MUTED)


def _counting(conversation: Conversation, group: Mapping[str, Any], speaker: CardFile) -> Iterator[CardFile]:
    """The members whose texts are joined, in their order; the speaker is one even where it is muted."""
    muted = group.get("disabled_members") or () if group.get("generation_mode") == JOINS else ()
    return (card for card in conversation.cards if card.file == speaker.file or card.file not in muted)


def _texts(group: Mapping[str, Any], members: list[CardFile], key: str, title: str) -> Iterator[str]:
    before, after = (
        FIELD_NAME.sub(lambda _: title, str(group.get(f"generation_mode_join_{side}") or ""))
        for side in ("prefix", "suffix")
    )
    for member in members:
        text = str(inner(member.data).get(key) or "").strip()
        if not text:
            continue
        if key == "mes_example" and not text.startswith(START):
            text = f"{START}\n{text}"
        yield _as_member(f"{before}{text}{after}", member)


def _as_member(text: str, member: CardFile) -> str:
    """A text with the member's own name in the place of the character's."""
    return CHAR.sub(lambda _: member.name, text)
