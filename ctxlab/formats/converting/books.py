"""Worldbooks: as ctxlab stores them, and as SillyTavern does; one book of a file."""

from __future__ import annotations

from ctxlab.documents import Worldbook
from ctxlab.formats.converting.written import Written, one_of
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.sillytavern.entry_fields import BookForm
from ctxlab.formats.sillytavern.lorebooks import lorebook_json


def write_worldbook(found: Import, pick: int | str | None) -> Written:
    return _one_book(found, pick).to_json(), _beside(found)


def write_lorebook(found: Import, pick: int | str | None, *, form: BookForm) -> Written:
    return lorebook_json(_one_book(found, pick), form=form), _beside(found)


def _beside(found: Import) -> list[Loss]:
    """What else was there; other books are left out because one was asked for."""
    held = {"session": found.sessions, "agent": found.agents, "user": found.users, "set of rules": found.rules}
    return [Loss(f"{one} {value.id!r}", "no lorebook; left out") for one, values in held.items() for value in values]


def _one_book(found: Import, pick: int | str | None) -> Worldbook:
    return one_of(
        found.books, pick, source=found.source, names=lambda book: (book.book_id, book.shown_name), noun="lorebook"
    )
