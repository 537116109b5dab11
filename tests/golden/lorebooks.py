"""SillyTavern's lorebooks: the cases through ctxlab's public API.

A case is compared thrice: the book as it was read, as it is written into a card, and as that is read again. The
reference's result is one of the three, and the three must mean the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.documents import LoreEntry, Worldbook
from ctxlab.formats.sillytavern.card_fields import converted
from ctxlab.formats.sillytavern.lorebooks.format import book_from, book_to
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).resolve().parents[3] / "shared"))
EMPTY_FILTER = {"isExclude": False, "names": [], "tags": []}
UNSAID = {"role": 0, "delayUntilRecursionLevel": 1, "characterFilter": EMPTY_FILTER}
"""What the reference writes where ours says nothing."""

IN_EXTENSIONS = {
    "position": "position",
    "role": "role",
    "depth": "depth",
    "probability": "probability",
    "useProbability": "useProbability",
    "selectiveLogic": "selectiveLogic",
    "vectorized": "vectorized",
    "exclude_recursion": "excludeRecursion",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "group": "group",
    "group_weight": "groupWeight",
    "group_override": "groupOverride",
    "use_group_scoring": "useGroupScoring",
    "scan_depth": "scanDepth",
    "case_sensitive": "caseSensitive",
    "match_whole_words": "matchWholeWords",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "automation_id": "automationId",
    "outlet_name": "outletName",
    "triggers": "triggers",
    "ignore_budget": "ignoreBudget",
    "match_persona_description": "matchPersonaDescription",
    "match_character_description": "matchCharacterDescription",
    "match_character_personality": "matchCharacterPersonality",
    "match_character_depth_prompt": "matchCharacterDepthPrompt",
    "match_scenario": "matchScenario",
    "match_creator_notes": "matchCreatorNotes",
}
SAME = ("uid", "comment", "content", "constant", "selective")
NAMES = (
    *SAME,
    "key",
    "keysecondary",
    "order",
    "disable",
    "delayUntilRecursionLevel",
    "characterFilter",
    *IN_EXTENSIONS.values(),
)


def raw_of(data: Data) -> Data:
    """The book that a case is about; a file of SillyTavern's may not be at hand."""
    if "raw" in data:
        return data["raw"]
    path = SHARED / "data" / "sillytavern" / data["file"]
    if not path.is_file():
        pytest.skip(f"the case is about {path}, which is not at hand")
    return json.loads(path.read_bytes())


def same_thrice(entries: Any) -> Data:
    return {"read": entries, "written": entries, "read again": entries}


# --- st_worldbook


def _normalised(data: Data) -> Data:
    book, _ = book_from(raw_of(data))
    written = book_to(book.without("carried"), form="character_book")
    again, _ = book_from(written)
    return {
        "read": _under_own_uids(book, map(_of_entry, book.entries.values())),
        "written": _under_own_uids(book, map(_of_card, written["entries"])),
        "read again": _under_own_uids(book, map(_of_entry, again.entries.values())),
    }


def _under_own_uids(book: Worldbook, entries: Iterable[Data]) -> Data:
    """The entries by the book's uids: cards want numbers."""
    pairs = zip(book.entries.items(), entries, strict=True)
    return {key: {**entry, "uid": own.uid} for (key, own), entry in pairs}


def _normal(case: Case) -> Data:
    entries = case.expected["entries"]
    return same_thrice({key: _filled(_of_card(e) if "keys" in e else e) for key, e in entries.items()})


def _of_entry(entry: LoreEntry) -> Data:
    return _filled(entry.model_dump(by_alias=True, mode="json"))


def _of_card(entry: Data) -> Data:
    """An entry as cards have it, by the names of SillyTavern's own files."""
    extensions = entry["extensions"]
    return _filled(
        {
            **{name: entry[name] for name in SAME if name in entry},
            **({"uid": entry["id"]} if "id" in entry else {}),
            "key": entry["keys"],
            "keysecondary": entry["secondary_keys"],
            "order": entry["insertion_order"],
            "disable": not entry["enabled"],
            "characterFilter": entry.get("character_filter"),
            "delayUntilRecursionLevel": extensions.get("delay_until_recursion_level"),
            **{name: extensions.get(key) for key, name in IN_EXTENSIONS.items()},
        }
    )


def _filled(entry: Data) -> Data:
    found = {name: entry.get(name) for name in NAMES}
    empty = {"automationId": "", "outletName": "", "triggers": [], "ignoreBudget": False}
    empty |= {name: False for name in NAMES if name.startswith("match") and name != "matchWholeWords"}
    return {name: {**UNSAID, **empty}.get(name) if value is None else value for name, value in found.items()}


# --- st_worldbook_native, st_macro_convert


def _native(data: Data) -> Data:
    book, losses = book_from(raw_of(data))
    assert losses == []
    return book_to(book, form="native")["entries"]


ADAPTERS: dict[str, Adapter] = {
    "st_worldbook": Adapter(_normalised, _normal),
    "st_worldbook_native": Adapter(_native, lambda case: case.expected["entries"]),
    "st_macro_convert": Adapter(lambda data: converted(data["text"]), lambda case: case.expected),
}
