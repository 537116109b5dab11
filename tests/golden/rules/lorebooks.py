"""SillyTavern's lorebooks: a second reader, slow and plain, from what SillyTavern itself does with its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.lorebooks import EMPTY_FILTER, IN_EXTENSIONS, raw_of, same_thrice
from tests.golden.rules.rule import Rule

POSITIONS = ("before_char", "after_char", "before_an", "after_an", "at_depth", "before_em", "after_em", "outlet")
SIX = r"(char|user|persona|description|scenario|world)"
MATCH = tuple(name for name in IN_EXTENSIONS.values() if name.startswith("match") and name != "matchWholeWords")
PLAIN: Data = {
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "role": 0,
    "selectiveLogic": 0,
    "group": "",
    "groupWeight": 100,
    "automationId": "",
    "outletName": "",
    "triggers": [],
    **dict.fromkeys(MATCH, False),
    **dict.fromkeys(("vectorized", "excludeRecursion", "preventRecursion", "delayUntilRecursion"), False),
    **dict.fromkeys(("groupOverride", "ignoreBudget"), False),
}


def ours(case: Case) -> Any:
    """What SillyTavern makes of the book, with a number of its own for every entry."""
    found: dict[str, Data] = {}
    pairs = list(_pairs(case))
    free = max([len(pairs) - 1, *(uid for uid, _ in pairs if isinstance(uid, int))]) + 1 if pairs else 0
    for uid, raw in pairs:
        own = uid
        if str(own) in found:
            own, free = free, free + 1
        found[str(own)] = _entry(raw, own)
    return same_thrice(found)


def _entries(case: Case) -> list[Data]:
    entries = raw_of(case.input).get("entries") or []
    return list(entries.values()) if isinstance(entries, dict) else entries


def _pairs(case: Case) -> list[tuple[int | str, Data]]:
    return [(_uid(raw, index), raw) for index, raw in enumerate(_entries(case))]


def _uid(raw: Data, index: int) -> int | str:
    said = next((raw[name] for name in ("uid", "id") if raw.get(name) not in (None, "")), index)
    return int(said) if str(said).isdecimal() else said


def _entry(raw: Data, uid: int | str) -> Data:
    extensions = raw.get("extensions") or {}
    of_card = _is_of_card(raw)
    entry: Data = {"uid": uid, "comment": raw.get("comment") or "", "constant": bool(raw.get("constant"))}
    entry["content"] = re.sub(rf"(?i)<{SIX}>", r"{{\1}}", raw.get("content") or "")
    entry["content"] = re.sub(rf"(?i)\{{\{{{SIX}\}}\}}", lambda found: found[0].lower(), entry["content"])
    entry["key"] = _texts(raw.get("key") or raw.get("keys") or [])
    entry["keysecondary"] = _texts(raw.get("keysecondary") or raw.get("secondary_keys") or [])
    entry["selective"] = raw.get("selective", not of_card)
    entry["order"] = raw.get("insertion_order", raw.get("order", 100))
    entry["disable"] = raw.get("disable", raw.get("disabled", raw.get("enabled", True) is False))
    entry["characterFilter"] = raw.get("characterFilter") or raw.get("character_filter") or EMPTY_FILTER
    entry["delayUntilRecursionLevel"] = raw.get("delayUntilRecursionLevel", 1)
    for key, name in IN_EXTENSIONS.items():
        said = extensions.get(key) if extensions.get(key) is not None else raw.get(name)
        entry[name] = PLAIN.get(name) if said is None else said
    entry["position"] = _position(entry["position"], of_card)
    return entry


def _is_of_card(raw: Data) -> bool:
    return "keys" in raw and "key" not in raw


def _loses_keys(case: Case) -> bool:
    """Whether the reference wrote a book and then found no keys in it."""
    said = any(raw.get("key") or raw.get("keys") for raw in _entries(case))
    return said and not any(entry.get("key") or entry.get("keys") for entry in case.expected["entries"].values())


def _texts(said: Any) -> list[str]:
    return [part.strip() for part in said.split(",") if part.strip()] if isinstance(said, str) else said


def _position(said: Any, of_card: bool) -> int:
    if isinstance(said, int):
        return said
    word = str(said).lower()
    if word.isdecimal():
        return int(word)
    return 4 if word == "depth" else POSITIONS.index(word) if word in POSITIONS else int(of_card)


# --- the rules


def _some(test: Callable[[Data], bool]) -> Callable[[Case], bool]:
    return lambda case: any(test(raw) for raw in _entries(case))


def _leaves_defaults(raw: Data) -> bool:
    extensions = raw.get("extensions") or {}
    names = {"groupWeight": "group_weight", "matchScenario": "match_scenario"}
    names |= {"matchCharacterDescription": "match_character_description"}
    names |= {"matchCharacterPersonality": "match_character_personality"}
    return any(name not in raw and key not in extensions for name, key in names.items())


def _names_a_position(raw: Data) -> bool:
    said = raw.get("position")
    return isinstance(said, str) and (said.isdecimal() or said.lower() == "at_depth")


def _repeats_a_uid(case: Case) -> bool:
    uids = [str(uid) for uid, _ in _pairs(case)]
    return len(uids) != len(set(uids))


FILES = ("st_worldbook",)
RULES = (
    Rule(
        "systems 5.4: defaults",
        "A group weighs 100 and the character's texts aren't searched unless an entry says so, as in SillyTavern; the "
        "reference's defaults let descriptions call entries up.",
        FILES,
        _some(_leaves_defaults),
        ours,
    ),
    Rule(
        "systems 5.4: keys of cards",
        "Entries of cards have `keys`, and mean what they mean to SillyTavern; the reference reads them without keys.",
        FILES,
        lambda case: any(map(_is_of_card, _entries(case))) or _loses_keys(case),
        ours,
    ),
    Rule(
        "systems 5.4: positions",
        "`at_depth` and a number in quotes are positions; the reference puts such entries before the character.",
        FILES,
        _some(_names_a_position),
        ours,
    ),
    Rule(
        "systems 5.4: cooldown",
        "`cooldown` is read; the reference looks for it under a misspelt name.",
        FILES,
        _some(lambda raw: bool({"cooldown", "coldown"} & (raw.get("extensions") or {}).keys())),
        ours,
    ),
    Rule(
        "systems 5.4: uids",
        "Every entry keeps a uid of its own: a word stays one, and of two equal ones the second gets the next number; "
        "the reference makes NaN of words and overwrites entries.",
        FILES,
        lambda case: _repeats_a_uid(case) or any(isinstance(uid, str) for uid, _ in _pairs(case)),
        ours,
    ),
)
