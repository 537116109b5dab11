"""Lorebooks as SillyTavern's JSON, in either form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, cast

from ctxlab.documents import LoreEntry, Worldbook
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.lorebooks.entry import entry_to
from ctxlab.formats.sillytavern.lorebooks.entry_fields import BookForm, Data, form_of
from ctxlab.formats.sillytavern.lorebooks.reader import ABOUT, CALLED, CARRIED, book_from, unwrapped
from ctxlab.formats.sillytavern.lorebooks.uids import slots_of
from ctxlab.formats.sillytavern.roundtrip import patched


def book_to(book: Worldbook, *, form: BookForm) -> Data:
    """The book's JSON in SillyTavern's own form or in that of cards.

    A book that was read in this form gives what was read, with what changed since.
    """
    original = _original(book)
    if original is not None and form_of_book(original) == form:
        return _patched_book(original, book, form)
    base = unwrapped(original or {})
    if form == "character_book" and isinstance(card := base.get("originalData"), Mapping):
        return _patched_book(cast("Mapping[str, Any]", card), book, form)
    fresh = _fresh(book, form)
    return {**fresh, "originalData": dict(base)} if form == "native" and base else fresh


def form_of_book(raw: Mapping[str, Any]) -> BookForm:
    return "character_book" if isinstance(unwrapped(raw).get("entries"), list) else "native"


def written_form(book: Worldbook) -> BookForm:
    """The form that a book was read in, else SillyTavern's own."""
    original = _original(book)
    return form_of_book(original) if original is not None else "native"


def _original(book: Worldbook) -> Mapping[str, Any] | None:
    original = (book.carried or {}).get(CARRIED)
    return cast("Mapping[str, Any]", original) if isinstance(original, Mapping) else None


def _patched_book(original: Mapping[str, Any], book: Worldbook, form: BookForm) -> Data:
    """The JSON that was read, with the changes since."""
    raw = unwrapped(original)
    called = (book.carried or {}).get(CALLED)
    before, _ = book_from(original, name=called if isinstance(called, str) else "")
    about = patched({**raw, "entries": None}, _about_to(before, raw), _about_to(book, raw))
    entries = _patched_entries(raw, before, book, form)
    if entries or "entries" in raw:
        about["entries"] = entries if entries or isinstance(raw.get("entries"), Mapping | list) else raw["entries"]
    else:
        del about["entries"]
    return about if raw is original else {**original, "data": about}


def _patched_entries(raw: Mapping[str, Any], before: Worldbook, book: Worldbook, form: BookForm) -> Any:
    """The entries of the book, each as it was read but for what changed; what was no entry stays beside the others."""
    slots = slots_of(raw, [])
    by_key = {str(slot.uid): (n, slot) for n, slot in enumerate(slots) if slot.uid is not None}
    as_list = isinstance(raw.get("entries"), list) or (form == "character_book" and not slots)
    names = Names()
    for slot in slots:
        names.take(str(slot.at))
    pairs: list[tuple[str, Any]] = []
    strangers = [(n, slot) for n, slot in reversed(list(enumerate(slots))) if slot.uid is None]
    for key, entry in book.entries.items():
        if key not in by_key:
            pairs.append((names.take(key), entry_to(entry, form)))
            continue
        n, slot = by_key[key]
        while strangers and strangers[-1][0] < n:
            stranger = strangers.pop()[1]
            pairs.append((str(stranger.at), stranger.raw))
        pairs.append((str(slot.at), _patched_entry(slot.raw, before.entries[key], entry)))
    pairs += [(str(slot.at), slot.raw) for _, slot in reversed(strangers)]
    return [item for _, item in pairs] if as_list else dict(pairs)


def _patched_entry(raw: Mapping[str, Any], before: LoreEntry, entry: LoreEntry) -> Any:
    if before == entry:
        return raw
    form = form_of(raw)
    return patched(raw, entry_to(before, form, like=raw), entry_to(entry, form, like=raw))


def _about_to(book: Worldbook, raw: Mapping[str, Any]) -> Data:
    values = ((keys, getattr(book, name)) for name, _, keys in ABOUT)
    return {
        next((key for key in keys if raw.get(key) not in (None, "")), keys[0]): value
        for keys, value in values
        if value is not None and value != ""
    }


def _fresh(book: Worldbook, form: BookForm) -> Data:
    about = {**({"name": book.metadata.name} if book.metadata and book.metadata.name else {}), **_about_to(book, {})}
    entries = [entry_to(entry, form) for entry in _with_numbers(book)]
    if form == "character_book":
        return {**about, "extensions": {}, "entries": entries}
    return {**about, "entries": {str(entry["uid"]): entry for entry in entries}}


def _with_numbers(book: Worldbook) -> Iterator[LoreEntry]:
    """The entries with a number each as uid, and the place in the editor, which SillyTavern wants of its own files."""
    entries = list(book.entries.values())
    free = count(max((entry.uid for entry in entries if isinstance(entry.uid, int)), default=-1) + 1)
    seen: set[int] = set()
    for index, entry in enumerate(entries):
        own = entry.uid if isinstance(entry.uid, int) and entry.uid not in seen else next(free)
        seen.add(own)
        shown = index if entry.display_index is None else entry.display_index
        yield entry.model_copy(update={"uid": own, "display_index": shown})
