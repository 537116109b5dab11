"""Gates that block an entry whatever its keys: switches, filters, timing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.documents.lore import CharacterFilter
from ctxlab.engines.worldbook.prepared_entry import ACTIVATE, DONT_ACTIVATE, PreparedEntry
from ctxlab.engines.worldbook.scan_input import Chat, ScanInput
from ctxlab.engines.worldbook.timing import EntryTiming
from ctxlab.lazy_dataclass import dataclass

GATES: Mapping[str, str] = {
    "disabled": "the entry is switched off",
    "model": "its book is not meant for the model",
    "trigger": "it is for other kinds of turns, such as regenerating",
    "character-filter": "it is for other characters, or not for this one",
    "delay": "the conversation is shorter than the messages that it waits for",
    "cooldown": "it fired a short while ago and rests",
    "recursion-only": "it waits to be called up by other entries",
    "not-in-recursion": "only other entries name it, and it doesn't listen to them",
    "decorator": "its text begins with @@dont_activate",
    "no-key": "none of its keys stands in the messages that are looked at",
    "secondary-keys": "a key was found, but its secondary keys say otherwise",
    "group": "another entry of its group won",
    "probability": "the dice went against it",
    "budget": "it has no room left in the budget of lore",
    "pass-limit": "it would fire in a pass beyond those that are allowed",
}
"""The gates that can block an entry, in the order in which they are checked, and when each is closed."""


@dataclass(frozen=True, slots=True)
class ClosedGate:
    """A gate that blocks an entry, the reason, and the fields that would open it."""

    gate: str
    reason: str
    fix: Mapping[str, Any]


def closed_gates(lore: PreparedEntry, scan_input: ScanInput, clock: EntryTiming) -> list[ClosedGate]:
    """All gates that block an entry before any key is looked at; nearly always none."""
    entry, out = lore.entry, list[ClosedGate]()
    if entry.disable:
        out.append(ClosedGate("disabled", "the entry is switched off", {"disable": False}))
    if entry.triggers and scan_input.chat.trigger not in entry.triggers:
        reason = f"it is for {', '.join(entry.triggers)}, this is {scan_input.chat.trigger}"
        out.append(ClosedGate("trigger", reason, {"triggers": []}))
    if entry.character_filter is not None and not _lets_pass(entry.character_filter, scan_input):
        out.append(
            ClosedGate(
                "character-filter", _left_out(entry.character_filter, scan_input.chat), {"characterFilter": None}
            )
        )
    if entry.delay and clock.length < entry.delay:
        reason = f"it waits for {counted(entry.delay, 'message')}, there {_are(clock.length)}"
        out.append(ClosedGate("delay", reason, {"delay": None}))
    if entry.cooldown and clock.cools(lore) and not clock.is_sticky(lore):
        reason = f"it fired {counted(clock.since(lore) or 0, 'message')} ago and cools down for {entry.cooldown}"
        reason += f", after {entry.sticky} in which it is sticky" if (entry.sticky or 0) > 0 else ""
        out.append(ClosedGate("cooldown", reason, {"cooldown": None}))
    if DONT_ACTIVATE in lore.decorators and ACTIVATE not in lore.decorators:
        out.append(ClosedGate("decorator", "it says @@dont_activate", {"content": lore.content}))
    return out


def _lets_pass(rule: CharacterFilter, scan_input: ScanInput) -> bool:
    if not rule.names and not rule.tags:
        return True
    named, tagged = _meant(rule, scan_input.chat)
    if scan_input.rules.compat == "reference":
        return (named or tagged) != rule.is_exclude
    if rule.is_exclude:
        return not (named or tagged)
    return (named or not rule.names) and (tagged or not rule.tags)


def _left_out(rule: CharacterFilter, chat: Chat) -> str:
    """The reason why a character filter excludes this chat."""
    if chat.names or chat.tags:
        return f"its character filter leaves out {chat.names[0] if chat.names else 'the character'}"
    return f"it is for {', '.join((*rule.names, *rule.tags))}, and there is no character"


def _are(n: int) -> str:
    return f"is {n}" if n == 1 else f"are {n:,}"


def _meant(rule: CharacterFilter, chat: Chat) -> tuple[bool, bool]:
    return not set(rule.names).isdisjoint(chat.names), not set(rule.tags).isdisjoint(chat.tags)
