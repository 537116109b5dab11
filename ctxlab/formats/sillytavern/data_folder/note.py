"""The author's note of a chat, its character's note with it, and a persona that stands beside it, as presets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.new_preset import preset
from ctxlab.formats.sillytavern.card_fields import PROMPT_NAME
from ctxlab.formats.sillytavern.chats.own_texts import USUAL, as_in_a_field, note_from, role_by_number
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import PERSONA_PLACE, CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.formats.sillytavern.data_folder.persona import ABOVE_NOTE, AT_DEPTH, BELOW_NOTE, Persona
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings

BESIDE_NOTE: Final = {ABOVE_NOTE: "personaAboveNote", BELOW_NOTE: "personaBelowNote"}
"""Names in the prompt of a persona that goes with the note."""


def note_of(settings: ProgramSettings, conversation: Conversation, card: CardFile) -> MessageNode:
    """The note of a chat; where it has no words, its place is that of the lore around it."""
    usual = {
        name: settings.at(f"extension_settings.note.default{name.title()}", value) for name, value in USUAL.items()
    }
    text = _with_own(settings, card, as_in_a_field(text_of_chat(settings, conversation)))
    return note_from(text, conversation.metadata, usual=usual)


def text_of_chat(settings: ProgramSettings, conversation: Conversation) -> str:
    """The note's own words: the chat's, else those of new chats."""
    own = conversation.metadata.get("note_prompt")
    return str((own if own is not None else settings.at("extension_settings.note.default", "")) or "")


def note_of_character(settings: ProgramSettings, card: CardFile) -> tuple[str, int] | None:
    """The words of a character's own note and the number of its place; None where it has none, or that isn't on."""
    notes = map(as_object, settings.at("extension_settings.note.chara") or ())
    own = next((each for each in notes if each.get("name") == card.stem), {})
    if not own.get("useChara"):
        return None
    place = own.get("position", 0)
    return str(own.get("prompt") or ""), place if isinstance(place, int) else 0


def _with_own(settings: ProgramSettings, card: CardFile, text: str) -> str:
    """The note together with the character's own, be it empty, which replaces it or stands before or after it."""
    own = note_of_character(settings, card)
    if own is None:
        return text
    words, place = own
    return f"{words}\n{text}" if place == 1 else f"{text}\n{words}" if place == 2 else words


def with_persona(agent: Agent, persona: Persona, note: MessageNode) -> tuple[Agent, Iterator[MessageNode]]:
    """The agent without the persona's place where its description isn't there, and that which stands elsewhere.

    It may be at a depth, or with the note and the lore around it, whenever the note is sent.
    """
    # Its words stand there as they are, where `{{persona}}` is them without the blanks around.
    said = {"content": persona.description} if persona.is_in_prompt else {"is_enabled": False}
    nodes = tuple(node.with_(**said) if node.type == PERSONA_PLACE else node for node in agent.preset_messages)
    return agent.with_(preset_messages=nodes), _elsewhere(persona, note)


def _elsewhere(persona: Persona, note: MessageNode) -> Iterator[MessageNode]:
    if persona.position == AT_DEPTH and persona.description.strip():
        role = role_by_number(persona.role)
        made = preset(persona.description, depth=persona.depth, role=role, id="persona", name="Persona")
        yield made.with_(metadata={PROMPT_NAME: PERSONA_PLACE})
    elif persona.position in BESIDE_NOTE and persona.description:
        about = {**(note.metadata or {}), PROMPT_NAME: BESIDE_NOTE[persona.position]}
        yield note.with_(id="persona", name="Persona", content=persona.description, metadata=about)
