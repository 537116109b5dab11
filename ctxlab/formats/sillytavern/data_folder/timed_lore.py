"""Timed effects of lore as a chat keeps them, as the entries that fired and the messages at which they did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ctxlab.documents import LoreEntry, Session, Worldbook
from ctxlab.engines.worldbook.timing import RESTS
from ctxlab.formats.sillytavern.coerce import as_object

TIMED: Final = "timedWorldInfo"


def activations_of(metadata: Mapping[str, Any], session: Session, books: Iterable[Worldbook]) -> dict[str, str]:
    """By key of an entry, the id of the message that was the newest when it fired, as `activations` of a build has it.

    A chat keeps the number of messages that there were when stickiness began, and when the cooldown did. One that is
    protected began after stickiness, and is recorded as that rest.
    """
    path = [node.id for node in session.path() if not node.is_empty_root]
    effects = as_object(metadata.get(TIMED))
    found: dict[str, str] = {}
    for key, name, entry in _entries(books):
        for kind in ("cooldown", "sticky"):
            effect = as_object(as_object(effects.get(kind)).get(name))
            start, rests = effect.get("start"), effect.get("protected") is True
            if not isinstance(start, int) or not 0 < start <= len(path):
                continue
            if rests:
                found[f"{RESTS}{key}"] = path[start - 1]
            # Of stickiness that is over the chat keeps nothing; where it began doesn't matter while the entry rests.
            found[key] = path[max(0, start - 1 - (entry.sticky or 0))] if rests else path[start - 1]
    return found


def _entries(books: Iterable[Worldbook]) -> Iterator[tuple[str, str, LoreEntry]]:
    """The entries with their keys here and in a chat."""
    for book in books:
        for uid, entry in book.entries.items():
            yield f"lore:{book.book_id}/{uid}", f"{book.book_id}.{uid}", entry
