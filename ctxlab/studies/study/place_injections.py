"""An agent with its injected presets at one place, and a book with its entries at one place."""

from __future__ import annotations

from ctxlab.documents import Agent, MessageNode, Worldbook
from ctxlab.documents.agent.place_preset import placed
from ctxlab.documents.lore import POSITIONS, LoreEntry
from ctxlab.processors.injection.read_preset_placement import HISTORY, SKELETON, requested_placement

TOP, END = "top", "end"
InjectedAt = str | int
"""`top` is in front of the history, `end` behind the newest message, a number the messages behind it."""


def presets_at(agent: Agent, place: InjectedAt) -> Agent:
    """The agent with every preset that has a depth or an anchor at one place; those in the list's order stay there."""
    moved = [_preset_at(preset, place) if _is_injected(preset) else preset for preset in agent.preset_messages]
    return agent.model_copy(update={"preset_messages": tuple(moved)})


def injected_presets(agent: Agent) -> int:
    """Number of the presets that `presets_at` moves."""
    return sum(map(_is_injected, agent.preset_messages))


def lore_at(book: Worldbook, place: InjectedAt) -> Worldbook:
    """The book with every entry at one place; `top` is behind the character, or behind the first system preset."""
    fields: dict[str, object] = {"position": POSITIONS.index("after_char")}
    if place != TOP:
        fields = {"position": POSITIONS.index("at_depth"), "depth": _depth(place)}
    return _with_entries(book, fields)


def frozen_lore(book: Worldbook) -> Worldbook:
    """The book with constant entries: no key, chance, group or time decides on them."""
    return _with_entries(
        book,
        {
            "constant": True,
            "probability": 100,
            "use_probability": True,
            "group": "",
            "sticky": None,
            "cooldown": None,
            "delay": None,
            "delay_until_recursion": False,
        },
    )


def _preset_at(preset: MessageNode, place: InjectedAt) -> MessageNode:
    if place == TOP:
        return placed(preset, anchor=HISTORY, position="before")
    return placed(preset, depth=_depth(place))


def _depth(place: InjectedAt) -> int:
    return 0 if place == END else int(place)


def _is_injected(preset: MessageNode) -> bool:
    return requested_placement(preset) not in (None, SKELETON)


def _with_entries(book: Worldbook, fields: dict[str, object]) -> Worldbook:
    entries: dict[str, LoreEntry] = {name: entry.model_copy(update=fields) for name, entry in book.entries.items()}
    return book.model_copy(update={"entries": entries})
