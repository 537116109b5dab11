"""Worldbooks: entries of background text that keywords call up. Field names are SillyTavern's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import called, counted, nearest, short
from ctxlab.documents.frozen_json import FreezeData, FrozenDict, JsonObject
from ctxlab.documents.session.message import ModelMatch, Role
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import pandas as pd

POSITIONS = ("before_char", "after_char", "before_an", "after_an", "at_depth", "before_em", "after_em", "outlet")
"""Names of `LoreEntry.position` 0 to 7."""
LOGICS = ("and_any", "not_all", "not_any", "and_all")
"""Names of `LoreEntry.selective_logic` 0 to 3."""
ROLES: tuple[Role, ...] = ("system", "user", "assistant")
"""Names of `LoreEntry.role` 0 to 2."""


class CharacterFilter(Stored):
    """For these characters only, or with `is_exclude` for all others."""

    is_exclude: bool = False
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class LoreEntry(Stored):
    """Text that is sent when one of its keys is found in the newest messages.

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

    def _repr_parts(self) -> Iterator[str]:
        yield repr(short(self.uid) if isinstance(self.uid, str) else self.uid)
        if self.title != str(self.uid):
            yield repr(short(self.title))
        yield counted(len(self.all_keys), "key")
        yield from self.switches

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys, from whichever of the two fields has them."""
        return self.key or self.keys

    @property
    def title(self) -> str:
        """A name for people: the comment, else the first key, else the uid."""
        return self.comment or next(iter(self.all_keys), "") or str(self.uid)

    @property
    def position_name(self) -> str:
        """The name of its position; empty where it is none of SillyTavern's eight."""
        return POSITIONS[self.position] if 0 <= self.position < len(POSITIONS) else ""

    @property
    def role_name(self) -> Role:
        """The role that it is sent as where its position has one; system where it names none."""
        return ROLES[self.role] if self.role is not None and 0 <= self.role < len(ROLES) else ROLES[0]

    @property
    def switches(self) -> tuple[str, ...]:
        """Unusual settings in words: off, constant, a chance, a group."""
        by_chance = self.use_probability and self.probability < 100
        shown = (
            ("off", self.disable),
            ("constant", self.constant),
            (f"{self.probability:g}%", by_chance),
            (f"group {short(self.group)}", bool(self.group)),
        )
        return tuple([words for words, is_so in shown if is_so])


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
    entries: Annotated[dict[str, LoreEntry], FreezeData] = Field(default_factory=FrozenDict)
    model_match: ModelMatch | None = None
    macro_dialect: str | None = Field(None, description="Spelling of macros in the contents: sillytavern, else ours.")
    carried: JsonObject | None = Field(None, description="What another program's file said, to write it back.")

    @property
    def shown_name(self) -> str:
        return self.name or (self.metadata.name if self.metadata else "") or self.book_id or "Unknown"

    @property
    def book_id(self) -> str:
        """The id by which an agent's `worldbook_ids` refers to the book."""
        return self.id or (self.metadata.id if self.metadata else "") or self.name

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.book_id, self.shown_name)
        yield counted(len(self.entries), "entry", "entries")

    def _repr_html_(self) -> str:
        rows = (
            (entry.title, ", ".join(entry.all_keys), _position(entry), f"{entry.order:g}", ", ".join(entry.switches))
            for entry in self.entries.values()
        )
        head = ("entry", "keys", "position", "order", "")
        return heading(self) + html_table(head, rows, of="entries")

    def frame(self) -> pd.DataFrame:
        """One row an entry: its name in the book, then one column a field of the file, for edits of many at once.

        >>> frame = book.frame()  # doctest: +SKIP
        >>> frame["probability"] = frame["probability"].clip(lower=50)  # doctest: +SKIP
        >>> book = book.with_frame(frame)  # doctest: +SKIP
        """
        from ctxlab.documents.worldbook_frame import book_frame

        return book_frame(self)

    @checked_arguments
    def with_frame(self, frame: pd.DataFrame) -> Worldbook:
        """The book with the edits of a frame that `frame()` gave; the same book when nothing was edited.

        Fields that weren't edited, and those that are no columns, stay as they are. Rows that are gone take their
        entries with them, rows under new names become entries. A cell without a value is the field's default, a text in
        a column of lists is read as words with commas between. Raises CtxlabError for a column that is no field and for
        a value that a field doesn't take.
        """
        from ctxlab.documents.worldbook_frame import book_from_frame

        return book_from_frame(self, frame)

    @checked_arguments
    def entry(self, which: int | str) -> LoreEntry:
        """The entry of this uid, of this name in the book, of this key in a scan (`lore:harbour/3`), or of this title.

        Raises CtxlabError, naming those that are near.
        """
        return self.entries[self._name_of(which)]

    @checked_arguments
    def with_entry(self, which: int | str, **fields: Any) -> Worldbook:
        """The book with other fields in one of its entries.

        `which` is as in `entry`; fields are named as in Python or as in the file, so a nearest change fits as it is.
        `keys` are put where the entry has its keys.
        """
        name = self._name_of(which)
        if "keys" in fields and "key" not in fields and self.entries[name].key:
            fields["key"] = fields.pop("keys")
        return self.model_copy(update={"entries": {**self.entries, name: self.entries[name].changed(fields)}})

    def _name_of(self, which: int | str) -> str:
        """The name under which the book holds an entry."""
        if isinstance(which, str) and which in self.entries:
            return which
        wanted = str(which).removeprefix(f"lore:{self.book_id or self.shown_name}/")
        for found in (
            [name for name, entry in self.entries.items() if str(entry.uid) == wanted],
            [name for name, entry in self.entries.items() if entry.title == wanted],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                names = ", ".join(map(repr, found[:8]))
                raise CtxlabError(f"{self._label()} has {len(found)} entries {which!r}: say one of the names {names}")
        known = [str(n) for name, e in self.entries.items() for n in dict.fromkeys((name, str(e.uid), e.title))]
        raise CtxlabError(f"{self._label()} has no entry {which!r}{nearest(str(which), known)}")

    def _label(self) -> str:
        return f"book {self.shown_name!r}"


def _position(entry: LoreEntry) -> str:
    name = entry.position_name or str(entry.position)
    if name == "at_depth":
        return f"{name} {entry.depth}"
    return f"{name} {entry.outlet_name}" if name == "outlet" else name


class WorldbookSettings(Stored):
    """An agent's settings for scanning books; None means the default."""

    disable_recursion: bool | None = None
    default_scan_depth: int | None = None
