"""Books that are there twice: the same under two ids, or with entries in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, TypeAlias

from ctxlab.display.short_texts import counted
from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.documents.stored import Note

Signature: TypeAlias = tuple[tuple[str, ...], str]
"""The keys and the content of an entry."""

OF_THE_FILE: Final = frozenset({"id", "name", "metadata", "description", "entries", "carried"})
"""Fields of a book that decide nothing in a scan, and its entries, which are compared one by one."""

OF_AN_ENTRY: Final = frozenset(
    {"uid", "key", "keys", "comment", "content", "display_index", "automation_id", "use_probability", "probability"}
)
"""Fields of an entry that decide nothing in a scan, and those that are compared in another way."""


def books_taken_once(
    books: Sequence[Worldbook], *, named: Collection[str]
) -> tuple[tuple[Worldbook, ...], tuple[Note, ...]]:
    """The books without those that say the same as another in every scan, and a note on each that goes.

    Of two the one stays whose id is among `named`, else the first.
    """
    kept: list[Worldbook] = []
    notes: list[Note] = []
    for book in books:
        at = next((at for at, other in enumerate(kept) if _are_the_same(other, book)), None)
        if at is None:
            kept.append(book)
            continue
        both = f"books {kept[at].book_id!r} and {book.book_id!r} have the same entries"
        if book.book_id in named and kept[at].book_id not in named:
            kept[at] = book
        notes.append(Note("info", f"{both}; they are taken once, as {kept[at].book_id!r}"))
    return (tuple(books) if not notes else tuple(kept)), tuple(notes)


def books_with_entries_in_common(books: Sequence[Worldbook]) -> tuple[Note, ...]:
    """A note for each two books under different ids that have entries of the same keys and contents."""
    if len(books) < 2:
        return ()
    first: dict[Signature, Worldbook] = {}
    notes: list[Note] = []
    for book in books:
        shared: Counter[str] = Counter()
        for signature in map(_signature, book.entries.values()):
            known = first.setdefault(signature, book)
            if known.book_id != book.book_id:
                shared[known.book_id] += 1
        notes += [_in_common(id, book, count) for id, count in shared.items()]
    return tuple(notes)


def _in_common(id: str, book: Worldbook, count: int) -> Note:
    same = "the same entries" if count == len(book.entries) else f"{counted(count, 'entry', 'entries')} in common"
    text = f"books {id!r} and {book.book_id!r} have {same}; in a build with both, what fires is sent twice"
    return Note("warning", f"{text}: leave one of them out")


def _are_the_same(one: Worldbook, other: Worldbook) -> bool:
    """Whether two books under different ids make the same of every conversation."""
    if one.book_id == other.book_id or not one.entries or len(one.entries) != len(other.entries):
        return False
    pairs = list(zip(one.entries.values(), other.entries.values(), strict=True))
    if any(_signature(a) != _signature(b) for a, b in pairs):
        return False
    of_book = [name for name in Worldbook.model_fields if name not in OF_THE_FILE]
    return all(_in_force(a) == _in_force(b) for a, b in pairs) and all(
        getattr(one, name) == getattr(other, name) for name in of_book
    )


def _signature(entry: LoreEntry) -> Signature:
    return entry.all_keys, entry.content


def _in_force(entry: LoreEntry) -> dict[str, Any]:
    """The fields of an entry that decide whether it fires and where it goes."""
    fields = {name: getattr(entry, name) for name in LoreEntry.model_fields if name not in OF_AN_ENTRY}
    return {**fields, "role": entry.role_name, "chance": entry.probability if entry.use_probability else 100}


__all__ = ["books_taken_once", "books_with_entries_in_common"]
