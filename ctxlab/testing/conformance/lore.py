"""Answers of the topic lore: which entries fire, in which order, and what stopped the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.engines.worldbook import ActiveBook, Chat, ScanInput, ScannedMessage, ScanSettings, scan
from ctxlab.testing.conformance.conversation import BOOK, book_of
from ctxlab.testing.conformance.counter import DeclaredCounter

Json = Mapping[str, Any]
SETTINGS: Mapping[str, str] = {
    "scanDepth": "scan_depth",
    "recursion": "recursion",
    "maxPasses": "max_passes",
    "caseSensitive": "case_sensitive",
    "wholeWords": "whole_words",
    "groupScoring": "group_scoring",
    "budget": "budget_tokens",
    "overflow": "overflow",
}


def decided(given: Json) -> dict[str, Any]:
    """The uids of the entries that fire, first come first, and for each other one the gate that stopped it."""
    rules = ScanSettings(**{SETTINGS[name]: value for name, value in given.get("settings", {}).items()})
    messages = tuple(
        ScannedMessage(f"node:{each['id']}", each.get("content", ""), each["id"]) for each in given["messages"]
    )
    chat = Chat(
        messages,
        about={"persona": given.get("persona", "")},
        names=(given["character"],) if "character" in given else (),
        user=given.get("user", ""),
        trigger=given.get("trigger", "normal"),
        activations={f"lore:{BOOK}/{uid}": at for uid, at in given.get("firedAt", {}).items()},
        path=tuple(each["id"] for each in given["messages"]),
    )
    dice: Json = given.get("dice", {})

    def thrown(id: str) -> float:
        name = id.removeprefix(f"lore:{BOOK}/")
        return float(dice[f"group:{id.partition(':')[2]}" if id.startswith("lore-group:") else name])

    books = (ActiveBook(book_of(given["entries"], given.get("bookBudget"))),)
    found = scan(ScanInput(books, chat, rules, thrown, DeclaredCounter.of(given.get("counter")).count))
    return {
        "fired": [decision.lore.entry.uid for decision in found.fired],
        "blocked": {str(each.lore.entry.uid): each.gate for each in found.decisions if not each.fired},
        "spent": found.spent_tokens,
    }
