"""A worldbook: entries of background that keywords call up. Field names are SillyTavern's."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ctxlab.documents.message import ModelMatch
from ctxlab.documents.stored import Stored

POSITIONS = ("before_char", "after_char", "before_an", "after_an", "at_depth", "before_em", "after_em", "outlet")
"""Names of `LoreEntry.position` 0 to 7."""
LOGICS = ("and_any", "not_all", "not_any", "and_all")
"""Names of `LoreEntry.selective_logic` 0 to 3."""
ROLES = ("system", "user", "assistant")
"""Names of `LoreEntry.role` 0 to 2."""


class CharacterFilter(Stored):
    """For these characters only, or with `is_exclude` for all others."""

    is_exclude: bool = False
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class LoreEntry(Stored):
    """Text that is sent when one of its keys stands in the newest messages.

    `probability` is in percent; `sticky`, `cooldown` and `delay` are numbers of messages; None in `scan_depth`,
    `case_sensitive`, `match_whole_words` and `use_group_scoring` means what the book's settings say.
    """

    uid: int | str = 0
    key: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()  # Where other programs put `key`.
    keysecondary: tuple[str, ...] = ()
    comment: str = ""
    content: str = ""
    constant: bool = False
    vectorized: bool = False
    selective: bool = True
    selective_logic: int = 0
    order: float = 100
    position: int = 0
    role: int | None = None
    disable: bool = False
    probability: float = 100
    use_probability: bool = True
    depth: int = 4
    group: str = ""
    group_weight: float = 100
    group_override: bool = False
    use_group_scoring: bool | None = None
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: bool | int = False
    delay_until_recursion_level: int | None = None
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    match_whole_words: bool | None = None
    sticky: int | None = None
    cooldown: int | None = None
    delay: int | None = None
    ignore_budget: bool = False
    automation_id: str = ""
    outlet_name: str = ""
    display_index: int | None = Field(
        default=None, description="Its row in SillyTavern's editor; None: as in the file."
    )
    triggers: tuple[str, ...] = ()
    character_filter: CharacterFilter | None = None
    match_persona_description: bool = False
    match_character_description: bool = False
    match_character_personality: bool = False
    match_character_depth_prompt: bool = False
    match_scenario: bool = False
    match_creator_notes: bool = False

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys, from whichever of the two fields has them."""
        return self.key or self.keys

    @property
    def title(self) -> str:
        """What a person would call it: its comment, else its first key, else its uid."""
        return self.comment or next(iter(self.all_keys), "") or str(self.uid)


class WorldbookMetadata(Stored):
    id: str = ""
    name: str = ""
    description: str | None = None


class Worldbook(Stored):
    """Entries by key, in the order of the file."""

    id: str = ""
    name: str = ""
    metadata: WorldbookMetadata | None = None
    description: str | None = None
    scan_depth: int | None = None
    token_budget: int | None = None
    recursive_scanning: bool | None = None
    entries: dict[str, LoreEntry] = Field(default_factory=dict[str, LoreEntry])
    model_match: ModelMatch | None = None
    macro_dialect: str | None = Field(None, description="Spelling of macros in the contents: sillytavern, else ours.")
    carried: dict[str, Any] | None = Field(None, description="What another program's file said, to write it back.")

    @property
    def shown_name(self) -> str:
        return self.name or (self.metadata.name if self.metadata else "") or self.book_id or "Unknown"

    @property
    def book_id(self) -> str:
        """What an agent's `worldbook_ids` names it by."""
        return self.id or (self.metadata.id if self.metadata else "") or self.name


class WorldbookSettings(Stored):
    """How books are scanned, of an agent; None means the default."""

    disable_recursion: bool | None = None
    default_scan_depth: int | None = None
