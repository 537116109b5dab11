"""The persona of a data folder's user, and where its description goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ctxlab.documents import UserProfile
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings
from ctxlab.lazy_dataclass import dataclass

IN_PROMPT, ABOVE_NOTE, BELOW_NOTE, AT_DEPTH = (0, 1), 2, 3, 4
"""Numbers of the places of a description; others are none."""
PARTS: Final = ("description", "position", "depth", "role", "lorebook")


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona of the user; `position`, `depth` and `role` say where the description is sent."""

    avatar: str
    name: str
    description: str = ""
    position: int = 0
    depth: int = 2
    role: int = 0
    lorebook: str = ""

    @property
    def is_in_prompt(self) -> bool:
        return self.position in IN_PROMPT

    def profile(self, worlds: tuple[str, ...]) -> UserProfile:
        fields = {"id": self.avatar or self.name, "name": self.name, "content": self.description.strip()}
        return UserProfile.model_validate({**fields, "worldbook_ids": worlds})


def persona_of(settings: ProgramSettings, conversation: Conversation) -> Persona:
    """The persona that is locked to the chat, that which belongs to its character, the default, else the last one."""
    names, details = settings.object("power_user.personas"), settings.object("power_user.persona_descriptions")
    last = settings.at("user_avatar")
    locked = (
        conversation.metadata.get("persona"),
        _connected(details, conversation),
        settings.at("power_user.default_persona"),
        last,
    )
    avatar = next((str(each) for each in locked if isinstance(each, str) and each in names), str(last or ""))
    own = coerce.as_object(details.get(avatar))
    if not own or avatar == last:
        own = {**own, **_current(settings)}
    name = names.get(avatar) or settings.at("username") or "User"
    return Persona(
        avatar,
        str(name),
        coerce.field(own, "description", coerce.text, "", None),
        coerce.field(own, "position", coerce.whole, 0, None),
        coerce.field(own, "depth", coerce.whole, 2, None),
        coerce.field(own, "role", coerce.whole, 0, None),
        coerce.field(own, "lorebook", coerce.text, "", None),
    )


def _current(settings: ProgramSettings) -> Mapping[str, Any]:
    """The fields of the persona that is chosen, as the settings hold them: those are sent as long as no other is."""
    prefix = "power_user.persona_description"
    found = {part: settings.at(prefix if part == "description" else f"{prefix}_{part}") for part in PARTS}
    return {part: value for part, value in found.items() if value is not None}


def _connected(details: Mapping[str, Any], conversation: Conversation) -> str | None:
    """The persona that is connected to the character or the group of the chat."""
    group = conversation.group
    wanted = ("group", str(group.get("id"))) if group else ("character", conversation.cards[0].file)
    for avatar, about in details.items():
        for connection in coerce.as_object(about).get("connections") or ():
            link = coerce.as_object(connection)
            if (link.get("type"), link.get("id")) == wanted:
                return avatar
    return None
