"""Knowledge bases as they are stored: entries to find and to put into a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import called, counted, nearest
from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError

EntryKind = Literal["text", "markdown", "code", "chat"]
KnowledgeEngine = Literal["vector", "keyword", "hybrid", "tags"]
CHUNK_CHARACTERS = 800
OVERLAP_CHARACTERS = 80


def _known_engine(value: object) -> object:
    """Other programs' names of the engine that fuses ranks are ours."""
    return {"blender": "hybrid", "lens": "tags"}.get(value, value) if isinstance(value, str) else value


class ChunkSettings(Stored):
    """Sizes, in characters, by which entries are cut into the chunks that are searched."""

    characters: int = Field(
        CHUNK_CHARACTERS, ge=1, description="Characters of a chunk at most; an entry that fits is one chunk."
    )
    overlap: int = Field(
        OVERLAP_CHARACTERS, ge=0, description="Characters at most that a chunk repeats of the one before it."
    )


class KnowledgeBaseSettings(Stored):
    """A base's own engine, None where the best one is taken, and how its entries are cut."""

    engine: Annotated[KnowledgeEngine | None, BeforeValidator(_known_engine)] = None
    chunks: ChunkSettings = Field(default_factory=ChunkSettings)


class EntryPart(Stored):
    """A part of an entry's content that has a place of its own, such as `page 3`; it begins at this character."""

    start: int = Field(0, ge=0)
    place: str = ""


class KnowledgeEntry(Stored):
    """A text that can be found; `key` is its title.

    `kind` says how it is cut. Parts are in order and never share a chunk. A tag is a text, or an object with a `name`.
    """

    id: str = ""
    key: str = ""
    content: str = ""
    tags: tuple[str | JsonObject, ...] = ()
    enabled: bool = True
    priority: int = 0
    kind: EntryKind = "text"
    source: str | None = Field(None, description="The file that the content was read from.")
    parts: tuple[EntryPart, ...] = ()

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The names of the tags, each once."""
        names = [tag if isinstance(tag, str) else _name_of(tag) for tag in self.tags]
        return tuple(dict.fromkeys(name for name in names if name))

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.key)
        yield counted(len(self.content), "character")
        if not self.enabled:
            yield "switched off"


def _name_of(tag: Mapping[str, Any]) -> str:
    name = tag.get("name")
    return name if isinstance(name, str) else ""


class KnowledgeBase(Stored):
    """Entries that belong together, and how they are cut and searched."""

    id: str = ""
    name: str = ""
    description: str | None = None
    entries: tuple[KnowledgeEntry, ...] = ()
    settings: KnowledgeBaseSettings = Field(default_factory=KnowledgeBaseSettings)
    losses: tuple[str, ...] = Field((), description="What could not be read of its files, a sentence each.")

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.name)
        yield counted(len(self.entries), "entry", "entries")
        off = sum(not entry.enabled for entry in self.entries)
        if off:
            yield f"{off:,} switched off"
        if self.losses:
            yield counted(len(self.losses), "loss", "losses")

    def _repr_html_(self) -> str:
        rows = (
            (entry.id, entry.key, entry.content, ", ".join(entry.tag_names), "" if entry.enabled else "off")
            for entry in self.entries
        )
        table = html_table(("id", "key", "content", "tags", ""), rows, of="entries")
        return heading(self) + table + lines(self.losses)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("knowledge_base", self)

    @property
    def shown_name(self) -> str:
        return self.name or self.id

    @checked_arguments
    def entry(self, which: str) -> KnowledgeEntry:
        """The entry of this id, else of this key; raises CtxlabError, naming those that are near."""
        return self.entries[self._place_of(which)]

    @checked_arguments
    def with_entry(self, which: str, **fields: Any) -> KnowledgeBase:
        """The base with other fields in the entry of this id or key."""
        place = self._place_of(which)
        entries = list(self.entries)
        entries[place] = entries[place].changed(fields)
        return self.model_copy(update={"entries": tuple(entries)})

    def _place_of(self, which: str) -> int:
        for found in (
            [place for place, each in enumerate(self.entries) if each.id == which],
            [place for place, each in enumerate(self.entries) if each.key == which],
        ):
            if found:
                return found[0]
        known = list(dict.fromkeys(name for each in self.entries for name in (each.id, each.key) if name))
        raise CtxlabError(f"base {self.shown_name!r} has no entry {which!r}{nearest(which, known)}")


def entries_with_ids(entries: tuple[KnowledgeEntry, ...]) -> tuple[KnowledgeEntry, ...]:
    """The entries, each with an id that no other one has; the first of an id keeps it, one without gets its number."""
    taken: set[str] = set()
    found: list[KnowledgeEntry] = []
    for number, entry in enumerate(entries, 1):
        wanted = entry.id or str(number)
        id, again = wanted, 2
        while id in taken:
            id, again = f"{wanted}~{again}", again + 1
        taken.add(id)
        found.append(entry if id == entry.id else entry.model_copy(update={"id": id}))
    return tuple(found) if any(a is not b for a, b in zip(found, entries, strict=True)) else entries
