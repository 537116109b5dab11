"""Where the two are known to part, one by one and mixed."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

from tests.golden.second_opinion.books import ROLES, WORDS, plain, prompt
from tests.golden.second_opinion.case import Case, Data, entries, entries_of, say
from tests.golden.second_opinion.scripts import script

Trait = Callable[[Data, random.Random], None]
TRAITS: dict[str, Trait] = {}


def trait(make: Trait) -> Trait:
    TRAITS[make.__name__.replace("_", " ")] = make
    return make


def _some(data: Data, rng: random.Random) -> Iterator[Data]:
    found = entries(data)
    yield from rng.sample(found, max(1, len(found) // 2))


def _of_trait(field: str, *values: Any) -> Trait:
    def make(data: Data, rng: random.Random) -> None:
        for entry in _some(data, rng):
            say(entry, field, copy.deepcopy(rng.choice(values)))

    return make


TRAITS |= {
    "whole words": _of_trait("matchWholeWords", True),
    "scan depth of an entry": _of_trait("scanDepth", 0, 1, 5),
    "places of notes and outlets": _of_trait("position", 2, 3, 5, 6, 7),
    "waiting for recursion": _of_trait("delayUntilRecursion", True),
    "waiting for messages": _of_trait("delay", 3, 9),
    "vectors": _of_trait("vectorized", True),
    "nothing to say": _of_trait("content", ""),
    "inclusion groups": _of_trait("group", "one", "two"),
    "for one character": _of_trait("characterFilter", {"isExclude": False, "names": ["Ada"], "tags": []}),
    "for one trigger": _of_trait("triggers", ["impersonate"]),
    "keys in one text": _of_trait("key", "dragon, sea", "灯塔,雾"),
    "blanks around keys": _of_trait("key", [" dragon "], ["sea\n"], ["  雾"]),
    "patterns as keys": _of_trait("key", ["/dr.gon/i"], ["/灯./", "sea"], ["/(?<=守)塔/u"]),
    "decorators": _of_trait("content", "@@activate\nIt is so.", "@@dont_activate\nIt isn't."),
}


@trait
def selective_off(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(selective=False, keysecondary=[rng.choice(["nowhere", "雾"])])


@trait
def only_further_keys(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(key=[], keysecondary=["quiet", "雾"], selectiveLogic=0)


@trait
def chance_off(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(useProbability=False, probability=rng.choice([0, 100]))


@trait
def numbers_twice(data: Data, rng: random.Random) -> None:
    data["books"] = [{"entries": {"0": {**entry, "uid": 0}}} for entry in entries(data)]


@trait
def roles_away_from_depths(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(position=rng.randrange(2), role=rng.choice([1, 2]))


@trait
def entries_of_cards(data: Data, rng: random.Random) -> None:
    data["books"] = [{"name": "B", "entries": [_as_in_cards(entry) for entry in entries_of(b)]} for b in data["books"]]


def _as_in_cards(entry: Data) -> Data:
    inside = ("position", "depth", "role", "probability", "useProbability", "selectiveLogic", "excludeRecursion")
    return {
        "id": entry["uid"],
        "keys": entry["key"],
        "secondary_keys": entry["keysecondary"],
        "comment": entry["comment"],
        "content": entry["content"],
        "constant": entry["constant"],
        "selective": entry["selective"],
        "insertion_order": entry["order"],
        "enabled": not entry["disable"],
        "position": "before_char" if entry["position"] == 0 else "after_char",
        "extensions": {
            **{name: entry[name] for name in inside},
            "case_sensitive": entry["caseSensitive"],
            "prevent_recursion": entry["preventRecursion"],
        },
    }


@trait
def settings_of_a_book(data: Data, rng: random.Random) -> None:
    said = [{"scan_depth": 0}, {"scan_depth": 6}, {"recursive_scanning": False}, {"token_budget": 5}]
    for book in data["books"]:
        book |= rng.choice(said)


@trait
def file_out_of_order(data: Data, rng: random.Random) -> None:
    for book in data["books"]:
        book["entries"] = dict(reversed(book["entries"].items()))


@trait
def letters_of_two_sizes(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(key=[rng.choice(["Straße", "οδός", "ᾠδή"])], keysecondary=[])
    data["chat"][-1]["text"] += " DIE STRAẞE ΟΔΌΣ ΑΒ ᾨΔΉ"


@trait
def letters_of_two_kinds(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(key=["µm"], keysecondary=[])
    data["chat"][-1]["text"] += " ΜM"


@trait
def names_as_keys(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        say(entry, "key", rng.choice([["{{char}}"], ["{{user}}", "Ada"]]))
    data["chat"][-1]["text"] += " said Nova to Kim"


@trait
def keys_over_two_messages(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        say(entry, "key", ["end.\nSo"])
    data["chat"] += [{"role": "user", "text": "The end."}, {"role": "assistant", "text": "So it is."}]


@trait
def nothing_scanned(data: Data, rng: random.Random) -> None:
    data["depth"] = 0


@trait
def macros_in_the_history(data: Data, rng: random.Random) -> None:
    data["chat"][0]["text"] += " said {{user}}"


@trait
def markers_off(data: Data, rng: random.Random) -> None:
    for entry in data["preset"]["prompt_order"][0]["order"]:
        if entry["identifier"].startswith("worldInfo"):
            entry["enabled"] = False


@trait
def markers_missing(data: Data, rng: random.Random) -> None:
    order = data["preset"]["prompt_order"][0]
    order["order"] = [entry for entry in order["order"] if not entry["identifier"].startswith("worldInfo")]


@trait
def roles_at_one_depth(data: Data, rng: random.Random) -> None:
    for number, role in enumerate(rng.sample(["system", "user", "assistant"], 3)):
        place = {"injection_position": 1, "injection_depth": 2, "injection_order": 100}
        data["preset"]["prompts"].append({**prompt(f"at{number}", f"Deep {number}."), "role": role, **place})
        data["preset"]["prompt_order"][0]["order"].append({"identifier": f"at{number}", "enabled": True})


@trait
def lore_and_a_prompt_at_one_depth(data: Data, rng: random.Random) -> None:
    for entry in _some(data, rng):
        entry.update(constant=True, position=4, depth=2, order=100, role=rng.randrange(3))
    place = {"injection_position": 1, "injection_depth": 2, "injection_order": 100}
    data["preset"]["prompts"].append({**prompt("among", "Among lore."), "role": rng.choice(ROLES), **place})
    data["preset"]["prompt_order"][0]["order"].append({"identifier": "among", "enabled": True})


@trait
def depths_unsaid(data: Data, rng: random.Random) -> None:
    data["preset"]["prompts"].append(prompt("deeper", "Four from the end.", injection_position=1))
    data["preset"]["prompt_order"][0]["order"].append({"identifier": "deeper", "enabled": True})


@trait
def scripts_for_lore(data: Data, rng: random.Random) -> None:
    for entry in entries(data):
        entry["constant"] = True
    data["scripts"] = [script("/Fact/g", "Rumour", placement=[5])]


@trait
def a_card(data: Data, rng: random.Random) -> None:
    texts = {"description": "Nova flies at night.", "personality": "dry", "first_mes": "", "mes_example": ""}
    own = {"name": "Nova", "scenario": "", "system_prompt": "Be {{char}}. {{original}}", **texts}
    data["card"] = {"spec": "chara_card_v2", "spec_version": "2.0", "data": own}


@trait
def a_new_chat(data: Data, rng: random.Random) -> None:
    data["preset"]["new_chat_prompt"] = "[Start a new Chat]"


PLAIN, EACH, MIXED = 240, 6, 80


def prompts() -> Iterator[Case]:
    for seed in range(PLAIN):
        yield Case("prompt", f"plain {seed}", plain(seed))
    for name, make in TRAITS.items():
        for seed in range(EACH):
            data = plain(crc32(name.encode()) + seed)
            if seed % 2:
                data["chat"][-1]["text"] += f" {' '.join(WORDS)}"
            make(data, random.Random(seed))
            yield Case("prompt", f"{name} {seed}", data)
    for seed in range(MIXED):
        data, rng = plain(100_000 + seed), random.Random(seed)
        for name in rng.sample(sorted(TRAITS), rng.randint(1, 3)):
            with_form = name == "entries of cards"
            if not with_form:  # the others look for entries in the native form
                TRAITS[name](data, rng)
        yield Case("prompt", f"mixed {seed}", data)
