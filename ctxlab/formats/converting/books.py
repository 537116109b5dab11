"""Worldbooks: as ctxlab stores them, and as SillyTavern does; one book of a file."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.documents import Worldbook
from ctxlab.formats.converting.written import Written, one_of
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.sillytavern.lorebooks.entry_fields import BookForm
from ctxlab.formats.sillytavern.lorebooks.format import lorebook_json


def write_worldbook(found: Import, pick: int | str | None) -> Written:
    return _one_book(found, pick).to_json(), _beside(found)


def write_lorebook(found: Import, pick: int | str | None, *, form: BookForm) -> Written:
    book = _one_book(found, pick)
    return lorebook_json(book, form=form), [*_beside(found), *_unsaid(book)]


def _unsaid(book: Worldbook) -> Iterator[Loss]:
    """What SillyTavern's books have no place for."""
    if book.model_match is not None and book.model_match.enabled:
        yield Loss("modelMatch", "a lorebook has no place for it; left out")
    for key, entry in book.entries.items():
        if entry.model_extra:
            yield Loss(f"entry {key!r}", f"{', '.join(entry.model_extra)}: no field of a lorebook's entry; left out")


def _beside(found: Import) -> list[Loss]:
    """What else was there; other books are left out because one was asked for."""
    held = {"session": found.sessions, "agent": found.agents, "user": found.users, "set of rules": found.rules}
    return [Loss(f"{one} {value.id!r}", "no lorebook; left out") for one, values in held.items() for value in values]


def _one_book(found: Import, pick: int | str | None) -> Worldbook:
    return one_of(
        found.books, pick, source=found.source, names=lambda book: (book.book_id, book.shown_name), noun="lorebook"
    )
