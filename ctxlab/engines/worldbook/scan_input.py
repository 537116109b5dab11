"""The input of a scan: active books, conversation, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents import ModelProfile, Worldbook

Level = Literal["global", "user", "agent"]
Source = Literal["persona", "character", "personality", "depth-prompt", "scenario", "creator-notes"]
SWITCHES: Mapping[Source, str] = {
    "persona": "match_persona_description",
    "character": "match_character_description",
    "personality": "match_character_personality",
    "depth-prompt": "match_character_depth_prompt",
    "scenario": "match_scenario",
    "creator-notes": "match_creator_notes",
}
"""Texts beside the messages that an entry may have scanned, and the field that switches each on."""


@dataclass(frozen=True, slots=True)
class ScannedMessage:
    """A message as it is scanned: the key of its draft, its words, the id of its node."""

    key: str
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Chat:
    """The conversation and who is in it.

    Messages come oldest first. `path` are the ids of all messages above the leaf, also of those that aren't sent;
    `activations` are as in the request. `names` are the character's, `user` is the user's.
    """

    messages: Sequence[ScannedMessage] = ()
    about: Mapping[Source, str] = field(default_factory=dict[Source, str])
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    user: str = ""
    model: ModelProfile | None = None
    trigger: str = "normal"
    activations: Mapping[str, str] = field(default_factory=dict[str, str])
    path: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"Chat({len(self.messages)} messages)"


@dataclass(frozen=True, slots=True)
class ActiveBook:
    """A book, and whose it is."""

    book: Worldbook
    level: Level = "global"


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """Settings for entries and books that don't say otherwise.

    `scan_depth` are messages, newest first; `budget_tokens` None is no budget; `max_passes` 0 is no limit. In
    compat reference chance comes before groups, entries come in the order of the file, and patterns see SillyTavern's
    mark before every message.
    """

    scan_depth: int = 2
    recursion: bool = True
    max_passes: int = 20
    case_sensitive: bool = False
    whole_words: bool = False
    group_scoring: bool = False
    budget_tokens: int | None = None
    overflow: Literal["stop", "skip"] = "stop"
    first: Literal["agent", "global", "neither"] = "agent"
    compat: Literal["sillytavern", "reference"] = "sillytavern"


def _middle(id: str) -> float:
    return 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ScanInput:
    """Everything that decides which entries fire. `dice` gives a number in [0, 1) for an id, `count` counts tokens."""

    books: tuple[ActiveBook, ...]
    chat: Chat = field(default_factory=Chat)
    rules: ScanSettings = field(default_factory=ScanSettings)
    dice: Callable[[str], float] = _middle
    count: Callable[[str], int] = len

    def __repr__(self) -> str:
        return f"ScanInput({len(self.books)} books, {self.chat!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "dice", "count")
