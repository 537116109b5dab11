"""SillyTavern's lorebooks: its own files, and the books inside character cards.

Its own form is `{"entries": {"0": {"uid", "key", "keysecondary", ...}}}`, that of cards `{"name", "entries": [{"keys",
"secondary_keys", "extensions", ...}]}`. Other programs mix the two, so either is read at either place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast

from ctxlab.documents import Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import converted
from ctxlab.formats.sillytavern.lorebooks.entry_fields import BookForm, Data
from ctxlab.formats.sillytavern.lorebooks.other_programs import as_sillytavern, program_of
from ctxlab.formats.sillytavern.lorebooks.reader import ABOUT, book_from, unwrapped
from ctxlab.formats.sillytavern.lorebooks.writer import book_to, form_of_book, written_form
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import left_out, pick_book

__all__ = ["CHARACTER_BOOK", "LOREBOOK", "book_from", "book_to", "form_of_book", "lorebook_json"]

EMPTY_BOOK_KEYS = frozenset({"originalData", "extensions", *(key for _, _, keys in ABOUT for key in keys)})
"""Keys by which a book without entries is recognised."""
KEYS: Final = ("key", "keys", "keysecondary", "secondkey", "secondary_keys")
"""Fields of words that call an entry up, which may be one text for all of them."""
BOOKKEEPING: Final = frozenset({"position", "spec"})
"""Fields that no model reads."""


def lorebook_json(book: Worldbook, *, form: BookForm | None = None) -> Export[bytes]:
    """A lorebook file in UTF-8, indented; `form` is by default the one that the book was read in, else native."""
    data = book_to(book, form=form or written_form(book))
    return Export(as_json(data, indent=2), tuple(_without_place(book)))


def _without_place(book: Worldbook) -> Iterator[Loss]:
    """A loss for each field of a book that SillyTavern's books have no place for."""
    if book.model_match is not None and book.model_match.enabled:
        yield Loss("modelMatch", "a lorebook has no place for it; left out")
    for key, entry in book.entries.items():
        if entry.model_extra:
            yield Loss(f"entry {key!r}", f"{', '.join(entry.model_extra)}: no field of a lorebook's entry; left out")


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_book)


def _is_book(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    if program_of(data) is not None:
        return True
    inner = unwrapped(cast("Data", data))
    stored = inner.get("entries")
    entries = list(cast("Data", stored).values()) if isinstance(stored, dict) else stored
    if entries == []:
        return len(inner) == 1 or not EMPTY_BOOK_KEYS.isdisjoint(inner)
    return mostly(entries, _is_entry)


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and not {"key", "keys"}.isdisjoint(cast("Data", value))


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    books: list[Worldbook] = []
    for place, item in source.items():
        if not isinstance(item, dict):
            losses.append(Loss(place, "no lorebook; it is left out"))
            continue
        others: list[Loss] = []
        raw = as_sillytavern(cast("Data", item), others)
        book, found = book_from(raw, name=source.stem, id=names.take(source.stem))
        books.append(book)
        losses += [loss.inside(place) for loss in (*others, *found)]
    return with_unsent_texts(
        Import(books=tuple(books), losses=tuple(losses)), source, BOOKKEEPING, converted, taken=KEYS
    )


def write(found: Import, pick: Pick, *, form: BookForm) -> Export[bytes]:
    """The only book, or the picked one."""
    export = lorebook_json(pick_book(found, pick), form=form)
    return export.after(
        left_out(
            found, ("sessions", "agents", "users", "rules", "quick_actions", "knowledge_bases"), "no lorebook; left out"
        )
    )


LOREBOOK = Format(
    "lorebook",
    "lorebook",
    (".lorebook.json",),
    sniff=sniff,
    read=read,
    write=partial(write, form="native"),
    holds=("books",),
)
CHARACTER_BOOK = Format(
    "character-book",
    "lorebook",
    (".character_book.json",),
    write=partial(write, form="character_book"),
    holds=("books",),
)
"""The form of the books inside character cards; `LOREBOOK` reads both."""
