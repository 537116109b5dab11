"""The prompts of a SillyTavern preset, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import PROMPT_NAME, Data, converted, text_at
from ctxlab.lazy_dataclass import dataclass

HISTORY: Final = "chatHistory"
MARKERS: Final = {
    HISTORY: "chat_history",
    **{
        name: name
        for name in (
            "worldInfoBefore",
            "worldInfoAfter",
            "charDescription",
            "charPersonality",
            "scenario",
            "personaDescription",
            "dialogueExamples",
        )
    },
}
"""Prompts that only mark a place, and the anchors that they become."""

USUAL: Final = (
    *("main", "worldInfoBefore", "personaDescription", "charDescription", "charPersonality", "scenario", "nsfw"),
    *("worldInfoAfter", "dialogueExamples", HISTORY, "jailbreak"),
)
"""The prompts that are on in SillyTavern without an order of the user's, in order."""

ROLES: Final = ("assistant", "user", "system")
"""As SillyTavern puts them at one depth: system messages are nearest the newest message."""
EVERYONE: Final = 100001
"""The number under which SillyTavern keeps the order for all characters."""
ALWAYS: Final = (
    *("worldInfoBefore", "worldInfoAfter", "charDescription", "charPersonality", "scenario", "personaDescription"),
)
"""Markers that SillyTavern sends at the end of all where the order doesn't name them."""
DEPTH, ORDER = 4, 100
"""Of an absolute prompt that doesn't say."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The order of the prompts that is followed, as identifiers and whether each is on; and its place in the file."""

    entries: tuple[tuple[str, bool], ...] = ()
    index: int | None = None

    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.entries)


def order_of(body: Mapping[str, Any], character_id: int | str | None, losses: list[Loss]) -> Orders:
    """The order for a character's number; without a number that for all characters, and without it the last one."""
    stored = cast("list[Any]", body.get("prompt_order") or [])
    if stored and all("identifier" in coerce.as_object(entry) for entry in stored):
        return Orders(_entries(stored, losses))
    known = [str(coerce.as_object(entry).get("character_id")) for entry in stored]
    if not known:
        return Orders()
    index = known.index(str(EVERYONE)) if str(EVERYONE) in known else len(known) - 1
    if character_id is not None and str(character_id) in known:
        index = known.index(str(character_id))
    elif character_id is not None:
        losses.append(Loss("prompt_order", f"no order for {character_id!r}; that of {known[index]} is followed"))
    order = coerce.as_object(stored[index]).get("order")
    return Orders(_entries(cast("list[Any]", order) if isinstance(order, list) else [], losses), index)


def usual_order(prompts: Mapping[str, Data]) -> Orders:
    """The order of a file that says none."""
    return Orders(tuple([(name, True) for name in USUAL if name in prompts or name in MARKERS]))


def _entries(order: Sequence[Any], losses: list[Loss]) -> tuple[tuple[str, bool], ...]:
    entries: dict[str, bool] = {}
    for n, entry in enumerate(order):
        item = coerce.as_object(entry)
        name = item.get("identifier")
        if not isinstance(name, str) or name in entries:
            why = "names no prompt" if not isinstance(name, str) else f"names {name!r} a second time"
            losses.append(Loss(f"prompt_order, entry {n}", f"{why}; left out"))
            continue
        entries[name] = bool(item.get("enabled"))
    return tuple(entries.items())


def by_identifier(body: Mapping[str, Any], losses: list[Loss]) -> dict[str, Data]:
    prompts: dict[str, Data] = {}
    for n, prompt in enumerate(cast("list[Any]", body.get("prompts") or [])):
        name = coerce.as_object(prompt).get("identifier")
        if not isinstance(name, str) or not name:
            losses.append(Loss(f"prompt {n}", "it has no identifier; left out"))
            continue
        if name in prompts:
            losses.append(Loss(f"prompt {n}", f"there are two {name!r}; the last counts"))
        prompts[name] = cast("Data", prompt)
    return prompts


def is_marker(identifier: str, prompt: Mapping[str, Any]) -> bool:
    return identifier in MARKERS or bool(prompt.get("marker"))


def message(name: str, prompt: Mapping[str, Any], *, enabled: bool, losses: list[Loss]) -> Data:
    """The agent's preset of a prompt, in its place in the order."""
    role = prompt.get("role")
    if role not in (None, "", *ROLES):
        losses.append(Loss(name, f"its role {coerce.shown(role)} is none that is sent; system is used"))
    return {
        "id": name,
        "role": role if role in ROLES else "system",
        "content": converted(text_at(prompt, "content", losses)),
        "name": text_at(prompt, "name", losses) or name,
        "type": "message",
        "is_enabled": enabled,
        "metadata": {PROMPT_NAME: name},
    }
