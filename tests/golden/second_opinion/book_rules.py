"""Why entries fire in one and not in the other."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.golden.second_opinion.case import Data, entries, said, say
from tests.golden.second_opinion.rule import Right, Rule

PROMPT = ("prompt",)
DEPTH = 4


def _any_entry(has: Callable[[Data], Any]) -> Callable[[Data], bool]:
    return lambda data: any(has(entry) for entry in entries(data))


def _every_entry(change: Callable[[Data], None]) -> Callable[[Data], None]:
    def without(data: Data) -> None:
        for entry in entries(data):
            change(entry)

    return without


def _field(id: str, right: Right, field: str, usual: Any, has: Callable[[Data], Any] | None = None) -> Rule:
    """A rule on entries that say something of a field, which then says the usual."""

    def change(entry: Data) -> None:
        if applies(entry):
            say(entry, field, copy.copy(usual))

    applies = has or (lambda entry: said(entry, field))
    return Rule(id, PROMPT, right, _any_entry(applies), _every_entry(change))


def _keys(entry: Data) -> list[str]:
    return [key for field in ("key", "keysecondary") for key in _listed(said(entry, field, []))]


def _listed(keys: Any) -> list[str]:
    return keys if isinstance(keys, list) else [keys]


def _rekeyed(entry: Data, change: Callable[[str], str]) -> None:
    for field in ("key", "keysecondary"):
        keys = said(entry, field)
        if isinstance(keys, list):
            say(entry, field, [change(key) for key in keys])


def _key_rule(id: str, right: Right, has: Callable[[str], Any], change: Callable[[str], str]) -> Rule:
    return Rule(
        id,
        PROMPT,
        right,
        _any_entry(lambda entry: any(has(key) for key in _keys(entry))),
        _every_entry(lambda entry: _rekeyed(entry, change)),
    )


def _is_choosy(entry: Data) -> bool:
    """Whether more text can keep it from firing, or text of some kind doesn't count."""
    denies = said(entry, "keysecondary") and said(entry, "selectiveLogic", 0) in (1, 2)
    return bool(denies or said(entry, "excludeRecursion"))


def _calls_the_choosy(data: Data) -> bool:
    choosy = [key.lower().strip() for entry in entries(data) if _is_choosy(entry) for key in _keys(entry)]
    spoken = [entry["content"].lower() for entry in entries(data) if not said(entry, "preventRecursion")]
    return any(key in text for key in choosy for text in spoken)


def _silence(entry: Data) -> None:
    entry["content"] = f"About {said(entry, 'comment', '')!r}" if entry["content"].strip() else ""


def _place(entry: Data) -> tuple[Any, ...]:
    position = _position(entry)
    return position, said(entry, "depth", DEPTH) if position == DEPTH else None, said(entry, "order", 100)


def _position(entry: Data) -> Any:
    inside = (entry.get("extensions") or {}).get("position")
    return entry.get("position", 0) if inside is None else inside


def _has_ties(data: Data) -> bool:
    places = [_place(entry) for entry in entries(data)]
    return len(places) != len(set(places))


def _spread(data: Data) -> None:
    for number, entry in enumerate(entries(data)):
        say(entry, "order", said(entry, "order", 100) * 100 + number)


def _number(entry: Data) -> Any:
    return entry.get("uid", entry.get("id"))


def _renumber(data: Data) -> None:
    for number, entry in enumerate(entries(data)):
        entry["uid" if "uid" in entry else "id"] = number


BOOK_SETTINGS = ("scan_depth", "token_budget", "recursive_scanning")


def _drop_settings(data: Data) -> None:
    for book in data["books"]:
        for name in BOOK_SETTINGS:
            book.pop(name, None)


def _two_positions(entry: Data) -> bool:
    inside = (entry.get("extensions") or {}).get("position")
    return inside is not None and {"before_char": 0, "after_char": 1}.get(entry.get("position")) != inside


def _one_position(entry: Data) -> None:
    if _two_positions(entry):
        entry["position"] = entry["extensions"]["position"]


def _filtered(entry: Data) -> bool:
    rule = said(entry, "characterFilter") or {}
    return bool(rule.get("names") or rule.get("tags") or said(entry, "triggers"))


def _unfiltered(entry: Data) -> None:
    for name in ("characterFilter", "triggers"):
        entry.pop(name, None)


def _timed(entry: Data) -> bool:
    return any(said(entry, name) for name in ("sticky", "cooldown", "delay"))


def _untimed(entry: Data) -> None:
    for name in ("sticky", "cooldown", "delay"):
        if said(entry, name):
            say(entry, name, 0)


def _is_odd_letter(char: str) -> bool:
    return len(char.casefold()) == 1 and char.casefold() != char.lower()


def _evened(text: str) -> str:
    return "".join("x" if _is_odd_letter(char) else char for char in text)


def _even_letters(data: Data) -> None:
    for entry in entries(data):
        _rekeyed(entry, _evened)
        entry["content"] = _evened(entry["content"])
    for one in data["chat"]:
        one["text"] = _evened(one["text"])


def _some_chance(entry: Data) -> bool:
    return 0 < said(entry, "probability", 100) < 100


def _is_pattern(key: str) -> bool:
    return len(key) > 2 and key.startswith("/") and "/" in key[1:]


BOOKS = (
    Rule("what one pass calls up", PROMPT, "ctxlab", _calls_the_choosy, _every_entry(_silence)),
    Rule("equal orders", PROMPT, "ctxlab", _has_ties, _spread),
    Rule(
        "one number twice",
        PROMPT,
        "ctxlab",
        lambda data: len({_number(e) for e in entries(data)}) < len(entries(data)),
        _renumber,
    ),
    _field(
        "selective switched off",
        "ctxlab",
        "keysecondary",
        [],
        lambda entry: said(entry, "keysecondary") and not said(entry, "selective", True),
    ),
    _field(
        "further keys alone",
        "ctxlab",
        "keysecondary",
        [],
        lambda entry: said(entry, "keysecondary") and not any(_listed(said(entry, "key", []))),
    ),
    _field(
        "chance switched off", "ctxlab", "useProbability", True, lambda entry: not said(entry, "useProbability", True)
    ),
    Rule(
        "dice",
        PROMPT,
        "a choice",
        _any_entry(_some_chance),
        _every_entry(lambda entry: say(entry, "probability", 100) if _some_chance(entry) else None),
    ),
    _key_rule("patterns as keys", "ctxlab", _is_pattern, lambda key: "pattern" if _is_pattern(key) else key),
    _key_rule(
        "names as keys",
        "ctxlab",
        lambda key: "{{" in key,
        lambda key: key.replace("{{char}}", "Nova").replace("{{user}}", "Kim"),
    ),
    _key_rule("blanks around keys", "ctxlab", lambda key: key != key.strip(), str.strip),
    _key_rule("keys over two messages", "ctxlab", lambda key: "\n" in key.strip(), lambda key: key.replace("\n", "¶")),
    _field("keys in one text", "ctxlab", "key", ["dragon"], lambda entry: isinstance(said(entry, "key"), str)),
    _field("whole words", "ctxlab", "matchWholeWords", False),
    _field("scan depth of an entry", "ctxlab", "scanDepth", None, lambda entry: said(entry, "scanDepth") is not None),
    Rule(
        "settings of a book",
        PROMPT,
        "a choice",
        lambda data: any(book.get(name) is not None for book in data["books"] for name in BOOK_SETTINGS),
        _drop_settings,
    ),
    Rule(
        "letters of two kinds",
        PROMPT,
        "a choice",
        lambda data: any(map(_is_odd_letter, str(data["books"]) + str(data["chat"]))),
        _even_letters,
    ),
    _field("inclusion groups", "ctxlab", "group", ""),
    Rule("sticky, cooldown, delay", PROMPT, "ctxlab", _any_entry(_timed), _every_entry(_untimed)),
    _field("delay until recursion", "ctxlab", "delayUntilRecursion", False),
    Rule("filters and triggers", PROMPT, "ctxlab", _any_entry(_filtered), _every_entry(_unfiltered)),
    _field("decorators", "ctxlab", "content", "Decorated.", lambda entry: said(entry, "content", "").startswith("@@")),
    _field("vectors", "ctxlab", "vectorized", False),
    Rule(
        "nothing to say",
        PROMPT,
        "ctxlab",
        _any_entry(lambda entry: not entry["content"].strip()),
        _every_entry(lambda entry: entry.update(content=entry["content"].strip() or "Something.")),
    ),
    Rule("scan depth 0", PROMPT, "ctxlab", lambda data: data["depth"] == 0, lambda data: data.update(depth=1)),
    # --- where lore stands
    Rule("positions in cards", PROMPT, "ctxlab", _any_entry(_two_positions), _every_entry(_one_position)),
    _field("notes, examples, outlets", "ctxlab", "position", 0, lambda entry: _position(entry) in (2, 3, 5, 6, 7)),
)
