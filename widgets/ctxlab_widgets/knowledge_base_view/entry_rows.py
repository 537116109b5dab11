"""The entries of a base as rows, and below those that are open their pieces, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.display.short_texts import counted, short
from ctxlab.documents import KnowledgeBase
from ctxlab.knowledge.chunks import Chunk, chunks_of
from ctxlab.secrets import masked_beginning, masked_in_place

WORDS = 160
"""Characters of an entry that its row shows."""
LONGEST = 8_000
"""Characters of a piece that a page shows."""
COUNTED = 5_000_000
"""Characters of a base up to which all pieces are counted for its sentence; cutting takes longer for more."""
OFF = -1


class EntryRows:
    """The rows of a base in order. An entry is cut into its pieces when its row is looked at, once."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.base = base
        self.open: set[int] = {0} if len(base.entries) == 1 else set()
        self._pieces: dict[int, list[Chunk]] = {}

    def __len__(self) -> int:
        return len(self.base.entries) + sum([len(self.pieces(entry)) for entry in self.open])

    def pieces(self, entry: int) -> list[Chunk]:
        """The pieces that an entry is cut into, in order."""
        if entry not in self._pieces:
            self._pieces[entry] = chunks_of(self.base.entries[entry], self.base.settings.chunks)
        return self._pieces[entry]

    def place_of(self, entry: int) -> int:
        """The number of the row of an entry."""
        return entry + sum([len(self.pieces(each)) for each in self.open if each < entry])

    def page(self, start: int, count: int) -> list[dict[str, Any]]:
        """Some rows from this one on."""
        return [self._row(entry, piece) for entry, piece in self._places(start, start + count)]

    def sentence(self) -> str:
        """Counts of what is in the base, and of what is switched off."""
        entries = self.base.entries
        characters = sum([len(entry.content) for entry in entries])
        parts = [counted(len(entries), "entry", "entries")]
        if characters <= COUNTED:
            parts.append(counted(sum([len(self.pieces(n)) for n in range(len(entries))]), "piece"))
        parts.append(counted(characters, "character"))
        off = sum([not entry.enabled for entry in entries])
        said = f"{self.base.shown_name}: {', '.join(parts)}"
        return f"{said}; {off:,} switched off, never found." if off else f"{said}."

    def _places(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The entry and the piece of each row; an entry's own row has no piece."""
        at = 0
        for entry in range(len(self.base.entries)):
            rows = 1 + (len(self.pieces(entry)) if entry in self.open else 0)
            for row in range(max(start - at, 0), min(end - at, rows)):
                yield entry, row - 1
            at += rows
            if at >= end:
                return

    def _row(self, number: int, piece: int) -> dict[str, Any]:
        entry = self.base.entries[number]
        if piece == OFF:
            return {
                "key": f"{number}",
                "title": entry.key or entry.id or "untitled",
                "words": short(" ".join(masked_beginning(entry.content, 4 * WORDS).split()), WORDS),
                "source": entry.source or "",
                "kind": entry.kind,
                "pieces": len(self.pieces(number)),
                "characters": len(entry.content),
                "tags": list(entry.tag_names[:8]),
                "on": entry.enabled,
                "open": number in self.open,
            }
        chunk = self.pieces(number)[piece]
        text = masked_in_place(entry.content)[chunk.start : chunk.end].strip("\r\n")
        return {
            "key": f"{number}.{piece}",
            "number": piece + 1,
            "place": chunk.place,
            "text": text if len(text) <= LONGEST else f"{text[:LONGEST]}…",
            "characters": chunk.end - chunk.start,
            "on": entry.enabled,
        }
