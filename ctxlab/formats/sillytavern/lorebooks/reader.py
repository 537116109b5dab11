"""Lorebooks from SillyTavern's JSON, in either form."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Final, cast

from ctxlab.documents import LoreEntry, Worldbook
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.lorebooks.entry import entry_from
from ctxlab.formats.sillytavern.lorebooks.entry_fields import Data
from ctxlab.formats.sillytavern.lorebooks.uids import slots_of

CARRIED: Final = "sillytavern"
DECORATORS: Final = frozenset({"@@activate", "@@dont_activate"})
"""Decorators that SillyTavern follows."""
CALLED: Final = "called"
"""Key of the name that the reader gave a book without one: it isn't written back."""

ABOUT: Final = (
    ("name", coerce.text, ("name",)),
    ("description", coerce.text, ("description",)),
    ("scan_depth", coerce.whole, ("scan_depth", "scanDepth")),
    ("token_budget", coerce.whole, ("token_budget", "tokenBudget")),
    ("recursive_scanning", coerce.flag, ("recursive_scanning", "recursiveScanning")),
)
"""Fields of the whole book, with their keys."""


def book_from(raw: Mapping[str, Any], *, name: str = "", id: str = "") -> tuple[Worldbook, list[Loss]]:
    """The book in a lorebook file or in a card, in either form; `name` and `id` are used where it has none."""
    inner = unwrapped(raw)
    losses: list[Loss] = []
    slots = slots_of(inner, losses)
    entries: dict[str, LoreEntry] = {}
    for index, slot in enumerate(slots):
        if slot.uid is None:
            losses.append(Loss(slot.place, f"{coerce.shown(slot.raw)} is no entry; it is left out"))
            continue
        entries[str(slot.uid)], found = entry_from(slot.raw, uid=slot.uid, place=slot.place, index=index)
        losses += found
        losses += _decorators(slot.raw, slot.place)
    about = _about_from(inner, losses)
    carried: Data = {CARRIED: raw}
    if not about.get("name"):
        about["name"] = carried[CALLED] = name
    return Worldbook.model_validate(
        {**about, "id": id, "entries": entries, "macro_dialect": "sillytavern", "carried": carried}
    ), losses


def _decorators(raw: Any, place: str) -> list[Loss]:
    """A loss for the decorators of a card of version 3 that begin an entry's text and have no effect in SillyTavern."""
    content = cast("Mapping[str, Any]", raw).get("content") if isinstance(raw, Mapping) else None
    lines = content.split("\n") if isinstance(content, str) and content.startswith("@@") else []
    names = [line.split()[0] for line in takewhile(lambda line: line.startswith("@@") and line.strip("@ "), lines)]
    unknown = [name for name in names if name not in DECORATORS]
    if not unknown:
        return []
    return [
        Loss(place, f"{', '.join(unknown)}: SillyTavern gives decorators no effect; they stay in the text", "content")
    ]


def unwrapped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The book inside the envelope that a file of version 3 has."""
    inner = raw.get("data")
    return cast("Mapping[str, Any]", inner) if "entries" not in raw and isinstance(inner, Mapping) else raw


def _about_from(raw: Mapping[str, Any], losses: list[Loss]) -> Data:
    values: Data = {}
    for name, read, keys in ABOUT:
        key = next((key for key in keys if raw.get(key) not in (None, "")), None)
        if key is None:
            continue
        try:
            values[name] = read(raw[key])
        except ValueError as wrong:
            losses.append(Loss(key, f"{coerce.shown(raw[key])} {wrong}; it is not used"))
    return values
