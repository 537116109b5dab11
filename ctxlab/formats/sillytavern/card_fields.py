"""Fields of SillyTavern's cards and presets: their keys, the presets of an agent that hold them, macros' spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.documents import Agent, MessageNode
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

CARRIED: Final = "sillytavern"
CALLED: Final = "called"
"""Key of the name that the reader gave an agent without one: it isn't written back."""
BOOK_INSIDE: Final = "book"
"""Key of the id of the book that was inside an agent's card."""
PROMPT_NAME: Final = "stPromptName"
"""Metadata of a preset: what it is in SillyTavern's prompt."""

MAIN, JAILBREAK, DEPTH_PROMPT = "main", "jailbreak", "depthPrompt"

SPELLED_NAMES: Final = "char|user|persona|description|scenario|world"
SPELLED: Final = lazy_pattern(rf"<({SPELLED_NAMES})>|\{{\{{({SPELLED_NAMES})\}}\}}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Slot:
    """A text of a card: its key there, its name in SillyTavern's prompt, and the agent's field with the same text."""

    key: str
    prompt: str
    title: str
    field: str = ""


SLOTS: Final = (
    Slot("system_prompt", MAIN, "System Prompt"),
    Slot("description", "charDescription", "Description", "character_description"),
    Slot("personality", "charPersonality", "Personality", "personality"),
    Slot("scenario", "scenario", "Scenario", "scenario"),
    Slot("mes_example", "dialogueExamples", "Example Messages", "mes_examples"),
    Slot("post_history_instructions", JAILBREAK, "Post History Instructions"),
)
"""In their order in the prompt."""

CHARACTER: Final = tuple(slot for slot in SLOTS if slot.field)


OTHER_NAMES: Final = {
    "first_mes": ("firstMessage", "firstMes", "greeting"),
    "alternate_greetings": ("alternateGreetings",),
    "mes_example": ("exampleDialogue", "mesExample", "exampleMessages"),
    "system_prompt": ("systemPrompt",),
    "post_history_instructions": ("postHistoryInstructions",),
    "creator_notes": ("creatorNotes",),
    "character_version": ("characterVersion",),
    "character_book": ("characterBook",),
}
"""Other programs' keys for a card's fields; each counts where the field itself isn't there."""
OF_CARDS: Final = frozenset(
    {
        *("spec", "spec_version", "data", "name", "nickname", "avatar", "tags", "creator", "creatorcomment"),
        *("description", "personality", "scenario", "extensions", "create_date", "chat", "talkativeness", "fav"),
        *("creation_date", "modification_date", "source", "assets", "group_only_greetings", "id"),
        *("creator_notes_multilingual", "json_data", "metadata", "shallow", "date_added", "date_last_chat"),
    }
)
"""Keys of SillyTavern's cards besides those of SLOTS and OTHER_NAMES: https://github.com/kwaroran/character-card-spec-v3."""


def inner(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A card's fields: those of `data` before those beside it, under SillyTavern's names."""
    fields = _as_stored(raw)
    other = {key: fields[name] for key, name in _other_names(fields).items()}
    return {**fields, **other} if other else fields


def _as_stored(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    data = raw.get("data")
    return {**raw, **cast("Mapping[str, Any]", data)} if isinstance(data, Mapping) else raw


def _other_names(fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields that are there only under another program's name, each with that name."""
    found = {key: next((name for name in names if name in fields), None) for key, names in OTHER_NAMES.items()}
    return {key: name for key, name in found.items() if name is not None and key not in fields}


def as_named_in(original: Mapping[str, Any], fields: Data) -> Data:
    """Fields of a card under the names that they have in the original."""
    names = _other_names(_as_stored(original))
    return {names.get(key, key): value for key, value in fields.items()} if names else fields


def unused_texts(raw: Mapping[str, Any]) -> list[Loss]:
    """A loss for each text of words under a key that cards don't have."""
    fields = _as_stored(raw)
    known = {*OF_CARDS, *OTHER_NAMES, *(slot.key for slot in SLOTS), *_other_names(fields).values()}
    return [
        Loss(key, "no field of a character card; its text is written back, and never sent")
        for key, value in fields.items()
        if key not in known and isinstance(value, str) and _has_words(value.strip())
    ]


def _has_words(text: str) -> bool:
    """Whether it is more than a number, a date, an address or a name in one ASCII word."""
    return any(character.isspace() or not character.isascii() for character in text)


def version(raw: Mapping[str, Any]) -> int:
    """1, 2 or 3; a card with `data` that doesn't say is of version 2."""
    spec = str(raw.get("spec"))
    if "v3" in spec:
        return 3
    return 2 if "v2" in spec or isinstance(raw.get("data"), Mapping) else 1


def notes_key(raw: Mapping[str, Any]) -> str:
    """Key of the creator's notes: flat cards have one of their own."""
    return "creatorcomment" if version(raw) == 1 and "creator_notes" not in inner(raw) else "creator_notes"


def text_at(data: Mapping[str, Any], key: str, losses: list[Loss]) -> str:
    """The text under a key, empty where there is none; what is no text is lost."""
    value = data.get(key)
    if value is None:
        return ""
    try:
        return coerce.text(value)
    except ValueError:
        losses.append(Loss(key, f"{coerce.shown(value)} is no text; it is left out"))
        return ""


def prompt_name(preset: MessageNode) -> str | None:
    """The preset's role in SillyTavern's prompt."""
    name = (preset.metadata or {}).get(PROMPT_NAME)
    return name if isinstance(name, str) else None


def original_of(agent: Agent) -> Mapping[str, Any] | None:
    """The JSON that an agent was read from, of a card or of a preset."""
    original = (agent.carried or {}).get(CARRIED)
    return cast("Mapping[str, Any]", original) if isinstance(original, Mapping) else None


def called(agent: Agent) -> str:
    name = (agent.carried or {}).get(CALLED)
    return name if isinstance(name, str) else ""


# --- macros


def converted(text: str) -> str:
    """The text with `<USER>` and `{{User}}` written `{{user}}`, and so for the other five names of this kind.

    `<BOT>` stays: it is also what people write for themselves.
    """
    if "<" not in text and "{{" not in text:
        return text
    return SPELLED.sub(lambda found: f"{{{{{(found[1] or found[2]).lower()}}}}}", text)
