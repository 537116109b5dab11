"""A decision in words: why, its gates with their values, and the nearest change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from ctxlab.display.short_texts import counted, short
from ctxlab.documents.lore import ROLES
from ctxlab.engines.worldbook import GATES, Decision, LoreScan, NearestChange, PreparedEntry
from ctxlab.engines.worldbook.timing import EntryTiming

Kind = Literal["fired", "blocked", "not-hit"]
KINDS: tuple[Kind, ...] = ("fired", "blocked", "not-hit")

_LOGIC = ("any of", "not all of", "none of", "all of")


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


# --- why it fires or not


def cause(decision: Decision, scan: LoreScan) -> str:
    """Why it fires or doesn't, in one sentence without its full stop."""
    if not decision.fired:
        return decision.reason
    return "; ".join(_why_fired(decision, scan))


def _why_fired(decision: Decision, scan: LoreScan) -> Iterator[str]:
    lore, entry = decision.lore, decision.lore.entry
    is_sticky = decision.reason.startswith("it is sticky")
    yield from _called_up_by(decision, scan, is_sticky=is_sticky)
    if is_sticky:
        return
    if lore.secondary and entry.selective and not lore.is_certain:
        yield _AGREED[entry.selective_logic if entry.selective_logic in _AGREED else 0][len(lore.secondary) > 1]
    if _by_chance(lore):
        yield f"probability {entry.probability:g}\u00a0%, {drawn(lore, scan):.1f} was drawn"
    if lore.groups:
        yield f"in group {', '.join(lore.groups)}"
    if lore.depth != scan.scan_input.rules.scan_depth and not lore.is_certain:
        yield f"scan depth {lore.depth}"


def _called_up_by(decision: Decision, scan: LoreScan, *, is_sticky: bool) -> Iterator[str]:
    matched = decision.matched
    if is_sticky or decision.lore.entry.constant or matched is None:
        yield decision.reason
    elif matched.where.startswith("lore:"):
        yield f"called up by {scan[matched.where].title}"
    else:
        yield "its key was found" if len(matched.keys) == 1 else f"{len(matched.keys):,} of its keys were found"


_AGREED = {
    0: ("with its second key", "with one of its second keys"),
    1: ("without its second key", "without one of its second keys"),
    2: ("without its second key", "without its second keys"),
    3: ("with its second key", "with all its second keys"),
}
"""Whether its second keys let it fire, one of them and several, by `selective_logic`."""


def _by_chance(lore: PreparedEntry) -> bool:
    return lore.entry.use_probability and lore.entry.probability < 100


# --- gates with their values


def gates(decision: Decision, scan: LoreScan) -> Iterator[tuple[str, str, str]]:
    """Every gate that this entry has: its name, its value, and passed, stopped or not asked."""
    order = [*GATES]
    furthest = order.index(decision.gate) if decision.gate and decision.gate in GATES else len(order)
    for gate, name, value in _values(decision, scan):
        place = order.index(gate)
        state = "passed" if place < furthest else "stopped" if place == furthest else "not asked"
        stopped = f"{decision.reason}: {value}" if gate == "secondary-keys" else decision.reason
        yield name, stopped if state == "stopped" else value, state


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
        logic = _LOGIC[entry.selective_logic if 0 <= entry.selective_logic < len(_LOGIC) else 0]
        yield "secondary-keys", "second keys", f"{logic} {words}" if len(entry.keysecondary) > 1 else words
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


def change_label(decision: Decision) -> str:
    """The nearest change as a button says it; empty where none is known."""
    words = ", ".join(_parts(decision))
    return f"{words[:1].upper()}{words[1:]}"


def nearest(decision: Decision, scan: LoreScan) -> str:
    """The nearest change that makes it fire, or keeps it out, and what else would, without a full stop."""
    words = ", ".join(_parts(decision))
    reached = _reaches(decision, scan)
    return "; ".join(
        filter(None, [f"{words}, which reaches message {reached}" if reached else words, aside(decision, scan)])
    )


def aside(decision: Decision, scan: LoreScan) -> str:
    """A clause on what time or chance would do about it; empty where they have no part in it."""
    lore, chat = decision.lore, scan.scan_input.chat
    if decision.gate == "cooldown" and (wait := _until_cool(lore, scan)):
        return f"its cooldown ends in {counted(wait, 'message')}"
    if decision.gate == "delay" and lore.entry.delay:
        return f"its delay ends in {counted(lore.entry.delay - len(chat.messages), 'message')}"
    is_chance_alone = decision.gate == "probability" and decision.nearest == NearestChange(entry={"probability": 100})
    if is_chance_alone and lore.entry.probability > 0:
        return f"{_enough(drawn(lore, scan))}\u00a0% would do, or another seed"
    return ""


def _parts(decision: Decision) -> Iterator[str]:
    change = decision.nearest
    if change.book:
        yield "its book for every model"
    if change.message is not None:
        yield f"add a message “{short(change.message)}”"
    for name, value in change.entry.items():
        yield _field(name, value, decision.lore)
    more = change.settings.get("max_passes")
    if more is not None:
        yield f"{counted(more, 'pass', 'passes')} allowed"


def _field(name: str, value: Any, lore: PreparedEntry) -> str:
    match name, value:
        case "scanDepth", int(depth):
            return f"scan depth {depth}"
        case "probability", _:
            return f"probability {value:g}\u00a0%"
        case "key", list():
            return f"only these keys: {short(', '.join(value))}" if value else "none of its keys"
        case "disable", _:
            return "switch it off" if value else "switch it on"
        case "triggers", _:
            return f"not only for {', '.join(lore.entry.triggers)}"
        case "delay" | "cooldown", _:
            return f"without its {name} of {counted(getattr(lore.entry, name), 'message')}"
        case _:
            return _PLAIN.get(name, f"{name}: {value}")


_PLAIN = {
    "content": "without @@dont_activate",
    "group": "without its group",
    "groupOverride": "group override",
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


def _reaches(decision: Decision, scan: LoreScan) -> int:
    """Number of the oldest message that a greater scan depth brings into sight; 0 where it brings none."""
    depth, messages = decision.nearest.entry.get("scanDepth"), len(scan.scan_input.chat.messages)
    if not isinstance(depth, int) or not decision.lore.depth < depth <= messages:
        return 0
    return messages - depth + 1


def _enough(percent: float) -> int:
    """The least whole number of percent that chance would have let pass."""
    return min(100, -int(-percent // 1))


def _until_cool(lore: PreparedEntry, scan: LoreScan) -> int:
    return EntryTiming(scan.scan_input.chat, rests_by_turn=scan.scan_input.rules.is_exact).until_cool(lore)
