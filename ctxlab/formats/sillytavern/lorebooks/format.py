"""SillyTavern's lorebooks: its own files, and the books inside character cards.

Its own form is `{"entries": {"0": {"uid", "key", "keysecondary", ...}}}`, that of cards `{"name", "entries": [{"keys",
"secondary_keys", "extensions", ...}]}`. Other programs mix the two, so either is read wherever it stands.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from ctxlab.documents import Worldbook
from ctxlab.documents.atomic_file import replace_file
from ctxlab.documents.stored import as_json
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.session_from_messages import Names
from ctxlab.formats.sillytavern.lorebooks.entry_fields import BookForm, Data
from ctxlab.formats.sillytavern.lorebooks.reader import ABOUT, book_from, unwrapped
from ctxlab.formats.sillytavern.lorebooks.writer import book_to, form_of_book, written_form
from ctxlab.formats.source import Material, Reader, mostly, one_or_mostly

__all__ = ["READER", "book_from", "book_to", "form_of_book", "lorebook_json", "write_lorebook"]

EMPTY_BOOK_KEYS = frozenset({"originalData", "extensions", *(key for _, _, keys in ABOUT for key in keys)})
"""Keys that, next to no entries, tell a lorebook."""


def lorebook_json(book: Worldbook, *, form: BookForm | None = None) -> bytes:
    """A lorebook file in UTF-8, indented; `form` is by default the one that the book was read in, else native."""
    return as_json(book_to(book, form=form or written_form(book)), indent=2)


def write_lorebook(book: Worldbook, path: str | os.PathLike[str], *, form: BookForm | None = None) -> Path:
    """Write a lorebook file and return where it is."""
    return replace_file(path, lorebook_json(book, form=form))


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_book)


def _is_book(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    inner = unwrapped(cast("Data", data))
    stored = inner.get("entries")
    entries = list(cast("Data", stored).values()) if isinstance(stored, dict) else stored
    if entries == []:
        return len(inner) == 1 or not EMPTY_BOOK_KEYS.isdisjoint(inner)
    return mostly(entries, _is_entry)


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and not {"key", "keys"}.isdisjoint(cast("Data", value))


def read(material: Material) -> Import:
    losses = list(material.losses)
    names = Names()
    books: list[Worldbook] = []
    for place, item in material.items():
        if not isinstance(item, dict):
            losses.append(Loss(place, "no lorebook; it is left out"))
            continue
        book, found = book_from(cast("Data", item), name=material.stem, id=names.take(material.stem))
        books.append(book)
        losses += [loss.inside(place) for loss in found]
    return Import(books=tuple(books), losses=tuple(losses), format=READER.name, source=material.source)


READER = Reader("lorebook", sniff, read)
