"""What both programs are given, as plain data in SillyTavern's forms."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Data = dict[str, Any]

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared"))
REAL = SHARED / "data" / "sillytavern"


@dataclass(frozen=True, eq=False)
class Case:
    """`kind` says what is compared: a whole prompt, scripts on one text, or macros in one text."""

    kind: str
    name: str
    data: Data

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.name}"


# --- entries of a book, in either form

CARD_NAMES = {"key": "keys", "keysecondary": "secondary_keys", "order": "insertion_order"}


def entries(data: Data) -> list[Data]:
    return [entry for book in data["books"] for entry in entries_of(book)]


def entries_of(book: Data) -> list[Data]:
    found = book["entries"]
    return list(found.values()) if isinstance(found, dict) else found


def _places(entry: Data, field: str) -> list[tuple[Data, str]]:
    """Where an entry may say it: itself or its extensions, in camels or in snakes."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)
    names = dict.fromkeys([field, CARD_NAMES.get(field, field), snake])
    return [(holder, name) for holder in (entry, entry.get("extensions") or {}) for name in names]


def said(entry: Data, field: str, default: Any = None) -> Any:
    found = (holder[name] for holder, name in _places(entry, field) if holder.get(name) is not None)
    return next(found, default)


def say(entry: Data, field: str, value: Any) -> None:
    """Put it where it stands, else where SillyTavern looks."""
    place = next(((holder, name) for holder, name in _places(entry, field) if name in holder), None)
    holder, name = place or (entry.get("extensions", entry), field)
    holder[name] = value
