"""Hits: which message or other thing was found, in which of its texts, at which characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.tokens import class_of

if TYPE_CHECKING:
    from ctxlab.storage.search.index import SearchIndex

AROUND = 60
"""Characters of a snippet before and after what was found."""
LONGEST_MATCH = 240
"""Characters of a match that a snippet shows."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some of a text on one line; `spans` are the matches in it, in characters of the line."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Match:
    """Places of one text: `spans` are first and last-but-one characters in code points, in order, at most 100."""

    field: str
    spans: tuple[tuple[int, int], ...]
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One thing that was found.

    `kind` and `id` name the stored value, `key` the thing in it: `node:<id>`, `preset:<n>`, `entry:<key>`, `rule:<n>`,
    `action:<n>`, `greeting:<n>`, or `name` for the value's own texts. `on_active_path` is True outside of sessions.
    `program` is the format and `file` the file that a session was imported from, empty where nobody knows.
    `score` is larger for better hits, and None where they are ordered by time.
    """

    kind: str
    id: str
    name: str
    key: str
    matches: tuple[Match, ...]
    role: str | None = None
    agent: str | None = None
    model: str | None = None
    time: str | None = None
    enabled: bool = True
    on_active_path: bool = True
    in_session: bool = False
    score: float | None = None
    program: str = ""
    file: str = ""
    _index: SearchIndex | None = field(default=None, repr=False, compare=False)

    @property
    def session(self) -> str | None:
        """The id of the session; None for hits elsewhere."""
        return self.id if self.in_session else None

    @property
    def node(self) -> str | None:
        """The id of the message; None for hits that are none."""
        return self.key.removeprefix("node:") if self.in_session and self.key.startswith("node:") else None

    @property
    def field(self) -> str:
        """The first of its texts that has a match: content, reasoning, call, result, translation, name, ..."""
        return self.matches[0].field

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return self.matches[0].spans

    @property
    def snippet(self) -> Snippet:
        return self.matches[0].snippet

    def path(self) -> tuple[str, ...]:
        """Ids of the messages from the root to this one, as the index knows them; empty for hits that are none."""
        return self._index.path_of(self) if self._index is not None else ()

    def row(self) -> dict[str, Any]:
        """Its row in a frame."""
        (start, end), *_ = self.spans
        return {
            "kind": self.kind,
            "id": self.id,
            "program": self.program,
            "file": self.file,
            "key": self.key,
            "role": self.role,
            "agent": self.agent,
            "model": self.model,
            "time": self.time,
            "enabled": self.enabled,
            "on_active_path": self.on_active_path,
            "where": self.field,
            "start": start,
            "end": end,
            "words": self.snippet.text,
            "score": self.score,
        }

    def __repr__(self) -> str:
        place = f"{short(self.kind)!r}, {short(self.id)!r}, {short(self.key)!r}"
        return f"SearchHit({place}, {self.field}: {short(self.snippet.text, 160)!r})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.row())


def snippet_of(text: str, spans: tuple[tuple[int, int], ...], around: int = AROUND) -> Snippet:
    """The first match with what is around it, on one line; line breaks and the like are blanks.

    A cut is at the border of a word where one is near, and an ellipsis stands for what is left out.
    """
    first, last = spans[0][0], min(spans[0][1], spans[0][0] + LONGEST_MATCH)
    start, end = max(0, first - around), min(len(text), last + around)
    start = next(_borders(text, range(start, min(start + 12, first))), start) if start else 0
    end = next(_borders(text, range(end, max(end - 12, last), -1)), end) if end < len(text) else end
    head = "…" if start else ""
    line = text[start:end]
    if not line.isprintable():
        line = "".join(c if c.isprintable() else " " for c in line)
    shift = len(head) - start
    inside = tuple((a + shift, min(b, end) + shift) for a, b in spans if start <= a < end)
    return Snippet(f"{head}{line}{'…' if end < len(text) else ''}", inside)


def _borders(text: str, places: range) -> Iterator[int]:
    """Places where no word, picture or accented letter is cut in two."""
    return (i for i in places if class_of(text[i - 1]) == " " and text[i].isalnum())
