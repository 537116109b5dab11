"""A change applied to a scan's input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook.counterfactual.change import NearestChange
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry, with_fields
from ctxlab.engines.worldbook.scan_input import ScanInput, ScannedMessage
from ctxlab.errors import CtxlabError


def with_change(scan_input: ScanInput, change: NearestChange, *, of: PreparedEntry | None = None) -> ScanInput:
    """The scan input with a change made; `of` is the entry that it is for, the message comes after the newest one."""
    if change.message is not None:
        added = ScannedMessage("made:message", change.message, "made:message")
        path = (*scan_input.chat.path, added.id) if scan_input.chat.path else ()
        scan_input = replace(
            scan_input, chat=replace(scan_input.chat, messages=(*scan_input.chat.messages, added), path=path)
        )
    if change.settings:
        scan_input = replace(scan_input, rules=replace(scan_input.rules, **change.settings))
    if not change.entry and not change.book:
        return scan_input
    if of is None:
        raise CtxlabError("a change of an entry or a book needs of=, the entry that it is for")
    held = scan_input.books[of.book_index]
    book = held.book
    if change.entry:
        book = with_entry(book, of.name, with_fields(book.entries[of.name], change.entry))
    if change.book:
        book = _with_book_fields(book, change.book)
    books = list(scan_input.books)
    books[of.book_index] = replace(held, book=book)
    return replace(scan_input, books=tuple(books))


def _with_book_fields(book: Worldbook, fields: Mapping[str, Any]) -> Worldbook:
    names = {field.alias or name: name for name, field in Worldbook.model_fields.items()}
    return book.with_(**{names.get(alias, alias): value for alias, value in fields.items()})


def with_entry(book: Worldbook, name: str, entry: LoreEntry) -> Worldbook:
    """The book with another entry under a name."""
    return book.model_copy(update={"entries": {**book.entries, name: entry}})
