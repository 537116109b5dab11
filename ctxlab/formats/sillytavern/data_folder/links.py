"""The lorebooks that are linked for a turn, and by what: the chat, the persona, the character, or for everyone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import CardFile
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.formats.sillytavern.data_folder.folder import SETTINGS
from ctxlab.formats.sillytavern.data_folder.persona import Persona
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LinkedWorlds:
    """Names of lorebooks by what links them, each once; `linked_by` says where each link is."""

    of_chat: tuple[str, ...]
    of_persona: tuple[str, ...]
    of_character: tuple[str, ...]
    of_everyone: tuple[str, ...]
    linked_by: Mapping[str, str]

    def all(self) -> Iterator[str]:
        yield from (*self.of_chat, *self.of_persona, *self.of_character, *self.of_everyone)

    def level(self, world: str) -> str:
        levels = {
            "chat": self.of_chat,
            "persona": self.of_persona,
            "character": self.of_character,
            "everyone": self.of_everyone,
        }
        return next(level for level, worlds in levels.items() if world in worlds)


def linked_worlds(
    settings: ProgramSettings, conversation: Conversation, card: CardFile, persona: Persona
) -> LinkedWorlds:
    """The books of a turn. One that is active for everyone is no one's own; of the others the chat's comes first."""
    at = "world_info_settings.world_info"
    everyone = tuple(dict.fromkeys(str(name) for name in settings.at(f"{at}.globalSelect") or () if name))
    more = [as_object(each) for each in settings.at(f"{at}.charLore") or ()]
    extra = [name for each in more if each.get("name") == card.stem for name in each.get("extraBooks") or ()]
    found: dict[str, list[str]] = {"chat": [], "persona": [], "character": []}
    linked_by = dict.fromkeys(everyone, SETTINGS)
    wanted = (
        ("chat", conversation.metadata.get("world_info"), conversation.place),
        ("persona", persona.lorebook, SETTINGS),
        ("character", card.world, f"characters/{card.file}"),
        *(("character", name, SETTINGS) for name in extra),
    )
    for level, name, where in wanted:
        if isinstance(name, str) and name and name not in linked_by:
            found[level].append(name)
            linked_by[name] = where
    return LinkedWorlds(tuple(found["chat"]), tuple(found["persona"]), tuple(found["character"]), everyone, linked_by)
