"""The input of a scan: active books, conversation, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents import ModelProfile, Worldbook
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.engines.worldbook.prepared_entry import PreparedEntry

Level = Literal["global", "user", "agent", "chat"]
"""The owner of a book: everyone's, the user's, the character's, or this conversation's."""
Source = Literal["persona", "character", "personality", "depth-prompt", "scenario", "creator-notes"]
Compat = Literal["sillytavern", "reference", "sillytavern-1.19"]
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
    """A message as it is scanned: the key of its draft, its words, the id of its node, and its speaker's name.

    An empty `name` isn't scanned.
    """

    key: str
    text: str
    id: str = ""
    name: str = ""

    @property
    def head(self) -> str:
        """The words in front where a message is scanned: the speaker's name."""
        return f"{self.name}: " if self.name else ""

    @property
    def scanned(self) -> str:
        """The text in which keys are looked for."""
        return self.head + self.text


@dataclass(frozen=True, slots=True, eq=False)
class Chat:
    """The conversation and who is in it.

    Messages come oldest first. `path` are the ids of all messages above the leaf, also of those that aren't sent;
    `activations` are as in the request. `names` are the character's, `user` is the user's. `about` are texts that an
    entry scans where it says so, `prompts` those that all entries scan, by the key of each.
    """

    messages: Sequence[ScannedMessage] = ()
    about: Mapping[Source, str] = field(default_factory=dict[Source, str])
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
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

    `scan_text` joined is SillyTavern's text: the newest message first, each trimmed and behind a mark, then what else
    the entry scans, then the lore of earlier passes; patterns match in the whole of it. `min_activations` looks at one
    message more at a time, down to `min_activations_depth` and one beyond (0: all), until that many entries fire.
    `budget_count` together counts all contents so far as one message, each with a line break, which has to stay below
    the budget. `book_settings` has a book's own depth, budget and recursion count.

    Compat sillytavern-1.19 follows that program where it is odd as well. Levels of delayed entries open with recursion
    off too, and then all lore is looked through. An entry of several groups loses all of them with one, beats others
    even so, and keeps none for later passes; its second keys always count in group scoring. The rest of an entry that
    was sticky begins with the first turn in which it no longer is. A pattern that doesn't compile is looked for as it
    is written.
    """

    scan_depth: int = 2
    scan_text: Literal["messages", "joined"] = "messages"
    recursion: bool = True
    max_passes: int = 20
    min_activations: int = 0
    min_activations_depth: int = 0
    case_sensitive: bool = False
    whole_words: bool = False
    group_scoring: bool = False
    budget_tokens: int | None = None
    budget_count: Literal["each", "together"] = "each"
    overflow: Literal["stop", "skip"] = "stop"
    constants_first: bool = True
    book_settings: bool = True
    first: Literal["agent", "global", "neither", "evenly"] = "agent"
    compat: Compat = "sillytavern"
    budget_source: str = ""
    """The origin of `budget_tokens` in words, such as "25 % of 3,795"."""

    @property
    def is_exact(self) -> bool:
        """Whether SillyTavern 1.19 is followed where it is odd as well."""
        return self.compat == "sillytavern-1.19"

    @property
    def budget_words(self) -> str:
        """The budget with its origin, such as "949, 25 % of 3,795"; empty where there is none."""
        if self.budget_tokens is None:
            return ""
        return f"{self.budget_tokens:,}" + (f", {self.budget_source}" if self.budget_source else "")


def _middle(id: str) -> float:
    return 0.5


def _as_written(key: str, content: str, dialect: str | None) -> str:
    return content


@dataclass(frozen=True, slots=True, eq=False)
class ScanInput:
    """Everything that decides which entries fire. `dice` gives a number in [0, 1) for an id, `count` counts tokens.

    `words_sent` gives the words that a content is sent as, its macros expanded, for the key of its entry, the content
    and the dialect of its book's macros. These are counted and looked through for keys, as in SillyTavern.
    `draws_at` are numbers of messages by key: where they are given, an entry is drawn once at each message that calls
    it up, and no more at the turns behind it.
    """

    books: tuple[ActiveBook, ...]
    chat: Chat = field(default_factory=Chat)
    rules: ScanSettings = field(default_factory=ScanSettings)
    dice: Callable[[str], float] = _middle
    count: Callable[[str], int] = len
    words_sent: Callable[[str, str, str | None], str] = _as_written
    draws_at: Mapping[str, int] | None = None

    def __repr__(self) -> str:
        return f"ScanInput({len(self.books)} books, {self.chat!r})"

    def words_of(self, lore: PreparedEntry) -> str:
        """The words that an entry is sent as."""
        return self.words_sent(lore.key, lore.content, lore.book.macro_dialect)

    def scanned_words_of(self, lore: PreparedEntry) -> str:
        """The words of an entry that fired in which keys are looked for; the reference looks into what is written."""
        return lore.content if self.rules.compat == "reference" else self.words_of(lore)

    def tokens_of(self, lore: PreparedEntry) -> int:
        """Tokens of the words that an entry is sent as, without what stands around a message."""
        return self.count(self.words_of(lore))

    def budget_tokens_of(self, lore: PreparedEntry) -> int:
        """Tokens that an entry takes of the budget."""
        words = self.words_of(lore)
        return self.count(f"{words}\n" if self.rules.budget_count == "together" else words)

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "dice", "count", "words_sent")
