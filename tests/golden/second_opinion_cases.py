"""What both programs are given: books, chats, presets, scripts and macros, as plain data in SillyTavern's forms.

Everything is made from numbers, so a case is the same in every run.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

Data = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared"))
REAL = SHARED / "data" / "sillytavern"


@dataclass(frozen=True, eq=False)
class Case:
    """`kind` says what is compared: a whole prompt, scripts on one text, or macros in one text."""

    kind: str
    name: str
    data: Data

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.name}"


# --- entries of a book, in either form

CARD_NAMES = {"key": "keys", "keysecondary": "secondary_keys", "order": "insertion_order"}


def entries(data: Data) -> list[Data]:
    return [entry for book in data["books"] for entry in entries_of(book)]


def entries_of(book: Data) -> list[Data]:
    found = book["entries"]
    return list(found.values()) if isinstance(found, dict) else found


def _places(entry: Data, field: str) -> list[tuple[Data, str]]:
    """Where an entry may say it: itself or its extensions, in camels or in snakes."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)
    names = dict.fromkeys([field, CARD_NAMES.get(field, field), snake])
    return [(holder, name) for holder in (entry, entry.get("extensions") or {}) for name in names]


def said(entry: Data, field: str, default: Any = None) -> Any:
    found = (holder[name] for holder, name in _places(entry, field) if holder.get(name) is not None)
    return next(found, default)


def say(entry: Data, field: str, value: Any) -> None:
    """Put it where it stands, else where SillyTavern looks."""
    place = next(((holder, name) for holder, name in _places(entry, field) if name in holder), None)
    holder, name = place or (entry.get("extensions", entry), field)
    holder[name] = value


# --- plain cases: the part of the languages that both have

WORDS = ("dragon", "Tower", "sea", "moon", "Rose", "灯塔", "守塔人", "雾")
FILLERS = ("the", "old", "of", "走向", "again,", "light", "没有", "quiet.")
POSITIONS = (0, 0, 1, 1, 4, 4, 4)
ROLES = ("user", "assistant")


def plain(seed: int) -> Data:
    rng = random.Random(seed)
    count = rng.randint(1, 8)
    split = rng.choice([count, rng.randint(0, count)])
    made = [_entry(rng, number) for number in range(count)]
    halves = [made[:split], made[split:]]
    return {
        "books": [{"entries": {str(entry["uid"]): entry for entry in half}} for half in halves if half],
        "chat": [{"role": ROLES[n % 2], "text": _line(rng)} for n in range(rng.randint(1, 6))],
        "preset": preset(rng),
        "depth": rng.randint(1, 4),
        "names": {"user": "Kim", "char": "Nova"},
    }


def _entry(rng: random.Random, number: int) -> Data:
    position = rng.choice(POSITIONS)
    talks = rng.random() < 0.5
    return {
        "uid": number,
        "comment": f"entry {number}",
        "key": [_cased(rng, word) for word in rng.sample(WORDS, rng.randint(1, 2))],
        "keysecondary": [_cased(rng, word) for word in rng.sample(WORDS, rng.choice([0, 0, 1, 2]))],
        "content": f"Fact {number}." + (f" {_line(rng)}" if talks else ""),
        "constant": rng.random() < 0.1,
        "selective": True,
        "selectiveLogic": rng.randrange(4),
        "order": rng.choice([10, 50, 100, 100, 200]),
        "position": position,
        "depth": rng.randrange(6),
        "role": rng.randrange(3) if position == 4 else None,
        "disable": rng.random() < 0.1,
        "probability": rng.choice([100, 100, 100, 0]),
        "useProbability": True,
        "caseSensitive": rng.choice([None, None, False, True]),
        "excludeRecursion": rng.random() < 0.15,
        "preventRecursion": rng.random() < 0.15,
    }


def _line(rng: random.Random) -> str:
    return " ".join(
        _cased(rng, rng.choice(WORDS)) if rng.random() < 0.35 else rng.choice(FILLERS) for _ in range(rng.randint(2, 6))
    )


def _cased(rng: random.Random, word: str) -> str:
    return rng.choice([word, word, word.lower(), word.upper()])


def prompt(identifier: str, content: str = "", **fields: Any) -> Data:
    return {"identifier": identifier, "name": identifier, "role": "system", "content": content, **fields}


def preset(rng: random.Random) -> Data:
    prompts = [prompt("main", "You are {{char}}; {{user}} is there.")]
    prompts += [prompt(name, marker=True) for name in ("worldInfoBefore", "charDescription", "worldInfoAfter")]
    prompts += [prompt("chatHistory", marker=True), prompt("jailbreak", "Stay in the story.")]
    if rng.random() < 0.5:
        place = {"injection_depth": rng.randrange(4), "injection_order": rng.choice([50, 100])}
        prompts.append(prompt("deep", "Remember the weather.", injection_position=1, **place))
    order = [{"identifier": one["identifier"], "enabled": True} for one in prompts]
    return {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}]}


# --- traits: where the two are known to part, one by one and mixed

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
    "selective off": _of_trait("selective", False),
    "chance off": _of_trait("useProbability", False),
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
    "only further keys": _of_trait("key", []),
}


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
    said = [{"scan_depth": 1}, {"scan_depth": 6}, {"recursive_scanning": False}, {"token_budget": 10}]
    for book in data["books"]:
        book |= rng.choice(said)


@trait
def file_out_of_order(data: Data, rng: random.Random) -> None:
    for book in data["books"]:
        book["entries"] = dict(reversed(book["entries"].items()))


@trait
def letters_of_two_sizes(data: Data, rng: random.Random) -> None:
    key, text = rng.choice([("Straße", "DIE STRAẞE"), ("οδός", "ΟΔΌΣ ΑΒ"), ("ᾠδή", "ᾨΔΉ"), ("µm", "ΜM")])
    for entry in _some(data, rng):
        say(entry, "key", [key])
    data["chat"][-1]["text"] += f" {text}"


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
def roles_at_one_depth(data: Data, rng: random.Random) -> None:
    for number, role in enumerate(rng.sample(["system", "user", "assistant"], 3)):
        place = {"injection_position": 1, "injection_depth": 2, "injection_order": 100}
        data["preset"]["prompts"].append({**prompt(f"at{number}", f"Deep {number}."), "role": role, **place})
        data["preset"]["prompt_order"][0]["order"].append({"identifier": f"at{number}", "enabled": True})


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
def a_new_chat(data: Data, rng: random.Random) -> None:
    data["preset"]["new_chat_prompt"] = "[Start a new Chat]"


PLAIN, EACH, MIXED = 240, 6, 120


def prompts() -> Iterator[Case]:
    for seed in range(PLAIN):
        yield Case("prompt", f"plain {seed}", plain(seed))
    for number, (name, make) in enumerate(TRAITS.items()):
        for seed in range(EACH):
            data = plain(1000 * number + 500 + seed)
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


# --- chats


def chats() -> Iterator[Case]:
    head = {"user_name": "Kim", "character_name": "Nova", "create_date": "2025-1-5@10h00m00s", "chat_metadata": {}}
    for seed in range(12):
        rng = random.Random(seed)
        lines = [_said(rng, n, is_system=n > 0 and seed % 3 == 2 and rng.random() < 0.4) for n in range(rng.randint(1, 6))]
        yield Case("chat", f"chat {seed}", {"lines": [head, *lines] if seed % 2 else lines})


def _said(rng: random.Random, number: int, *, is_system: bool) -> Data:
    is_user = number % 2 == 0
    swipes = [_line(rng) for _ in range(1 if is_user else 2)]
    chosen = rng.randrange(len(swipes))
    line = {"name": "Kim" if is_user else "Nova", "is_user": is_user, "is_system": is_system, "mes": swipes[chosen]}
    date = f"January 5, 2025 10:{number:02}am"
    return line | {"send_date": date} | ({} if is_user else {"swipes": swipes, "swipe_id": chosen})


# --- the bundled files


def bundled() -> Iterator[Case]:
    session = json.loads((ROOT / "datasets" / "harbour_roleplay.session.json").read_bytes())
    book = json.loads((ROOT / "datasets" / "harbour_lore.json").read_bytes())
    scripts = json.loads((ROOT / "datasets" / "harbour_rules.json").read_bytes())
    chat = _path_of(session)
    about = {"preset": preset(random.Random(0)), "names": {"user": "Lin", "char": "沈砚"}}
    for end in range(1, len(chat) + 1, 3):
        for depth in (1, 4):
            data = {"books": [book], "chat": chat[:end], "depth": depth, **about}
            yield Case("prompt", f"harbour lore, {end} messages, scan depth {depth}", copy.deepcopy(data))
    data = {"books": [], "chat": chat, "depth": 2, "scripts": scripts, **about}
    yield Case("prompt", "harbour rules on the chat", copy.deepcopy(data))
    texts = [
        *(one["text"] for one in chat),
        '（（场外：快一点））雨,停了.\n沈砚："Halcyon"在21:15回来',
        "*他慢慢走向那扇从来不开的第三扇窗，再没有回头，也没有说话，只是看着海面*",
    ]
    for script, (number, text) in product(scripts, enumerate(texts)):
        for stage in ("request", "render"):
            data = {"scripts": [script], "text": text, "role": "assistant", "depth": 6, "stage": stage}
            yield Case("regex", f"{script['id']}, text {number}, {stage}", {**data, "names": about["names"]})


def _path_of(session: Data) -> list[Data]:
    """Messages of the active path that are on, oldest first."""
    nodes, at, path = session["nodes"], session["activeLeafId"], list[Data]()
    while at:
        node = nodes[at]
        if node.get("content") and node.get("isEnabled") is not False and node["role"] in ROLES:
            path.append({"role": node["role"], "text": node["content"].replace("{{", "{")})
        at = node.get("parentId")
    return path[::-1]


# --- SillyTavern's own files, where they are at hand

TALK = (
    "Tell me of Eldoria, the forest.",
    "A Shadowfang? What beasts live here?",
    "这里有 magic 吗？ Is the glade safe?",
    "Nothing of this matters.",
)


def real() -> Iterator[Case]:
    from ctxlab.formats import read as read_file

    eldoria = json.loads((REAL / "Eldoria.json").read_bytes())
    for uid, entry in eldoria["entries"].items():
        entry["comment"] = entry["comment"] or f"Eldoria {uid}"
    default = json.loads((REAL / "openai" / "Default.json").read_bytes())
    card = (read_file(REAL / "default_Seraphina.png").agents[0].carried or {})["sillytavern"]
    book = card["data"]["character_book"]
    names = {"user": "Kim", "char": "Seraphina"}
    for end, depth in product(range(1, len(TALK) + 1), (1, 3)):
        chat = [{"role": ROLES[n % 2], "text": text} for n, text in enumerate(TALK[:end])]
        common = {"chat": chat, "depth": depth, "names": names}
        about = f"{end} messages, scan depth {depth}"
        yield _copy("prompt", f"Eldoria, {about}", books=[eldoria], preset=preset(random.Random(2)), **common)
        yield _copy("prompt", f"Seraphina's book, {about}", books=[book], preset=preset(random.Random(2)), **common)
        yield _copy("prompt", f"Default preset, {about}", books=[eldoria], preset=default, **common)
        yield _copy("prompt", f"Seraphina, {about}", books=[eldoria], preset=default, card=card, **common)


def _copy(kind: str, name: str, **data: Any) -> Case:
    return Case(kind, name, copy.deepcopy(data))


# --- scripts

TEXTS = (
    "The dragon saw the Dragon; 12 towers, 3 seas.",
    "沈砚说：“灯塔,今晚不亮.”\n阿蓉没有回答，雾更浓了。",
    'First line\nsecond line: "Halcyon" (quiet)\n\nlast 第三行 42',
    "*bows* 你好 🙂 Kim, *very slowly* 再见",
    "",
)
PATTERNS = (
    "/dragon/gi",
    "/dragon/i",
    "/([a-z]+) (line)/g",
    "/^(\\w+)/gm",
    "/[\\u4e00-\\u9fff]+/g",
    "/(?<=说：)“([^”]*)”/g",
    "/\\*([^*]+)\\*/g",
    '/"(.*?)"/gs',
    "/(\\d+)( towers)?/g",
    "/(灯塔|雾)/g",
    "/\\s*\\((.*?)\\)/g",
    "/(a)|(o)/g",
    "/,/g",
    "/$/g",
)
REPLACEMENTS = ("", "X", "[$1]", "<{{match}}>", "$1-$1", "，")
AVERAGE = {"promptOnly": True, "placement": [1, 2], "disabled": False, "substituteRegex": 0, "trimStrings": []}


def script(find: str, replace: str, **fields: Any) -> Data:
    return {"id": "s", "scriptName": "s", "findRegex": find, "replaceString": replace, **AVERAGE, **fields}


def regex(name: str, text: str, *scripts: Data, **fields: Any) -> Case:
    said = {"role": "user", "depth": 0, "stage": "request", "names": {"user": "Kim", "char": "Nova"}, **fields}
    numbered = [{**one, "id": f"s{n}"} for n, one in enumerate(scripts)]
    return Case("regex", name, {"scripts": numbered, "text": text, **said})


def regexes() -> Iterator[Case]:
    for number, (find, replace) in enumerate(product(PATTERNS, REPLACEMENTS)):
        for n in (0, 1, 2, 3) if number % 3 == 0 else (number % 5, (number + 2) % 5):
            yield regex(f"{find} to {replace!r} in text {n}", TEXTS[n], script(find, replace))
    for seed in range(60):
        rng = random.Random(seed)
        scripts = [script(rng.choice(PATTERNS), rng.choice(REPLACEMENTS), **_bounds(rng)) for _ in range(3)]
        fields = {"role": rng.choice(ROLES), "depth": rng.randrange(5), "stage": rng.choice(["request", "render"])}
        yield regex(f"three scripts {seed}", rng.choice(TEXTS), *scripts, **fields)
    yield from special_scripts()


def _bounds(rng: random.Random) -> Data:
    stages = rng.choice([{}, {"promptOnly": False, "markdownOnly": True}, {"markdownOnly": True}])
    return {
        **stages,
        "minDepth": rng.choice([None, None, 0, 2, -1]),
        "maxDepth": rng.choice([None, None, 1, 3]),
        "placement": rng.choice([[1], [2], [1, 2]]),
        "disabled": rng.random() < 0.1,
    }


def special_scripts() -> Iterator[Case]:
    here = TEXTS[0]
    yield regex("neither only, sent", here, script("/dragon/gi", "X", promptOnly=False))
    yield regex("neither only, shown", here, script("/dragon/gi", "X", promptOnly=False), stage="render")
    for find in ("dragon", "/a/", "/towers|seas/", "a.?"):
        yield regex(f"{find} without flags", here, script(find, "X"))
    for template in ("[$1]", "$1{{match}}"):
        yield regex(f"trimmed {template}", "a *b* c", script("/(\\*b\\*)/g", template, trimStrings=["*"]))
    for template in ("$& costs $$5", "$$", "$&$&", "US$&"):
        yield regex(f"dollars in {template}", "one two", script("/one/g", template))
    yield regex("whole match by number", "one two", script("/one/g", "<$0>"))
    for template in ("$2", "$10", "$1$3"):
        yield regex(f"no such group, {template}", "one two", script("/(one)/g", template))
    for template in ("hi {{user}}", "{{char}}: $1", "{{user}}{{match}}"):
        yield regex(f"macros in {template}", "one two", script("/(one)/g", template))
    for template in ("a\\nb", "\\textbf{$1}", "\\nu"):
        yield regex(f"backslashes in {template}", "one two", script("/(one)/g", template))
    for find in ("/(?<word>one)/g", "/[^]e/g", "/\\p{Script=Han}+/gu", "/(?<=o+)n/g", "/\\u{6d77}/gu"):
        yield regex(f"JavaScript's own {find}", "one 海", script(find, "X"))
    for find, text in (("/\\w+/g", "a 海 é"), ("/\\d/g", "1 ２ ٣"), ("/\\bkm\\b/g", "海km里"), ("/k/gi", "K k")):
        yield regex(f"letters of {find} in {text}", text, script(find, "X"))
    for find, text in (("/e$/g", "one\n"), ("/^t/gm", "one\rtwo"), ("/.+/g", "one\u2028two")):
        yield regex(f"lines of {find}", text, script(find, "X"))
    yield regex("half a sign", "a🙂b", script("/./g", "x"))
    yield regex("sticky", "b a a", script("/a/gy", "x"))
    yield regex("at its place", "a a b", script("/a/gy", "x"))
    for placement, role in (([3], "user"), ([], "user"), ([6], "assistant"), ([0], "user"), ([3, 1], "user")):
        yield regex(f"placement {placement}", here, script("/dragon/g", "X", placement=placement), role=role)
    for bounds in ({"maxDepth": -2}, {"minDepth": -5}):
        yield regex(f"{bounds}", here, script("/dragon/g", "X", **bounds), depth=3)
    for find in ("/dragon/x", "/dragon/gG"):
        yield regex(f"unknown flags, {find}", f"{here} {find}", script(find, "X"))
    for text in ("C:\\new", "a\\1", "\\q"):
        yield regex(f"backslash in a match, {text}", text, script("/.+/g", "<{{match}}>"))
    for text in ("$1 and $&", "$$"):
        yield regex(f"dollar in a match, {text}", text, script("/(.+)/g", "<{{match}}>"))
    yield regex("looks for nothing", here, script("", "X"))
    for mode, find in product((0, 1, 2), ("/{{user}}/g", "/{{char}}|sea/g")):
        yield regex(f"{find}, substitution {mode}", "Kim, K.M and Nova at sea", script(find, "X", substituteRegex=mode))
    fields = {"names": {"user": "K.M", "char": "Nova"}}
    for mode in (1, 2):
        yield regex(f"a name with a dot, {mode}", "K.M KxM", script("/{{user}}/g", "X", substituteRegex=mode), **fields)


# --- macros

PIECES = (
    "{{user}}",
    "{{char}}",
    "{{User}} and {{CHAR}}",
    "{{ user }}",
    "你好，{{user}}！",
    "{{setvar::hp::10}}",
    "{{getvar::hp}}",
    "{{getvar::gone}}",
    "{{setglobalvar::天气::雾}}",
    "{{getglobalvar::天气}}",
    "{{unknown_thing}}",
    "plain words\n",
    "{single} }} {{",
)
SPECIAL_MACROS = {
    "angles": ("<user> meets <BOT>", "<char>", "<<user>>", "<<getvar::hp>>"),
    "more macros": ("a{{newline}}b", "a\n{{trim}}\nb", "{{noop}}x", "{{// remark}}x", "{{reverse:abc}}"),
    "counting": ("{{setvar::n::1}}\n{{incvar::n}}{{addvar::n::5}}\n{{getvar::n}}",),
    "read before set": ("hp={{getvar::hp}}{{setvar::hp::10}}", "{{getglobalvar::g}}{{setglobalvar::g::1}}"),
    "blanks in values": ("{{setvar::a:: b }}\n[{{getvar::a}}]",),
    "numbers": ("{{setvar::a::007}}\n{{getvar::a}}", "{{setvar::a::1.50}}\n{{getvar::a}}"),
    "nested": ("{{getvar::{{getvar::k}}}}", "{{setvar::{{user}}::1}}\n{{getvar::Kim}}"),
    "values with macros": ("{{setvar::a::<user>}}", "{{getvar::greeting}}"),
    "escapes": ("\\{{user}}",),
    "colons": ("{{setvar::a::b::c}}\n{{getvar::a}}", "{{setvar::a::12:30}}\n{{getvar::a}}"),
}


def macros() -> Iterator[Case]:
    variables = {"hp": 7, "k": "hp", "greeting": "Hi {{user}}"}
    for seed in range(80):
        rng = random.Random(seed)
        text = "\n".join(" ".join(rng.sample(PIECES, rng.randint(1, 3))) for _ in range(rng.randint(1, 3)))
        yield macro(f"pieces {seed}", text, variables)
    for name, texts in SPECIAL_MACROS.items():
        for text in texts:
            yield macro(f"{name}: {text!r}", text, variables)


def macro(name: str, text: str, variables: Mapping[str, Any]) -> Case:
    return Case("macro", name, {"text": text, "variables": dict(variables), "names": {"user": "Kim", "char": "Nova"}})
