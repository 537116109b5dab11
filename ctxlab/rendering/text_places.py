"""The places of some words in a rendered text: whose they are, and who wrote them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ctxlab.context import Draft, Span
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import RenderedText
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.explain.provenance_text import provenance_lines, written_by
from ctxlab.prompt.merged_parts import pieces
from ctxlab.rendering.text_sources import UNTRACED

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("start", "end", "key", "part", "role", "field", "line", "written_by", "text")
FIELDS = {
    "content": "the words",
    "calls": "a call",
    "reasoning": "the thoughts",
    "name": "the name",
    "role": "the role",
}


@dataclass(frozen=True, slots=True, eq=False)
class TextPart:
    """Characters `start` up to `end` of a rendered text that are of one thing.

    `key` is the message, "" of the template's own; `part` that of the messages it was merged of which has them. `field`
    says what of it they are, `offset` their place there. `line` is the template's, None of a message and where it isn't
    known. `spans` have origin and cause.
    """

    start: int
    end: int
    key: str
    part: str
    role: str
    field: str
    offset: int | None
    line: int | None
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    @property
    def whose(self) -> str:
        """The thing that has the characters, in words."""
        if self.key:
            merged = f"{self.part}, in the merged {self.key}" if self.part != self.key else self.key
            return f"{FIELDS.get(self.field, self.field)} of {merged} ({self.role})"
        if self.field == "tools":
            return "the definitions of tools"
        if self.field == UNTRACED:
            return "not traced, so that it isn't known whose they are"
        if self.field == "special":
            return f"the model's {self.spans[0].origin.ref}"
        return f"the template's own, line {self.line}" if self.line else "the template's own"

    def __str__(self) -> str:
        lines = [f"characters {self.start}-{self.end}: {self.whose}"]
        if self.key:
            lines += ["  " + line for span in self.spans for line in provenance_lines(span)]
        return "\n".join(lines)

    def as_data(self) -> dict[str, Any]:
        """A row of a table."""
        writers = dict.fromkeys(written_by(span).removeprefix("from ") for span in self.spans)
        names = ("start", "end", "key", "part", "role", "field", "line")
        return {**{name: getattr(self, name) for name in names}, "written_by": ", ".join(writers), "text": self.text}


@dataclass(frozen=True, slots=True, eq=False)
class TextPlace:
    """A place of some words in a rendered text, in parts of one thing each."""

    start: int
    end: int
    parts: tuple[TextPart, ...]

    def __repr__(self) -> str:
        return f"TextPlace({self.start}:{self.end}, {self.parts[0].whose if self.parts else 'nothing'})"

    def __str__(self) -> str:
        return "\n".join(map(str, self.parts))

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans of the words, each with its origin, its cause and what it replaced."""
        return tuple(span for part in self.parts for span in part.spans)

    @property
    def keys(self) -> tuple[str, ...]:
        """The messages that have a part in the words, each once."""
        return tuple(dict.fromkeys(part.key for part in self.parts if part.key))

    def _repr_html_(self) -> str:
        return heading(self) + _table((self,))


class TextPlaces(tuple[TextPlace, ...]):
    """Places of some words in a rendered text, in order; empty where they stand nowhere."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"TextPlaces({counted(len(self), 'place')})"

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "nowhere"

    def _repr_html_(self) -> str:
        return heading(self) + _table(self)

    def frame(self) -> pd.DataFrame:
        """One row a part of a place: characters, message, field, the template's line, and who wrote it."""
        return frame_of((part.as_data() for place in self for part in place.parts), COLUMNS).astype({"line": "Int64"})


def _table(places: Sequence[TextPlace]) -> str:
    rows = ([part.as_data()[name] for name in COLUMNS] for place in places for part in place.parts)
    return html_table(COLUMNS, rows, of="places", cells=200)


def places_of(rendered: RenderedText, drafts: Sequence[Draft], words: str) -> TextPlaces:
    """Every place at which some words stand."""
    text, found = str(rendered.text), list[TextPlace]()
    at = text.find(words) if words else -1
    while at >= 0:
        found.append(place_at(rendered, drafts, at, at + len(words)))
        at = text.find(words, at + 1)
    return TextPlaces(found)


def place_at(rendered: RenderedText, drafts: Sequence[Draft], start: int, end: int) -> TextPlace:
    """Characters `start` up to `end` of a text, clamped, as a place."""
    start, end = max(0, start), min(len(rendered.text), end)
    return TextPlace(start, end, tuple(_parts(rendered, drafts, start, end)))


def _parts(rendered: RenderedText, drafts: Sequence[Draft], start: int, end: int) -> Iterator[TextPart]:
    stretches = rendered.stretches
    number = max(0, bisect_right(stretches, start, key=lambda each: each.start) - 1)
    for each in stretches[number:]:
        if each.start >= end:
            return
        low, high = max(start, each.start), min(end, each.end)
        if low >= high:
            continue
        offset = each.offset + low - each.start
        if each.message is None:
            yield from _of_template(rendered, low, high, each.field if rendered.traced else UNTRACED)
        else:
            draft = drafts[each.message]
            part = _part_at(draft, offset) if each.field == "content" else draft.key
            spans = rendered.text.cut(low, high).spans
            yield TextPart(low, high, draft.key, part, draft.role, each.field, offset, None, spans)


def _of_template(rendered: RenderedText, start: int, end: int, field: str) -> Iterator[TextPart]:
    """Characters of a template, line by line."""
    spans = rendered.text.cut(start, end).spans
    ends = [start + size for size in accumulate(len(span.text) for span in spans)]
    for span, to in zip(spans, ends, strict=True):
        line = span.origin.ref.rpartition(":")[2] if span.origin.kind == "template" else ""
        number = int(line) if line.isdecimal() else None
        yield TextPart(to - len(span.text), to, "", "", "", field, None, number, (span,))


def _part_at(draft: Draft, offset: int) -> str:
    found = pieces(draft)
    number = max(0, bisect_right(found, offset, key=lambda piece: piece.start) - 1)
    return found[number].part.key


def quoted(words: str) -> str:
    """Some words in quotes, on one line."""
    return f"“{plain(words, 60)}”"
