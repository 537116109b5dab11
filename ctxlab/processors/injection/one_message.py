"""Drafts of one place as one message: in-chat presets, the author's note, and lore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import groupby

from ctxlab.context import AssetRef, Cause, Draft, Origin, Text
from ctxlab.context.draft_message import merged_draft
from ctxlab.lazy_dataclass import dataclass

LINE = "\n"


class Section(IntEnum):
    """The sections of a message inside the history, in their order."""

    PROMPTS = 0
    PERSONA_ABOVE_NOTE = 1
    ABOVE_NOTE = 2
    NOTE = 3
    BELOW_NOTE = 4
    PERSONA_BELOW_NOTE = 5
    CARD = 6
    PERSONA = 7
    LORE = 8


_AROUND_NOTE = (Section.ABOVE_NOTE, Section.NOTE, Section.BELOW_NOTE)
_PERSONA_AROUND = (Section.PERSONA_ABOVE_NOTE, Section.PERSONA_BELOW_NOTE)


@dataclass(frozen=True, slots=True)
class Seat:
    """The message that a draft is part of, by its place in words, and its section there.

    `is_trimmed` messages lose the blanks around each section, as those inside the history do.
    """

    message: str
    section: Section = Section.LORE
    is_trimmed: bool = False


@dataclass(frozen=True, slots=True)
class Joiner:
    """Makes one message of neighbours with the same seat; `processor` signs the seams."""

    processor: str
    seats: Mapping[str, Seat]

    def message_of(self, draft: Draft) -> str:
        """The message that a draft is part of; empty for one that stays alone."""
        seat = self.seats.get(draft.key) if draft.placement is not None else None
        return seat.message if seat is not None else ""

    def joined(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts, neighbours of one message as one draft that lists them in `merged`."""
        out: list[Draft] = []
        for message, run in groupby(drafts, key=self.message_of):
            parts = list(run)
            out.extend([self._whole(message, parts)] if message else parts)
        return out

    def _whole(self, message: str, run: list[Draft]) -> Draft:
        cause = Cause(self.processor, "one-message", f"what goes to {message} is one message")
        seats = [self.seats[draft.key] for draft in run]
        text = _text([draft.text for draft in run], seats, Text.of(LINE, Origin("separator", "one-message"), cause))
        files = [part for draft in run for part in draft.body if isinstance(part, AssetRef)]
        whole = run[0] if len(run) == 1 else merged_draft(run, separator=LINE, cause=cause)
        if len(run) == 1 and text is run[0].text:
            return whole
        return replace(whole, body=(text, *files))


def _text(texts: Sequence[Text], seats: Sequence[Seat], line: Text) -> Text:
    by_section: dict[Section, list[Text]] = {}
    for text, seat in zip(texts, seats, strict=True):
        by_section.setdefault(seat.section, []).append(text)
    sections = {section: Text.join(line, found) for section, found in by_section.items()}
    note = _with_persona_around(sections, _with_lore_around(sections, line), line)
    if note is not None:
        gone = (*_AROUND_NOTE, *_PERSONA_AROUND)
        sections = {section: text for section, text in sections.items() if section not in gone}
        sections[Section.NOTE] = note
    ordered = [sections[section] for section in sorted(sections)]
    if seats[0].is_trimmed:
        ordered = [text for text in map(trimmed, ordered) if text]
    return ordered[0] if len(ordered) == 1 else Text.join(line, ordered)


def _with_lore_around(sections: Mapping[Section, Text], line: Text) -> Text | None:
    """The note between the lore above and below it: each has a line break, also where one of the three is empty."""
    if Section.ABOVE_NOTE not in sections and Section.BELOW_NOTE not in sections:
        return None
    whole = Text.join(line, [sections.get(section, Text()) for section in _AROUND_NOTE])
    words = str(whole)
    return whole.cut(int(words.startswith(LINE)), len(words) - int(words.endswith(LINE) and len(words) > 1))


def _with_persona_around(sections: Mapping[Section, Text], note: Text | None, line: Text) -> Text | None:
    """The note and its lore with the persona above or below both, each on lines of its own."""
    above, below = (sections.get(section) for section in _PERSONA_AROUND)
    if above is None and below is None:
        return note
    inside = note if note is not None else sections.get(Section.NOTE, Text())
    return Text.join(line, [text for text in (above, inside, below) if text is not None])


def trimmed(text: Text) -> Text:
    """The text without blanks at either end."""
    words = str(text)
    start = len(words) - len(words.lstrip())
    return text.cut(start, len(words.rstrip())) if words.strip() else Text()
