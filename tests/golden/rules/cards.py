"""SillyTavern's cards and presets: where ours differs from the reference on purpose."""

from __future__ import annotations

from typing import Any

from tests.golden.cases import Case
from tests.golden.rules.rule import Rule


def _has_no_description(case: Case) -> bool:
    """Whether a case is about a flat card that has a name and a first message, and no description."""
    card = case.input.get("card") or {}
    flat = not str(card.get("spec", "")).startswith("chara_card")
    return flat and bool(card.get("name")) and "first_mes" in card and not card.get("description")


def _is_a_card(case: Case) -> Any:
    return {**case.expected, "is_card": True}


RULES: tuple[Rule, ...] = (
    Rule(
        "systems 5.2: cards without description",
        "a card of version 1 that has a name and a first message is one, whether or not it describes the character",
        ("st_card",),
        _has_no_description,
        _is_a_card,
    ),
)
