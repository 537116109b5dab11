"""A book as a table: entries filtered and picked, many changed at once, taken back, and saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.documents import Worldbook
from ctxlab.documents.lore import POSITIONS, LoreEntry
from ctxlab.errors import CtxlabError

FIELDS = ("enabled", "order", "depth", "position", "group", "probability")
"""Fields that can be changed in many entries at once."""
MOST_STEPS = 50
"""Changes that can be taken back."""


class BookTable:
    """The state of a book that is edited: itself, what was before, the entries that are picked, and the filter."""

    def __init__(self, book: Worldbook) -> None:
        self.book = self.saved = book
        self.picked: set[str] = set()
        self.group = self.position = self.find = ""
        self._before: list[Worldbook] = []
        self.last_change = ""

    @property
    def is_changed(self) -> bool:
        return self.book != self.saved

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    def keys(self) -> list[str]:
        """Keys of the entries that the filter lets through, in the order of the book."""
        words = self.find.casefold().split()
        return [key for key, entry in self.book.entries.items() if self._is_shown(entry, words)]

    def _is_shown(self, entry: LoreEntry, words: Sequence[str]) -> bool:
        if self.position and _position(entry) != self.position:
            return False
        if self.group and entry.group != self.group.removeprefix("group:"):
            return False
        text = "\n".join((entry.title, *entry.all_keys, entry.content)).casefold() if words else ""
        return all(word in text for word in words)

    def filter(self, *, group: str, position: str, find: str) -> None:
        """Show the entries of a group (`group:` and its name), of a position by name, and with all these words."""
        self.group, self.position, self.find = group, position, find

    def pick(self, keys: Iterable[str], *, on: bool) -> None:
        """Pick entries, or let them go; keys that the book hasn't are left out."""
        known = {key for key in keys if key in self.book.entries}
        self.picked = self.picked | known if on else self.picked - known

    def change(self, field: str, value: object) -> None:
        """Put a value into a field of all picked entries that are shown. Raises CtxlabError."""
        picked = [key for key in self.keys() if key in self.picked]
        if not picked:
            raise CtxlabError("pick the entries to be changed first")
        fields = fields_of(field, value)
        entries = dict(self.book.entries)
        changed = 0
        for key in picked:
            entry = entries[key].changed(fields)
            changed += entry != entries[key]
            entries[key] = entry
        if changed:
            self._take(self.book.model_copy(update={"entries": entries}))
        self.last_change = f"{field} of {counted(changed, 'entry', 'entries')} changed"

    def _take(self, book: Worldbook) -> None:
        self._before = [*self._before[1 - MOST_STEPS :], self.book]
        self.book = book

    def undo(self) -> None:
        """The book as it was before the last change. Raises CtxlabError."""
        if not self._before:
            raise CtxlabError("no change of this book can be taken back")
        self.book = self._before.pop()
        self.last_change = "taken back"

    def saved_as(self, book: Worldbook) -> None:
        """Go on with what was saved: nothing from before belongs to it."""
        self.book = self.saved = book
        self._before = []
        self.picked &= set(book.entries)

    def as_data(self, id: str) -> dict[str, Any]:
        """The head of the table for a page; its rows come apart."""
        entries = self.book.entries.values()
        shown = self.keys()
        return {
            "id": id,
            "name": self.book.shown_name,
            "entries": len(self.book.entries),
            "total": len(shown),
            "picked": sum(key in self.picked for key in shown),
            "changed": self.is_changed,
            "undo": self.can_undo,
            "said": self.last_change,
            "groups": sorted({entry.group for entry in entries if entry.group}),
            "positions": list(POSITIONS),
            "filter": {"group": self.group, "position": self.position, "find": self.find},
        }

    def rows(self, start: int, count: int) -> list[dict[str, Any]]:
        """Some rows that the filter lets through."""
        return [self._row(key) for key in self.keys()[start : start + count]]

    def _row(self, key: str) -> dict[str, Any]:
        entry = self.book.entries[key]
        before = self.saved.entries.get(key)
        return {
            "key": key,
            "title": entry.title,
            "keys": ", ".join(entry.all_keys),
            "on": not entry.disable,
            "constant": entry.constant,
            "order": _number(entry.order),
            "depth": entry.depth,
            "position": _position(entry),
            "group": entry.group,
            "probability": _number(entry.probability),
            "picked": key in self.picked,
            "changed": entry != before,
        }


def fields_of(field: str, value: object) -> Mapping[str, Any]:
    """The fields of an entry that a change by a person means. Raises CtxlabError for what a field doesn't take."""
    match field, value:
        case "enabled", bool():
            return {"disable": not value}
        case "group", str():
            return {"group": value}
        case "position", str() if value in POSITIONS:
            return {"position": POSITIONS.index(value)}
        case "order", int() | float() if not isinstance(value, bool) and isfinite(value):
            return {"order": value}
        case "depth", int() if not isinstance(value, bool) and 0 <= value <= 10_000:
            return {"depth": value}
        case "probability", int() | float() if not isinstance(value, bool) and 0 <= value <= 100:
            return {"probability": value, "useProbability": True}
        case _:
            raise CtxlabError(_refusal(field, value))


def _refusal(field: str, value: object) -> str:
    takes = {
        "enabled": "on or off",
        "order": "a number",
        "depth": "a whole number from 0 to 10,000",
        "position": "one of " + ", ".join(POSITIONS),
        "group": "a text",
        "probability": "a number from 0 to 100",
    }
    if field not in takes:
        return f"{field[:40]!r} can't be changed in many entries; {', '.join(FIELDS)} can"
    return f"{field} takes {takes[field]}, not {repr(value)[:60]}"


def _position(entry: LoreEntry) -> str:
    return entry.position_name or str(entry.position)


def _number(value: float) -> float | int | None:
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value
