"""Where fast-tavern and ctxlab part: by what a case has, why, and who does as SillyTavern does.

Told in full, with examples, in second_opinion.md.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from tests.golden.second_opinion_cases import Case, Data, entries, said, say

Right = Literal["ctxlab", "fast-tavern", "neither", "a choice"]
"""Who does as SillyTavern does; a choice is where ctxlab departs from it knowingly, or where it says nothing."""


@dataclass(frozen=True)
class Rule:
    """`applies` looks at a case's data; `without` takes out of it what makes the difference.

    Without what the rules name, both programs must say the same.
    """

    id: str
    kinds: tuple[str, ...]
    right: Right
    applies: Callable[[Data], bool]
    without: Callable[[Data], None]

    def fits(self, case: Case) -> bool:
        return case.kind in self.kinds and self.applies(case.data)

    def taken_out(self, case: Case) -> Case:
        data = copy.deepcopy(case.data)
        self.without(data)
        return replace(case, data=data)


# --- books

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
    return char.casefold() != char.lower()


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
    Rule("equal orders", PROMPT, "neither", _has_ties, _spread),
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
    _field(
        "scan depth of an entry", "ctxlab", "scanDepth", None, lambda entry: said(entry, "scanDepth") is not None
    ),
    Rule(
        "settings of a book",
        PROMPT,
        "a choice",
        lambda data: any(book.get(name) is not None for book in data["books"] for name in BOOK_SETTINGS),
        _drop_settings,
    ),
    Rule(
        "letters of two sizes",
        PROMPT,
        "neither",
        lambda data: any(map(_is_odd_letter, str(data["books"]) + str(data["chat"]))),
        _even_letters,
    ),
    _field("inclusion groups", "ctxlab", "group", ""),
    Rule("sticky, cooldown, delay", PROMPT, "ctxlab", _any_entry(_timed), _every_entry(_untimed)),
    _field("delay until recursion", "ctxlab", "delayUntilRecursion", False),
    Rule("filters and triggers", PROMPT, "ctxlab", _any_entry(_filtered), _every_entry(_unfiltered)),
    _field(
        "decorators", "ctxlab", "content", "Decorated.", lambda entry: said(entry, "content", "").startswith("@@")
    ),
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
    _field(
        "roles away from depths",
        "fast-tavern",
        "role",
        0,
        lambda entry: said(entry, "role") in (1, 2) and _position(entry) != DEPTH,
    ),
)


# --- the prompt around it


def _order(data: Data) -> list[Data]:
    return data["preset"]["prompt_order"][-1]["order"]


LORE_MARKERS = ("worldInfoBefore", "worldInfoAfter")


def _lacks_markers(data: Data) -> bool:
    on = {entry["identifier"] for entry in _order(data) if entry["enabled"]}
    return not on.issuperset(LORE_MARKERS)


def _markers_on(data: Data) -> None:
    for entry in _order(data):
        entry["enabled"] = entry["enabled"] or entry["identifier"] in LORE_MARKERS


def _absolute(data: Data) -> list[Data]:
    return [one for one in data["preset"]["prompts"] if one.get("injection_position") == 1]


def _mixes_roles(data: Data) -> bool:
    return len({one.get("role", "system") for one in _absolute(data)}) > 1


def _one_role(data: Data) -> None:
    for one in _absolute(data):
        one["role"] = "system"


def _say_depths(data: Data) -> None:
    for one in _absolute(data):
        one.setdefault("injection_depth", DEPTH)


def _plain_history(data: Data) -> None:
    for one in data["chat"]:
        one["text"] = one["text"].replace("{{", "((").replace("}}", "))")


PROMPTS = (
    Rule("lore whose marker is off", PROMPT, "fast-tavern", _lacks_markers, _markers_on),
    Rule("roles at one depth", PROMPT, "ctxlab", _mixes_roles, _one_role),
    Rule(
        "a depth that isn't said",
        PROMPT,
        "ctxlab",
        lambda data: any("injection_depth" not in one for one in _absolute(data)),
        _say_depths,
    ),
    Rule(
        "what opens the history",
        PROMPT,
        "ctxlab",
        lambda data: bool(data["preset"].get("new_chat_prompt")),
        lambda data: data["preset"].pop("new_chat_prompt"),
    ),
    Rule(
        "the card's own texts",
        PROMPT,
        "ctxlab",
        lambda data: data.get("card") is not None,
        lambda data: data.update(card=None, books=[*data["books"], data["card"]["data"]["character_book"]]),
    ),
    Rule(
        "macros in the history",
        PROMPT,
        "a choice",
        lambda data: any("{{" in one["text"] for one in data["chat"]),
        _plain_history,
    ),
    Rule(
        "scripts for lore",
        PROMPT,
        "fast-tavern",
        lambda data: any(5 in one["placement"] for one in data.get("scripts") or []),
        lambda data: data.update(scripts=[one for one in data["scripts"] if 5 not in one["placement"]]),
    ),
)


# --- chats

CHATS = (
    Rule(
        "hidden messages",
        ("chat",),
        "ctxlab",
        lambda data: any(line.get("is_system") for line in data["lines"]),
        lambda data: data.update(lines=[line for line in data["lines"] if not line.get("is_system")]),
    ),
    Rule(
        "the head of the file",
        ("chat",),
        "ctxlab",
        lambda data: any("mes" not in line for line in data["lines"]),
        lambda data: data.update(lines=[line for line in data["lines"] if "mes" in line]),
    ),
)


# --- scripts

REGEX = ("regex",)
SCRIPTS = ("regex", "prompt")


def _scripts(data: Data) -> list[Data]:
    return data.get("scripts") or []


def _any_script(has: Callable[[Data], Any]) -> Callable[[Data], bool]:
    return lambda data: any(has(one) for one in _scripts(data))


def _every_script(change: Callable[[Data], None]) -> Callable[[Data], None]:
    def without(data: Data) -> None:
        for one in _scripts(data):
            change(one)

    return without


def _written(one: Data) -> tuple[str, str]:
    """Body and flags of a script's pattern."""
    found = re.fullmatch(r"/(.*)/([a-z]*)", one["findRegex"], re.DOTALL)
    return (found[1], found[2]) if found else (one["findRegex"], "")


def _looking_for(body: str, flags: str) -> Callable[[Data], None]:
    return lambda one: one.update(findRegex=f"/{body}/{flags}")


def _template(id: str, right: Right, has: str, instead: str = "") -> Rule:
    """A rule on what replacements say, which is then taken out of them."""
    pattern = re.compile(has)
    return Rule(
        id,
        REGEX,
        right,
        _any_script(lambda one: pattern.search(one["replaceString"])),
        _every_script(lambda one: one.update(replaceString=pattern.sub(instead, one["replaceString"]))),
    )


def _groups(one: Data) -> int:
    body = re.sub(r"\\.|\[[^\]]*\]", "", _written(one)[0])
    return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", body))


def _lacks_groups(one: Data) -> bool:
    return any(int(number) > _groups(one) for number in re.findall(r"\$(\d{1,2})", one["replaceString"]))


def _without_groups(one: Data) -> None:
    if _lacks_groups(one):
        one["replaceString"] = re.sub(r"\$\d{1,2}", "", one["replaceString"])


JAVASCRIPT = re.compile(r"\(\?<[a-z]|\[\^\]|\\p\{|\(\?<[=!][^)]*[+*]|\\u\{")
CLASSES = re.compile(r"\\[wWdDbBsS]")
LINES = re.compile(r"[.^$]")
ENDS = re.compile("[\r\u2028\u2029]|\n$")


def _is_elsewhere(one: Data) -> bool:
    return not {0, 1, 2, 5}.intersection(one["placement"])


def _reads_letters(data: Data) -> bool:
    is_about = any(CLASSES.search(_written(one)[0]) or "i" in _written(one)[1] for one in _scripts(data))
    return is_about and not data["text"].isascii()


def _reads_lines(data: Data) -> bool:
    return bool(ENDS.search(data["text"])) and any(LINES.search(_written(one)[0]) for one in _scripts(data))


def _reads_halves(data: Data) -> bool:
    has_signs = any(ord(char) > 0xFFFF for char in data["text"])
    return has_signs and any("." in body and "u" not in flags for body, flags in map(_written, _scripts(data)))


def _puts_back_signs(data: Data) -> bool:
    back = any("{{match}}" in one["replaceString"] for one in _scripts(data))
    return back and bool({"\\", "$"} & set(data["text"]))


def _retext(change: Callable[[str], str]) -> Callable[[Data], None]:
    return lambda data: data.update(text=change(data["text"]))


REGEXES = (
    Rule(
        "neither only",
        SCRIPTS,
        "a choice",
        _any_script(lambda one: not one.get("promptOnly") and not one.get("markdownOnly")),
        _every_script(lambda one: one.get("markdownOnly") or one.update(promptOnly=True, markdownOnly=True)),
    ),
    Rule(
        "no flags",
        REGEX,
        "fast-tavern",
        _any_script(lambda one: one["findRegex"] and not _written(one)[1]),
        _every_script(lambda one: None if _written(one)[1] else _looking_for(_written(one)[0], "g")(one)),
    ),
    Rule(
        "trim strings",
        REGEX,
        "ctxlab",
        _any_script(lambda one: one["trimStrings"]),
        _every_script(lambda one: one.update(trimStrings=[])),
    ),
    _template("dollar signs", "ctxlab", r"\$(?=[$&])"),
    _template("the match by number", "ctxlab", r"\$0", "{{match}}"),
    Rule("groups that aren't there", REGEX, "neither", _any_script(_lacks_groups), _every_script(_without_groups)),
    _template("macros in replacements", "ctxlab", r"\{\{(?!match)\w+\}\}"),
    _template("backslashes in replacements", "fast-tavern", r"\\(?=[nt])", "/"),
    Rule(
        "JavaScript's own patterns",
        REGEX,
        "ctxlab",
        _any_script(lambda one: JAVASCRIPT.search(one["findRegex"])),
        _every_script(lambda one: one.update(findRegex="/one/g")),
    ),
    Rule("letters beyond ASCII", REGEX, "ctxlab", _reads_letters, _retext(lambda t: re.sub(r"[^\x00-\x7f]", "", t))),
    Rule("ends of lines", REGEX, "ctxlab", _reads_lines, _retext(lambda text: ENDS.sub("", text))),
    Rule("halves of signs", REGEX, "ctxlab", _reads_halves, _retext(lambda t: re.sub(r"[^\x00-\uffff]", "", t))),
    Rule(
        "sticky patterns",
        REGEX,
        "ctxlab",
        _any_script(lambda one: "y" in _written(one)[1]),
        _every_script(lambda one: _looking_for(_written(one)[0], _written(one)[1].replace("y", ""))(one)),
    ),
    Rule(
        "scripts for elsewhere",
        REGEX,
        "fast-tavern",
        _any_script(_is_elsewhere),
        _every_script(lambda one: one.update(placement=[1, 2]) if _is_elsewhere(one) else None),
    ),
    Rule(
        "placement 0",
        REGEX,
        "ctxlab",
        _any_script(lambda one: 0 in one["placement"]),
        _every_script(lambda one: one.update(placement=[1, 2]) if 0 in one["placement"] else None),
    ),
    Rule(
        "depths below zero",
        REGEX,
        "ctxlab",
        _any_script(lambda one: (one.get("maxDepth") or 0) < -1),
        _every_script(lambda one: one.update(maxDepth=None) if (one.get("maxDepth") or 0) < -1 else None),
    ),
    Rule("signs in a match", REGEX, "ctxlab", _puts_back_signs, _retext(lambda text: re.sub(r"[\\$]", "", text))),
    Rule(
        "scripts that look for nothing",
        REGEX,
        "ctxlab",
        _any_script(lambda one: not one["findRegex"]),
        lambda data: data.update(scripts=[one for one in data["scripts"] if one["findRegex"]]),
    ),
)


# --- macros


def _words(id: str, right: Right, has: str, instead: str = "") -> Rule:
    pattern = re.compile(has, re.IGNORECASE)

    def without(data: Data) -> None:
        while pattern.search(data["text"]):
            data["text"] = pattern.sub(instead, data["text"])

    return Rule(id, ("macro",), right, lambda data: bool(pattern.search(data["text"])), without)


UNKNOWN_THERE = r"\{\{(?:newline|trim|noop|//|reverse|incvar|decvar|addvar)[^{}]*\}\}"
READ_AND_SET = (
    r"\{\{set(global|)var::([^:{}]+)::[^{}]*\}\}(?=.*\{\{get\1var::\2\}\})"
    r"|(?s:\{\{get(global|)var::([^:{}]+)\}\}(?=.*\{\{set\3var::\4::))"
)


def _refers(data: Data) -> bool:
    return any("{{" in str(value) and name in data["text"] for name, value in data["variables"].items())


def _without_references(data: Data) -> None:
    data["variables"] = {name: str(value).replace("{{", "") for name, value in data["variables"].items()}


MACROS = (
    _words("names in angles", "ctxlab", r"(?<!<)<(?:user|bot|char)>(?!>)"),
    _words("names in double angles", "ctxlab", r"<<[^<>]*>>"),
    _words("macros that only ctxlab has", "ctxlab", UNKNOWN_THERE),
    _words("read and set in one text", "a choice", READ_AND_SET),
    _words("blanks in values", "ctxlab", r"(?<=::) +(?=[^{}]*\}\})|(?<=\w) +(?=\}\})"),
    _words("values that are numbers", "ctxlab", r"(?<=::)0+(?=\d)|(?<=\.\d)0+(?=\}\})"),
    _words("macros inside macros", "a choice", r"(\{\{\w+::[^{}]*)\{\{[^{}]*\}\}", r"\1x"),
    Rule("macros in values", ("macro",), "a choice", _refers, _without_references),
    _words("escaped macros", "a choice", r"\\(?=\{\{)"),
)

RULES: tuple[Rule, ...] = (*BOOKS, *PROMPTS, *CHATS, *REGEXES, *MACROS)
