"""The author's note of a chat, its character's note with it, and a persona that stands beside it, as presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.agent.new_preset import preset
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import PERSONA_PLACE, CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.formats.sillytavern.data_folder.persona import ABOVE_NOTE, AT_DEPTH, BELOW_NOTE, Persona
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings

ROLES: Final = ("system", "user", "assistant")
AFTER_MAIN, IN_CHAT, BEFORE_MAIN = 0, 1, 2
MAIN: Final = "main"


@dataclass(frozen=True, slots=True)
class Note:
    """A note and its place: `position` is after the main prompt, in the chat at a depth, or before the main prompt."""

    text: str
    position: int = IN_CHAT
    depth: int = 4
    role: int = 0


def note_of(settings: ProgramSettings, conversation: Conversation, card: CardFile, persona: Persona) -> Note | None:
    """The note of this turn, None where there is none or where its interval leaves it out."""
    about = conversation.metadata

    def value(name: str, default: Any) -> Any:
        own = about.get(f"note_{name}")
        return own if own is not None else default

    def number(name: str, usual: str, default: int) -> int:
        found = value(name, settings.at(f"extension_settings.note.{usual}", default))
        return int(found) if str(found).lstrip("-").isdecimal() else default

    text = str(value("prompt", settings.at("extension_settings.note.default", "")) or "")
    interval = number("interval", "defaultInterval", 1)
    if not _is_due(interval, conversation.users_messages()):
        return None
    text = _beside(persona, _with_own(settings, card, text))
    if not text.strip():
        return None
    position, depth = number("position", "defaultPosition", IN_CHAT), number("depth", "defaultDepth", 4)
    return Note(text, position, depth, number("role", "defaultRole", 0))


def _is_due(interval: int, messages: int) -> bool:
    """Whether the turn after so many messages of the user is one of the note's; with 1 every turn is."""
    if interval == 1:
        return True
    return interval > 0 and messages > 0 and messages % interval == 0


def _with_own(settings: ProgramSettings, card: CardFile, text: str) -> str:
    """The note together with the character's own, which replaces it, or stands before or after it."""
    for each in settings.at("extension_settings.note.chara") or ():
        own = as_object(each)
        words = str(own.get("prompt") or "")
        if own.get("name") != card.stem or not own.get("useChara") or not words:
            continue
        place = own.get("position", 0)
        return f"{words}\n{text}" if place == 1 else f"{text}\n{words}" if place == 2 else words
    return text


def _beside(persona: Persona, text: str) -> str:
    parts = {ABOVE_NOTE: (persona.description, text), BELOW_NOTE: (text, persona.description)}
    pair = parts.get(persona.position)
    return "\n".join(part for part in pair if part) if pair is not None and persona.description else text


def with_note(agent: Agent, note: Note | None, persona: Persona) -> tuple[Agent, tuple[MessageNode, ...]]:
    """The agent and the presets beside it by which the note and the persona's description are where they belong."""
    nodes = list(agent.preset_messages)
    presets: list[MessageNode] = []
    if not persona.is_in_prompt:
        nodes = [node.with_(is_enabled=False) if node.type == PERSONA_PLACE else node for node in nodes]
    if persona.position == AT_DEPTH and persona.description:
        role = ROLES[persona.role] if 0 <= persona.role < len(ROLES) else ROLES[0]
        presets.append(preset(persona.description, depth=persona.depth, role=role, id="persona", name="Persona"))
    if note is not None:
        role = ROLES[note.role] if 0 <= note.role < len(ROLES) else ROLES[0]
        depth = note.depth if note.position == IN_CHAT else None
        made = preset(note.text, depth=depth, role=role, id="authorsNote", name="Author's note")
        at = next((index for index, node in enumerate(nodes) if node.id == MAIN), None)
        if note.position == IN_CHAT or at is None:
            presets.append(made)
        else:
            nodes.insert(at + (note.position == AFTER_MAIN), made)
    return agent.with_(preset_messages=tuple(nodes)), tuple(presets)
