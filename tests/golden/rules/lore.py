"""Worldbooks: a second scan and a second placing, slow and plain, from the decisions alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data, Form, form_of_message
from tests.golden.rules.rule import Rule

LOOPS = 20
SWITCHES = {
    "matchPersonaDescription": "persona",
    "matchCharacterDescription": "character",
    "matchCharacterPersonality": "personality",
    "matchCharacterDepthPrompt": "depthPrompt",
    "matchScenario": "scenario",
    "matchCreatorNotes": "creatorNotes",
}
BEFORE, AFTER, AT_DEPTH, OUTLET = (0, 2, 5), (1, 3, 6), 4, 7
MACRO = re.compile(r"\{\{\s*(user|char)\s*\}\}", re.IGNORECASE)


def ours(case: Case) -> Any:
    """What the decisions make of a case."""
    found = fired(case.input)
    return {
        "activated": sorted([book, str(entry["uid"]), keys] for book, entry, keys in found),
        "messages": _placed(case.input, [entry for _, entry, _ in found]),
    }


# --- which entries fire

Found = tuple[str, Data, list[str]]


def fired(data: Data) -> list[Found]:
    """Book, entry and the keys that were found, in the order in which they fire."""
    rows = list(_entries(data))
    roll = _rolls(data.get("random") or ())
    recursion, depth, loops = _settings(data)
    levels = sorted({_level(entry) for _, entry in rows if _level(entry)})
    level, recursive, said = (levels.pop(0) if levels else 0), False, list[str]()
    out: dict[int, list[str]] = {}
    unlucky: set[int] = set()
    for _ in range(loops):
        texts = _Texts(data, said if recursive else [], depth)
        turn = {
            i: texts.keys(entry)
            for i, (_, entry) in enumerate(rows)
            if i not in out and i not in unlucky and _may(entry, data, recursive, level) and texts.call(entry)
        }
        for i in list(turn):
            entry = rows[i][1]
            chance = 100 if entry.get("useProbability") is False else entry.get("probability", 100)
            if chance < 100 and roll(f"entry {i}") * 100 > chance:
                unlucky.add(i)
                del turn[i]
        winners = _winners({i: rows[i][1] for i in turn}, [rows[i][1] for i in out], roll)
        out.update({i: turn[i] for i in winners})
        new = [rows[i][1]["content"] for i in winners if recursion and not rows[i][1].get("preventRecursion")]
        said += new
        if new:
            recursive = True
        elif not winners and levels and recursion:
            recursive, level = True, levels.pop(0)
        else:
            break
    return [(rows[i][0], rows[i][1], keys) for i, keys in out.items()]


def _entries(data: Data) -> Iterator[tuple[str, Data]]:
    """In the order of JavaScript: numbers first, ascending."""
    for book in _books(data):
        named = book["entries"].items()
        name = (book.get("metadata") or {}).get("name") or book.get("name") or "Unknown"
        numbers = sorted((int(key), entry) for key, entry in named if key.isdecimal())
        yield from ((name, entry) for _, entry in numbers)
        yield from ((name, entry) for key, entry in named if not key.isdecimal())


def _books(data: Data) -> list[Data]:
    return (data.get("shared") or {}).get("loadedWorldbooks") or []


def _rolls(given: Sequence[float]) -> Callable[[str], float]:
    """One roll a name, in the order in which names come up."""
    left, known = list(given) or [0.5], dict[str, float]()

    def roll(name: str) -> float:
        if name not in known:
            known[name] = left.pop(0) if len(left) > 1 else left[0]
        return known[name]

    return roll


def _settings(data: Data) -> tuple[bool, int, int]:
    """Whether there is recursion, how deep is scanned, and how often."""
    own, house = data["agentConfig"].get("worldbookSettings") or {}, data.get("settings") or {}
    said = {**{k: v for k, v in (house.get("worldbook") or {}).items() if v is not None}, **own}
    steps = house.get("world_info_max_recursion_steps") or LOOPS
    return not said.get("disableRecursion"), said.get("defaultScanDepth", 2), min(steps, LOOPS)


def _level(entry: Data) -> int:
    delay = entry.get("delayUntilRecursion")
    return (entry.get("delayUntilRecursionLevel") or 1) if delay is True else int(delay or 0)


def _may(entry: Data, data: Data, recursive: bool, level: int) -> bool:
    rule, agent = entry.get("characterFilter") or {}, data["agentConfig"]
    names, tags = rule.get("names") or [], rule.get("tags") or []
    meant = agent["name"] in names or bool(set(tags) & set(agent.get("tags") or []))
    if entry.get("disable") or ((names or tags) and meant == bool(rule.get("isExclude"))):
        return False
    if entry.get("triggers") and "normal" not in entry["triggers"]:
        return False
    if (entry.get("delay") or 0) > len(_history(data)):
        return False
    waits = _level(entry) > (level if recursive else 0)
    return not waits and not (recursive and entry.get("excludeRecursion"))


class _Texts:
    """What is scanned in a pass."""

    def __init__(self, data: Data, said: Sequence[str], depth: int) -> None:
        content = [message.get("content") or "" for message in reversed(_history(data))]
        self.newest = [text if isinstance(text, str) else _words(text) for text in content]
        self.said, self.depth = list(said), depth
        agent = data["agentConfig"]
        presets = agent.get("presetMessages") or []
        system = next((p["content"] for p in presets if p["role"] == "system" and p.get("isEnabled") is not False), "")
        self.about = {**agent, "persona": (data.get("userProfile") or {}).get("content"), "character": system}

    def call(self, entry: Data) -> bool:
        if entry.get("constant"):
            return True
        if not self.keys(entry):
            return False
        second = [self._has(key, entry) for key in entry.get("keysecondary") or [] if key]
        if not second or not entry.get("selective"):
            return True
        logic = {1: not all(second), 2: not any(second), 3: all(second)}
        return logic.get(entry.get("selectiveLogic") or 0, any(second))

    def keys(self, entry: Data) -> list[str]:
        own = entry.get("key") or entry.get("keys") or []
        return [key for key in own if key and self._has(key, entry)]

    def _has(self, key: str, entry: Data) -> bool:
        depth = self.depth if entry.get("scanDepth") is None else entry["scanDepth"]
        about = [self.about.get(name) or "" for switch, name in SWITCHES.items() if entry.get(switch)]
        return any(_stands(key, text, entry) for text in [*self.newest[:depth], *about, *self.said])


def _stands(key: str, text: str, entry: Data) -> bool:
    slashed = re.fullmatch(r"/((?:\\.|[^\\/])+)/([gimsuy]*)", key, re.DOTALL)
    if slashed:
        flags = sum({"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}.get(flag, 0) for flag in slashed[2])
        try:
            return re.search(slashed[1].replace("\\/", "/"), "\x01" + text, flags) is not None
        except re.error:
            return False
    if not entry.get("caseSensitive"):
        key, text = key.lower(), text.lower()
    if not entry.get("matchWholeWords") or len(key.split()) > 1:
        return key in text
    left = r"(?<!\w)" if re.match(r"\w", key, re.ASCII) else ""
    right = r"(?!\w)" if re.match(r"\w", key[-1], re.ASCII) else ""
    return re.search(left + re.escape(key) + right, text, re.ASCII) is not None


def _winners(turn: dict[int, Data], before: list[Data], roll: Callable[[str], float]) -> list[int]:
    """Those without a group, then one of each group of which none has fired."""
    groups: dict[str, list[int]] = {}
    for i, entry in turn.items():
        for name in _groups(entry):
            groups.setdefault(name, []).append(i)
    out = [i for i, entry in turn.items() if not _groups(entry)]
    for name, members in groups.items():
        if any(name in _groups(entry) for entry in before):
            continue
        out.append(_winner(name, {i: turn[i] for i in members}, roll))
    return list(dict.fromkeys(out))


def _winner(name: str, members: dict[int, Data], roll: Callable[[str], float]) -> int:
    first = next((i for i, entry in members.items() if entry.get("groupOverride")), None)
    if first is not None or len(members) == 1:
        return next(iter(members)) if first is None else first
    left = roll(f"group {name}") * sum(entry.get("groupWeight", 100) for entry in members.values())
    for i, entry in members.items():
        left -= entry.get("groupWeight", 100)
        if left <= 0:
            return i
    return i


def _groups(entry: Data) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in (entry.get("group") or "").split(",") if name.strip()))


# --- where they stand


def _placed(data: Data, entries: Sequence[Data]) -> list[Form]:
    presets = [_bare(form_of_message(m)) for m in data["messages"] if m.get("sourceType") == "agent_preset"]
    history = [_bare(form_of_message(message)) for message in _history(data)]
    spoken = [entry for entry in entries if entry["content"].strip() and entry.get("position") != OUTLET]
    system = next((i for i, form in enumerate(presets) if form["role"] == "system"), 0)
    slots: dict[int, list[tuple[tuple[float, ...], Form]]] = {}
    first, beside = list[tuple[float, Form]](), (list[tuple[float, Form]](), list[tuple[float, Form]]())
    for entry in spoken:
        order, position, form = entry.get("order", 100), entry.get("position", 0), _form(entry)
        if position in (0, 1) and presets:
            beside[position].append((order if position else -order, form))
        elif position in AFTER:
            depth = max(0, len(history) - 1)
            slots.setdefault(len(history) - depth, []).append(((-depth, 100, 1, order), form))
        elif position == AT_DEPTH:
            depth = max(0, entry.get("depth", 4))
            rank = (-depth, order if depth == 0 else -order, 0, 0)
            slots.setdefault(max(0, len(history) - depth), []).append((rank, form))
        else:
            first.append((-order, form))
    head = [*presets[:system], *_sorted(beside[0]), *presets[system : system + 1], *_sorted(beside[1])]
    out = [*head, *presets[system + 1 :], *_sorted(first)]
    for i in range(len(history) + 1):
        out += [*_sorted(slots.get(i, [])), *history[i : i + 1]]
    return out


def _sorted(pairs: Sequence[tuple[Any, Form]]) -> list[Form]:
    return [form for _, form in sorted(pairs, key=lambda pair: pair[0])]


def _form(entry: Data) -> Form:
    # The cases place with an agent that has only presets: nobody has a name.
    names = {"char": "Assistant", "user": "User"}
    role = {1: "user", 2: "assistant"}.get(entry.get("role") or 0, "system")
    kind = "depth_injection" if entry.get("position") == AT_DEPTH else "anchor_injection"
    text = MACRO.sub(lambda found: names[found[1].lower()], entry["content"])
    return {"role": role, "text": text, "source": (kind, str(entry["uid"]))}


def _bare(form: Form) -> Form:
    """As the adapter compares them."""
    kept = {name: value for name, value in form.items() if name in ("role", "text", "source")}
    return {**kept, "source": ("agent_preset", "")} if kept.get("source", ("",))[0] == "agent_preset" else kept


def _history(data: Data) -> list[Data]:
    return [message for message in data["messages"] if message.get("sourceType") == "session_history"]


def _words(parts: list[Data]) -> str:
    return "\n".join(part["text"] for part in parts if part["type"] == "text")


# --- which cases


def _all(case: Case) -> list[Data]:
    return [entry for _, entry in _entries(case.input)]


def _counts_time(case: Case) -> bool:
    timed = any(entry.get("sticky") or entry.get("cooldown") or entry.get("delay") for entry in _all(case))
    return timed or any(0 < entry.get("probability", 100) < 100 for entry in _all(case))


def _has_groups(case: Case) -> bool:
    names = {name for entry in _all(case) for name in _groups(entry)}
    return any(one != other and one in other for one in names for other in names)


def _has_ignored(case: Case) -> bool:
    """Fields that the reference doesn't read, keys that are empty, the persona, messages of several parts."""
    entries = _all(case)
    ignored = any(e.get("excludeRecursion") or e.get("triggers") or e["content"].startswith("@@") for e in entries)
    keys = [key for e in entries for name in ("key", "keysecondary") for key in e.get(name) or []]
    several = any(not isinstance(message.get("content") or "", str) for message in _history(case.input))
    edge = any(e.get("matchWholeWords") and not key.isascii() for e in entries for key in e.get("key") or [])
    return ignored or "" in keys or several or edge or any(e.get("matchPersonaDescription") for e in entries)


def _has_same_ids(case: Case) -> bool:
    ids = Counter((book, entry["uid"]) for book, entry in _entries(case.input))
    return any(n > 1 for n in ids.values())


def _meets(case: Case) -> bool:
    """Whether entries share the history, where the reference counts what it has put there a moment before."""
    inside = [entry for entry in _all(case) if entry.get("position") in (*AFTER, AT_DEPTH)]
    return len(inside) > 1 or any(entry.get("depth", 4) > len(_history(case.input)) for entry in inside)


def _has_macros(case: Case) -> bool:
    return any("{{" in entry["content"] for entry in _all(case))


def _is_empty(case: Case) -> bool:
    return any(not entry["content"].strip() for entry in _all(case))


def _rule(id: str, why: str, applies: Callable[[Case], bool]) -> Rule:
    return Rule(id, why, ("worldbook",), applies, ours)


RULES: tuple[Rule, ...] = (
    _rule("D14, D15", "Time counts from recorded activations, and chance is drawn once for an entry.", _counts_time),
    _rule("D16", "Names of groups are compared whole.", _has_groups),
    _rule("D13, D32", "Fields that authors set are heeded; no empty key, and the persona is the user's.", _has_ignored),
    _rule("D32: ids", "Two entries of the same book and id both count.", _has_same_ids),
    _rule("D37", "Depth counts the history as it was, equals stay in the order in which they fired.", _meets),
    _rule("Injection: lore", "Macros in lore are expanded when it is placed.", _has_macros),
    _rule("Injection: empty", "An entry without words is no message.", _is_empty),
)
