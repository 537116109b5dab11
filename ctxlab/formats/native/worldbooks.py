"""Worldbooks as ctxlab and programs of its kind store them: `{"metadata", "entries": {key: entry}}`."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.documents import LoreEntry, Worldbook, read_stored
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.values_to_export import left_out, pick_book

Data = dict[str, Any]

OWN = frozenset({"macroDialect", "carried", "modelMatch"})


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_book)


def _is_book(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("entries"), dict):
        return False
    book = cast("Data", value)
    about = book.get("metadata")
    named = isinstance(book.get("id"), str) and isinstance(book.get("name"), str)
    return named or not OWN.isdisjoint(book) or (isinstance(about, dict) and not {"id", "name"}.isdisjoint(about))


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    books: list[Worldbook] = []
    for place, item in source.items():
        if not _is_book(item):
            losses.append(Loss(place, "no worldbook; it is left out"))
            continue
        book, found = _book(cast("Data", item))
        losses += [loss.inside(place) for loss in found]
        wanted = book.book_id or source.stem
        own = names.take(wanted)
        if own != wanted:
            losses.append(Loss(place, f"book {wanted!r} is there twice; this one is {own!r} now"))
        books.append(book if own == book.book_id else book.with_(id=own))
    return Import(books=tuple(books), losses=tuple(losses))


def _book(data: Data) -> tuple[Worldbook, list[Loss]]:
    about = {key: value for key, value in data.items() if key != "entries"}
    book, notes = read_stored(Worldbook, about, place="the book")
    losses = losses_of(notes)
    entries: dict[str, LoreEntry] = {}
    for key, stored in cast("Data", data["entries"]).items():
        if not isinstance(stored, dict):
            losses.append(Loss(f"entry {key!r}", "no entry; it is left out"))
            continue
        entries[key], notes = read_stored(LoreEntry, cast("Data", stored), place=f"entry {key!r}")
        losses += losses_of(notes)
    return book.with_(entries=entries), losses


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The only book, or the picked one."""
    losses = left_out(found, ("sessions", "agents", "users", "rules", "quick_actions", "knowledge_bases"), "no lorebook; left out")
    return Export(pick_book(found, pick).to_json(), tuple(losses))


WORLDBOOK = Format(
    "worldbook", "worldbook", (".worldbook.json",), sniff=sniff, read=read, write=write, holds=("books",)
)
