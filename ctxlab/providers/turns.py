"""Messages as turns of one role, for vendors whose histories alternate between the user and the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from ctxlab.context import Draft, Text
from ctxlab.display.short_texts import counted
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.place import JsonPath

MOST_KEYS = 8
"""Keys that a sentence lists."""


@dataclass(slots=True, eq=False)
class Block:
    """One part of a turn. `places` are paths from the part itself, with the text whose characters stand there."""

    value: dict[str, Any]
    draft: Draft
    places: tuple[tuple[JsonPath, Text | None], ...] = ()
    first: bool = False  # put before the others of its turn: a result of a call

    def put_places(self, at: JsonPath, out: BodyWriter) -> None:
        """Record its places, once it is known where it stands."""
        for path, text in self.places:
            out.place((*at, *path), self.draft, text)


@dataclass(slots=True, eq=False)
class Turn:
    """Neighbouring messages of one role; each message's words stay parts of their own."""

    role: str
    blocks: list[Block] = field(default_factory=list[Block])

    def in_order(self) -> list[Block]:
        """Its parts, results of calls before all others."""
        if not any(block.first for block in self.blocks):
            return self.blocks
        return [*(b for b in self.blocks if b.first), *(b for b in self.blocks if not b.first)]


def grouped(messages: Iterable[tuple[str, Sequence[Block]]]) -> list[Turn]:
    """Messages, each its role and parts, as turns: neighbours of one role are one. Those without parts are none."""
    turns: list[Turn] = []
    for role, blocks in messages:
        if not blocks:
            continue
        if turns and turns[-1].role == role:
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(Turn(role, list(blocks)))
    return turns


def leading_systems(drafts: Sequence[Draft]) -> int:
    """The number of system messages at the head."""
    return next((i for i, draft in enumerate(drafts) if draft.role != "system"), len(drafts))


def lose_speakers(drafts: Sequence[Draft], vendor: str, out: BodyWriter) -> None:
    """Record a loss for each speaker of a group, where a vendor has no field for a speaker's name."""
    keys: dict[str, list[str]] = {}
    for draft in drafts:
        if draft.speaker:
            keys.setdefault(draft.speaker, []).append(draft.key)
    for speaker, of in keys.items():
        more = f" and {len(of) - MOST_KEYS:,} more" if len(of) > MOST_KEYS else ""
        where = f"{', '.join(of[:MOST_KEYS])}{more}"
        reason = f"{vendor} has no field for a speaker's name; {counted(len(of), 'message')} without it ({where})"
        out.lose("name", speaker, reason, key=of[0])


def note_nameless(files: int, vendor: str, out: BodyWriter) -> None:
    """Note the files whose names have no field in a vendor's form."""
    if files:
        text = f"{vendor} has no field for the name of {counted(files, 'file')} that it gets"
        out.notes.append(Note("info", text))


def lose_empty(draft: Draft, vendor: str, out: BodyWriter) -> None:
    """Record that a message without anything to send is left out."""
    out.lose("part", "an empty message", f"{vendor} takes no message without content; it is left out", key=draft.key)
