"""A decision in words: chips, gates with their values, and the nearest change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ctxlab.display.short_texts import counted, short
from ctxlab.documents.lore import ROLES
from ctxlab.engines.worldbook import GATES, Decision, LoreScan, PreparedEntry
from ctxlab.engines.worldbook.timing import EntryTiming

Kind = Literal["fired", "blocked", "not-hit"]
KINDS: tuple[Kind, ...] = ("fired", "blocked", "not-hit")

_LOGIC = ("any of", "not all of", "none of", "all of")
_CHIP = ("AND any", "NOT all", "NOT any", "AND all")


def kind_of(decision: Decision) -> Kind:
    """Fired, not hit because no key was seen, or blocked by whatever else."""
    if decision.fired:
        return "fired"
    return "not-hit" if decision.gate == "no-key" else "blocked"


def keys_of(lore: PreparedEntry) -> str:
    """Its keys as one line: the first ones, and what its second ones ask for."""
    entry = lore.entry
    own = ", ".join(entry.all_keys)
    if not entry.keysecondary or not entry.selective:
        return own
    several = len(entry.keysecondary) > 1
    word = {0: "any of " if several else "", 1: "not all of ", 2: "none of ", 3: "all of " if several else ""}
    return f"{own} & {word.get(entry.selective_logic, '')}{', '.join(entry.keysecondary)}"


def drawn(lore: PreparedEntry, scan: LoreScan) -> float:
    """The number drawn for an entry's probability, in percent."""
    return scan.scan_input.dice(lore.key) * 100


# --- chips


def chips(decision: Decision, scan: LoreScan) -> Iterator[str]:
    """The gates that decided, in a few words each."""
    lore, entry = decision.lore, decision.lore.entry
    if decision.fired:
        yield from _match_chips(decision)
        if lore.secondary and entry.selective and not lore.is_certain:
            yield f"{_of(_CHIP, entry.selective_logic)} {len(lore.secondary)}"
        if _by_chance(lore):
            yield f"probability {entry.probability:g}\u00a0%"
            yield f"drew {drawn(lore, scan):.0f}"
        if lore.groups:
            yield f"group {', '.join(lore.groups)}"
        if lore.depth != scan.scan_input.rules.scan_depth and not lore.is_certain:
            yield f"depth {lore.depth}"
        return
    yield from _blocked_chips(decision, scan)


def _match_chips(decision: Decision) -> Iterator[str]:
    entry, matched = decision.lore.entry, decision.matched
    if decision.reason.startswith("it is sticky"):
        yield f"sticky {entry.sticky}"
    elif entry.constant:
        yield "constant"
    elif matched is None:
        yield "@@activate"
    elif matched.where.startswith("lore:"):
        yield "key hit"
        yield f"in lore, pass {decision.made_in}"
    else:
        yield "key hit"


def _blocked_chips(decision: Decision, scan: LoreScan) -> Iterator[str]:
    lore, entry = decision.lore, decision.lore.entry
    match decision.gate:
        case "disabled":
            yield "switched off"
        case "no-key":
            yield "no key" if lore.primary else "has no keys"
        case "delay" | "cooldown":
            yield f"{decision.gate} {getattr(entry, decision.gate)}"
        case "secondary-keys":
            yield f"{_of(_CHIP, entry.selective_logic)} {len(lore.secondary)}"
        case "group":
            yield f"group {', '.join(lore.groups)}"
            if decision.lost_to in {other.key for other in scan.fired}:
                yield f"lost to {scan[decision.lost_to].lore.entry.uid}"
        case "probability":
            yield f"probability {entry.probability:g}\u00a0%"
            yield f"drew {drawn(lore, scan):.0f}"
        case "budget":
            yield "budget"
            if decision.tokens is not None:
                yield f"needed {decision.tokens:,}"
            if decision.left is not None:
                yield f"left {decision.left:,}"
        case "pass-limit":
            yield f"{counted(scan.scan_input.rules.max_passes, 'pass', 'passes')} at most"
        case gate:
            yield (gate or "").replace("-", " ")


def _by_chance(lore: PreparedEntry) -> bool:
    return lore.entry.use_probability and lore.entry.probability < 100


def _of(words: tuple[str, ...], logic: int) -> str:
    return words[logic] if 0 <= logic < len(words) else words[0]


# --- gates with their values


def gates(decision: Decision, scan: LoreScan) -> Iterator[tuple[str, str, str]]:
    """Every gate that this entry has: its name, its value, and passed, stopped or not asked."""
    furthest = GATES.index(decision.gate) if decision.gate in GATES else len(GATES)
    for gate, name, value in _values(decision, scan):
        place = GATES.index(gate)
        state = "passed" if place < furthest else "stopped" if place == furthest else "not asked"
        shown = decision.reason if state == "stopped" else value
        yield name, f"{value}: it is not so" if gate == "secondary-keys" and state == "stopped" else shown, state


def _values(decision: Decision, scan: LoreScan) -> Iterator[tuple[str, str, str]]:
    lore, entry, chat = decision.lore, decision.lore.entry, scan.scan_input.chat
    yield "disabled", "switch", "off" if entry.disable else "on"
    if lore.book.model_match is not None:
        yield "model", "model", "its book says which"
    if entry.triggers:
        yield "trigger", "trigger", f"for {', '.join(entry.triggers)}; this is {chat.trigger}"
    if entry.character_filter is not None:
        yield "character-filter", "character", f"{chat.names[0] if chat.names else 'nobody'} may have it"
    if entry.delay:
        yield "delay", "delay", f"{counted(entry.delay, 'message')}; there are {len(chat.messages):,}"
    if entry.cooldown:
        yield "cooldown", "cooldown", f"{counted(entry.cooldown, 'message')}; it isn't cooling down"
    if lore.level_of_delay:
        yield "recursion-only", "recursion", f"only once other entries fired, level {lore.level_of_delay}"
    if lore.excluded:
        yield "not-in-recursion", "recursion", "other entries don't call it up"
    if lore.decorators:
        yield "decorator", "decorator", ", ".join(lore.decorators)
    yield "no-key", "keys", _key_value(decision)
    if lore.secondary and entry.selective:
        words = ", ".join(entry.keysecondary)
        yield "secondary-keys", "second keys", f"{_of(_LOGIC, entry.selective_logic)} {words}"
    if lore.groups:
        weight = "it overrides" if entry.group_override else f"weight {entry.group_weight:g}"
        yield "group", "group", f"{', '.join(lore.groups)}; {weight}"
    if _by_chance(lore):
        yield "probability", "probability", f"{entry.probability:g}\u00a0%; {drawn(lore, scan):.1f} was drawn"
    yield from _room(decision, scan)


def _key_value(decision: Decision) -> str:
    if decision.lore.is_certain:
        return "it needs none"
    if decision.matched is None:
        return "they weren't asked" if decision.gate != "no-key" else decision.reason
    return f"found {', '.join(decision.matched.keys)}"


def _room(decision: Decision, scan: LoreScan) -> Iterator[tuple[str, str, str]]:
    rules, lore = scan.scan_input.rules, decision.lore
    if lore.entry.ignore_budget:
        yield "budget", "budget", "it doesn't count"
    elif rules.budget_tokens is not None or lore.book_limit is not None:
        tokens = "" if decision.tokens is None else f"{counted(decision.tokens, 'token')}; "
        left = "room for it" if decision.left is None else f"{decision.left:,} left after it"
        yield "budget", "budget", f"{tokens}{left}"
    if decision.made_in > 1 or decision.gate == "pass-limit":
        yield "pass-limit", "pass", f"{decision.made_in} of {scan.passes}"


def placement(lore: PreparedEntry) -> str:
    """The entry's position in the context when it fires."""
    entry = lore.entry
    name = entry.position_name or f"position {entry.position}"
    where = f"depth {entry.depth}" if name == "at_depth" else name.replace("_", " ")
    where += f" {entry.outlet_name}" if name == "outlet" and entry.outlet_name else ""
    role = entry.role_name if entry.role is not None and 0 <= entry.role < len(ROLES) else ""
    return ", ".join(filter(None, [where, role if name == "at_depth" else "", f"order {entry.order:g}"]))


# --- the nearest change


def nearest(decision: Decision, scan: LoreScan) -> str:
    """The nearest change that makes it fire, or keeps it out, as a sentence without its full stop."""
    change, lore = decision.nearest, decision.lore
    parts = ["its book for every model"] if "book" in change else []
    parts += [f"a message that says “{short(change['message'])}”"] if "message" in change else []
    fields: Mapping[str, Any] = change.get("entry", {})
    parts += [_field(name, value, decision, scan) for name, value in fields.items()]
    more = change.get("settings", {}).get("max_passes")
    parts += [f"{counted(more, 'pass', 'passes')} allowed"] if more is not None else []
    if decision.gate == "cooldown" and (wait := _until_cool(lore, scan)):
        parts.append(f"or {counted(wait, 'more message')}")
    elif decision.gate == "delay" and lore.entry.delay:
        parts.append(f"or {counted(lore.entry.delay - len(scan.scan_input.chat.messages), 'more message')}")
    return ", ".join(parts)


def _field(name: str, value: Any, decision: Decision, scan: LoreScan) -> str:
    lore = decision.lore
    match name, value:
        case "scanDepth", int(depth):
            return f"scan depth {lore.depth} → {depth}{_reaches(lore, depth, scan)}"
        case "probability", _:
            return f"probability ≥ {_enough(drawn(lore, scan))}\u00a0%, or another seed"
        case "groupOverride", _:
            return "group override, to win its group"
        case "key", list():
            return f"only these keys: {', '.join(value)}" if value else "none of its keys"
        case "disable", _:
            return "switch it off" if value else "switch it on"
        case "triggers", _:
            return f"not only for {', '.join(lore.entry.triggers)}"
        case "content", _:
            return "without @@dont_activate"
        case "delay" | "cooldown", _:
            return f"without its {name} of {counted(getattr(lore.entry, name), 'message')}"
        case _:
            return _PLAIN.get(name, f"{name}: {value}")


_PLAIN = {
    "group": "without its group",
    "ignoreBudget": "let it ignore the budget",
    "constant": "make it constant",
    "selective": "without its second keys",
    "caseSensitive": "upper and lower case alike",
    "matchWholeWords": "keys inside longer words too",
    "delayUntilRecursion": "without waiting for other entries",
    "excludeRecursion": "let other entries call it up",
    "characterFilter": "without its character filter",
    "matchPersonaDescription": "look into the persona too",
    "matchCharacterDescription": "look into the character too",
    "matchCharacterPersonality": "look into the personality too",
    "matchCharacterDepthPrompt": "look into the depth prompt too",
    "matchScenario": "look into the scenario too",
    "matchCreatorNotes": "look into the creator's notes too",
}


def _reaches(lore: PreparedEntry, depth: int, scan: LoreScan) -> str:
    """The message that comes into sight at a depth."""
    messages = scan.scan_input.chat.messages
    if depth <= lore.depth or depth > len(messages):
        return ""
    return f" reaches message {len(messages) - depth + 1}"


def _enough(percent: float) -> int:
    """The least whole number of percent that chance would have let pass."""
    return min(100, -int(-percent // 1))


def _until_cool(lore: PreparedEntry, scan: LoreScan) -> int:
    since = EntryTiming(scan.scan_input.chat).since(lore)
    if since is None:
        return 0
    return max(0, max(0, lore.entry.sticky or 0) + (lore.entry.cooldown or 0) - since)
