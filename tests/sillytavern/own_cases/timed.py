"""Lore with timed effects over ten turns."""

from __future__ import annotations

from typing import Any

from tests.sillytavern.live_cases import entry
from tests.sillytavern.own_cases.description import OwnCase, preset
from tests.sillytavern.own_cases.macros import KEEPER, TALK

SENT = (
    *("Where is the cat?", "It rains.", "And the oven?", "I am cold.", "Tell me of the sea.", "The cat again?"),
    *("It is late.", "The oven hisses.", "The sea is far.", "The cat sleeps."),
)
TEN = tuple(
    {"do": "normal", "send": text, "reply": f"So it is, for the {number}. time."} for number, text in enumerate(SENT, 1)
)
MIXED = (
    *TEN[:2],
    {"do": "swipe", "reply": "Or not."},
    TEN[2],
    {"do": "regenerate", "reply": "Or so."},
    *TEN[3:5],
    {"do": "continue", "reply": "Still."},
    *TEN[5:7],
)


def case(name: str, *entries: Any, **parts: Any) -> OwnCase:
    usual: dict[str, Any] = {"cards": (KEEPER,), "said": TALK, "turns": TEN, "preset": preset()}
    shallow: dict[str, Any] = {"world_info": {"world_info_depth": 2, **parts.pop("world_info", {})}}
    own: dict[str, Any] = {**usual, "worlds": {"bakery": entries}, "about": shallow, **parts}
    return OwnCase(f"timed-{name}", **own)


ALL = (
    entry("The cat is grey.", "cat", sticky=3),
    entry("The oven is old.", "oven", cooldown=4),
    entry("He sailed for years.", "sea", sticky=2, cooldown=2),
    entry("It rains for days.", "rain", delay=8),
    entry("The hour is late.", "late", delay=4, sticky=2, position=4, depth=1),
)

CASES = (
    case("sticky", entry("The cat is grey.", "cat", sticky=2), entry("It mews.", "cat", sticky=5, position=1)),
    case("cooldown", entry("The oven is old.", "oven", "cat", cooldown=3), entry("Salt.", constant=True, cooldown=2)),
    case(
        "delay",
        entry("From six messages on.", "cat", "oven", "sea", delay=6),
        entry("From twelve.", constant=True, delay=12),
        entry("Late in the night.", "late", delay=20),
    ),
    case("together", *ALL),
    case("with-swipes", *ALL, turns=MIXED),
    case(
        "recursion",
        entry("The cat has a bell.", "cat", sticky=3, cooldown=2),
        entry("The bell is brass.", "bell", cooldown=3),
        entry("Brass shines.", "brass", sticky=4, position=1),
        world_info={"world_info_recursive": True},
    ),
    case(
        "groups",
        entry("A grey cat.", "cat", group="pet", groupOverride=True, sticky=2, order=200),
        entry("A red cat.", "cat", group="pet", groupOverride=True, order=100),
        entry("A warm oven.", "oven", "cat", group="pet", groupOverride=True, cooldown=3, order=50),
    ),
    case(
        "tight-budget",
        entry("The cat is grey and sleeps on the sacks of flour all day long.", "cat", sticky=4, order=10),
        entry("The oven is older than the house, and nobody knows who built it.", "oven", cooldown=2, order=50),
        entry("The sea is two days away on foot, and he has walked it twice.", "sea", "cat", order=100),
        world_info={"world_info_budget_cap": 36},
    ),
    case(
        "chinese",
        entry("猫是灰色的。", "cat", "猫", sticky=3),
        entry("炉子很旧。", "炉子", cooldown=3),
        entry("他出过海。", "海", sticky=1, cooldown=4),
        turns=tuple(
            {"do": "normal", "send": text, "reply": "是的。"}
            for text in (
                "猫呢?",
                "下雨了。",
                "炉子还热吗?",
                "海在哪里?",
                "猫!",
                "冷。",
                "炉子。",
                "海。",
                "夜深了。",
                "猫睡了。",
            )
        ),
    ),
)
