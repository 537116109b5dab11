"""A chat's own texts in the place of its character's: SillyTavern keeps them with the chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ctxlab.documents import Agent, MessageNode
from ctxlab.formats.sillytavern.card_fields import CHARACTER, MAIN, PROMPT_NAME, SLOTS, converted, prompt_name

OF_CHATS: Final = {"scenario": "scenario", "mes_example": "mes_example", "system_prompt": "system_prompt"}
"""By key in `chat_metadata`, the field of the card that it stands for."""


def with_chat_texts(card: Agent, about: Mapping[str, Any]) -> Agent:
    """The card with the scenario, examples and system prompt that a chat's `chat_metadata` has for itself."""
    for key, slot in ((key, slot) for key, field in OF_CHATS.items() for slot in SLOTS if slot.key == field):
        text = about.get(key)
        if not isinstance(text, str) or not text:
            continue
        nodes = [
            node.with_(content=converted(text)) if prompt_name(node) == slot.prompt else node
            for node in card.preset_messages
        ]
        if nodes == list(card.preset_messages) and not any(prompt_name(node) == slot.prompt for node in nodes):
            nodes.insert(0 if slot.prompt == MAIN else len(nodes), _preset(slot.prompt, slot.title, text))
        fields = {slot.field: converted(text)} if slot in CHARACTER else {}
        card = card.with_(preset_messages=tuple(nodes), **fields)
    return card


def _preset(prompt: str, title: str, text: str) -> MessageNode:
    fields = {"id": prompt, "role": "system", "content": converted(text), "name": title, "type": "message"}
    return MessageNode.model_validate({**fields, "metadata": {PROMPT_NAME: prompt}})
