"""A knowledge base with its chunks in an index; the bases that were asked lately are remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from hashlib import sha256
from threading import Lock

from ctxlab.context.knowledge_hit import KnowledgeBaseFacts, KnowledgeHit
from ctxlab.documents.knowledge_base import KnowledgeBase, KnowledgeEntry, entries_with_ids
from ctxlab.documents.stored import as_json
from ctxlab.knowledge.chunks import Chunk, chunks_of
from ctxlab.knowledge.embedders import Embedder, vectors_of
from ctxlab.knowledge.index import IndexedText, KnowledgeIndex, MemoryIndex
from ctxlab.lazy_dataclass import dataclass

AT_ONCE = 256
"""Chunks that are embedded before searches by words get their turn."""
AROUND_CHARACTERS = 100
"""Characters before and after a message that its vector is made of too: alone, a short one says too little."""
REMEMBERED = 4
"""Bases whose indexes in memory are kept for the next retriever."""

IndexMaker = Callable[[str], KnowledgeIndex]
"""Makes the index of the base with this id."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A chunk with the entry that it is from."""

    entry: KnowledgeEntry
    chunk: Chunk
    alone: bool

    @property
    def text(self) -> str:
        """The chunk's characters; of one of several without the line breaks at its ends."""
        text = self.entry.content[self.chunk.start : self.chunk.end]
        return text if self.alone else text.strip("\r\n")

    @property
    def indexed(self) -> str:
        """The words by which it is found: its own, its title, and in Markdown the headings above it."""
        head = self.chunk.place if self.entry.kind == "markdown" else ""
        return "\n".join(filter(None, (self.entry.key, head, self.text)))

    @property
    def read_as(self) -> str:
        """Texts of its vector: a message with what was said before and after it; empty for its own words."""
        if self.entry.kind != "chat" or self.alone:
            return ""
        text, (start, end) = self.entry.content, (self.chunk.start, self.chunk.end)
        return text[max(0, start - AROUND_CHARACTERS) : end + AROUND_CHARACTERS].strip()


class IndexedBase:
    """A base, its chunks by id, and the index in which they are. Entries that are switched off are left out."""

    def __init__(self, base: KnowledgeBase, id: str, index: KnowledgeIndex) -> None:
        self.base, self.id, self.index = base, id, index
        self.entries: dict[str, list[str]] = {}
        self.chunks: dict[str, _Found] = {}
        self._entries: dict[str, KnowledgeEntry] = {}
        self._embedding = Lock()
        self._changing = Lock()
        self._hash: tuple[KnowledgeBase, str] | None = None
        self.update(base)

    def update(self, base: KnowledgeBase) -> None:
        """Another state of the base: only entries that are new, different or gone are put in or taken out."""
        with self._changing:
            again = base.settings.chunks != self.base.settings.chunks
            wanted = {entry.id: entry for entry in entries_with_ids(base.entries) if entry.enabled}
            old = {id for id, entry in self._entries.items() if again or wanted.get(id) != entry}
            gone = [chunk for id in old for chunk in self.entries[id]]
            new = {id: list(self._cut(wanted[id], base)) for id in wanted if id in old or id not in self._entries}
            chunks = {id: found for id, found in self.chunks.items() if id not in set(gone)}
            chunks |= {id: found for cut in new.values() for id, found in cut}
            kept = {id: ids for id, ids in self.entries.items() if id not in old}
            cut_now = kept | {id: [chunk for chunk, _ in cut] for id, cut in new.items()}
            self.chunks = self.chunks | chunks  # a search that is under way may still find what goes
            stale = (
                [] if self._entries else [id for id in self.index.ids() if id not in chunks]
            )  # of an earlier process
            self.index.remove([*gone, *stale])
            self.index.add([IndexedText(id, each.indexed, each.read_as) for cut in new.values() for id, each in cut])
            self.entries = {id: cut_now[id] for id in wanted}
            self.chunks, self._entries, self.base = chunks, wanted, base

    def _cut(self, entry: KnowledgeEntry, base: KnowledgeBase) -> Iterator[tuple[str, _Found]]:
        chunks = chunks_of(entry, base.settings.chunks)
        for number, chunk in enumerate(chunks, 1):
            alone = len(chunks) == 1
            yield (entry.id if alone else f"{entry.id}#{number}"), _Found(entry, chunk, alone)

    @property
    def facts(self) -> KnowledgeBaseFacts:
        tags = dict.fromkeys(tag for entry in self._entries.values() for tag in entry.tag_names)
        own = self.base.settings.engine or ""
        return KnowledgeBaseFacts(self.id, self.base.shown_name, len(self.entries), len(self.chunks), tuple(tags), own)

    @property
    def content_hash(self) -> str:
        """A text that is equal where content and settings are."""
        base, known = self.base, self._hash
        if known is None or known[0] is not base:
            known = self._hash = base, sha256(as_json(base.to_data())).hexdigest()
        return known[1]

    def tagged(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The chunks of entries with tags, each with these."""
        for id, entry in self._entries.items():
            names = entry.tag_names
            for chunk in self.entries.get(id, ()) if names else ():
                yield chunk, names

    def hit(self, id: str) -> KnowledgeHit | None:
        """A chunk as a hit without scores; None where it is gone."""
        found = self.chunks.get(id)
        if found is None:
            return None
        entry = found.entry
        return KnowledgeHit(
            base=self.id,
            base_name=self.base.shown_name,
            entry=entry.id,
            chunk=id,
            title=entry.key,
            text=found.text,
            place=found.chunk.place,
            tags=entry.tag_names,
        )

    def embed(self, embedder: Embedder) -> None:
        """Vectors for all chunks that have none."""
        self.index.use_vectors_of(f"{embedder.name} {embedder.version}")
        with self._embedding:  # else two searches would embed the same
            while batch := self.index.without_vectors(AT_ONCE):
                self.index.add_vectors(
                    [each.id for each in batch], vectors_of(embedder, [each.embedded for each in batch])
                )


_lately: list[tuple[Hashable, IndexedBase]] = []
_remembering = Lock()


def indexed_base(base: KnowledgeBase, id: str, embedder: Hashable) -> IndexedBase:
    """The base with an index in memory, the same for the same base and embedder; nobody changes it."""
    with _remembering:
        for name, each in reversed(_lately):
            if name == embedder and each.id == id and (each.base is base or each.base == base):
                return each
    made = IndexedBase(base, id, MemoryIndex())
    with _remembering:
        _lately[:] = [*_lately, (embedder, made)][-REMEMBERED:]
    return made
