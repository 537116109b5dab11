"""The cards of a data folder, and the agents that they become with the preset in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxlab.documents import Agent
from ctxlab.errors import ReadError
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern.card_fields import JAILBREAK, MAIN, inner
from ctxlab.formats.sillytavern.cards.chat_texts import with_chat_texts
from ctxlab.formats.sillytavern.cards.combine_with_preset import joined
from ctxlab.formats.sillytavern.cards.reader import card_from
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.folder import CHARACTERS, CHAT_PRESETS, SETTINGS, DataFolder
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings
from ctxlab.formats.sillytavern.presets.chat_completion import preset_from
from ctxlab.lazy_dataclass import dataclass

ENDINGS: Final = (".png", ".json")
PERSONA_PLACE: Final = "personaDescription"
PREFERRED: Final = {MAIN: "prefer_character_prompt", JAILBREAK: "prefer_character_jailbreak"}
"""Settings by which a card's text stands in the place of the preset's."""


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card as it lies in the folder; filters and settings know it by its file."""

    file: str
    data: Mapping[str, Any]

    @property
    def stem(self) -> str:
        return self.file.rpartition(".")[0]

    @property
    def name(self) -> str:
        return str(inner(self.data).get("name") or self.stem)

    @property
    def extensions(self) -> Mapping[str, Any]:
        return as_object(inner(self.data).get("extensions"))

    @property
    def world(self) -> str:
        """The lorebook that is linked; empty for none."""
        return str(self.extensions.get("world") or "")


def card_files(folder: DataFolder) -> Iterator[CardFile]:
    for file in folder.names(CHARACTERS, *ENDINGS):
        yield CardFile(file, folder.data(CHARACTERS, file))


def card_file(folder: DataFolder, name: str) -> CardFile:
    """The card of a file's name, with or without its ending; raises ReadError where there is none."""
    for file in (name, *(f"{name}{ending}" for ending in ENDINGS)):
        if file.lower().endswith(ENDINGS) and folder.has(CHARACTERS, file):
            return CardFile(file, folder.data(CHARACTERS, file))
    raise ReadError(f"{folder.path} has no card {name!r} in {CHARACTERS}/")


def agent_of(
    card: CardFile, preset: Agent, worlds: tuple[str, ...], settings: ProgramSettings, about: Mapping[str, Any]
) -> Agent:
    """The agent of a card with the preset in use; its lore is what is linked to it, not what its file holds.

    `about` is the chat's own metadata, whose texts stand in the place of the card's.
    """
    read = card_from(card.data, name=card.stem, id=card.stem).agent
    read = with_chat_texts(read if _is_allowed(card, settings) else read.without("regex_config"), about)
    overrides = [name for name, key in PREFERRED.items() if settings.at(f"power_user.{key}", True)]
    agent = joined(preset, read, overrides=overrides)
    return agent.with_(worldbook_ids=worlds, tags=_tags(card, settings))


def _is_allowed(card: CardFile, settings: ProgramSettings) -> bool:
    """Whether the scripts in the card may run."""
    return card.file in (settings.at("extension_settings.character_allowed_regex") or ())


def _tags(card: CardFile, settings: ProgramSettings) -> tuple[str, ...]:
    """The tags that the program has given to the card, by their ids, as filters name them."""
    return tuple(str(tag) for tag in settings.object("tag_map").get(card.file) or ())


def preset_in_use(folder: DataFolder, settings: ProgramSettings, losses: list[Loss]) -> Agent:
    """The agent of the prompts and parameters in use: those of settings.json, which may differ from the file's."""
    own = settings.object("oai_settings")
    name = str(own.get("preset_settings_openai") or "Default")
    file = f"{name}.json"
    saved = folder.data(CHAT_PRESETS, file) if folder.has(CHAT_PRESETS, file) else {}
    if not own.get("prompts"):
        losses.append(Loss(f"{SETTINGS}, oai_settings", f"it has no prompts; those of the preset {name!r} are used"))
    body = {**saved, **own}
    agent, found = preset_from(body, name=name)
    losses += [loss.inside(f"preset {name!r}") for loss in found]
    allowed = settings.object("extension_settings.preset_allowed_regex").get("openai") or ()
    return agent if name in allowed else agent.without("regex_config")
