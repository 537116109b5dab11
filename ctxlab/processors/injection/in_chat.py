"""The order inside one depth where its presets, the author's note and lore are one message for each role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ctxlab.documents import MessageNode, Role
from ctxlab.processors.injection.one_message import Seat, Section
from ctxlab.processors.injection.plan import Rank
from ctxlab.processors.injection.read_preset_placement import (
    AUTHORS_NOTE,
    DEPTH_PROMPT,
    PERSONA,
    PERSONA_ABOVE_NOTE,
    PERSONA_BELOW_NOTE,
    role_in_prompt,
)

TURNS: Final[Mapping[Role, int]] = {"assistant": 0, "tool": 0, "user": 1, "system": 2}
"""Which goes first of one depth and one order: in SillyTavern the system's words stand nearest the end."""
USUAL_ORDER: Final = 100
"""The order with which everything goes that isn't one of the preset's prompts."""
_SECTIONS: Final = {
    AUTHORS_NOTE: Section.NOTE,
    PERSONA_ABOVE_NOTE: Section.PERSONA_ABOVE_NOTE,
    PERSONA_BELOW_NOTE: Section.PERSONA_BELOW_NOTE,
    DEPTH_PROMPT: Section.CARD,
    PERSONA: Section.PERSONA,
}


def section_of(node: MessageNode) -> Section:
    """The section of a preset in the message of its depth."""
    return _SECTIONS.get(role_in_prompt(node) or "", Section.PROMPTS)


def seat_at_depth(depth: float, order: float, role: Role, section: Section) -> tuple[Rank, Seat]:
    """The rank among what goes to this depth, and the message there that it is a part of."""
    order = _order_without_turn(order, role) if section is Section.PROMPTS else USUAL_ORDER
    words = f"depth {depth:g} with order {order:g} as {role}"
    return (order, TURNS[role], section), Seat(words, section, is_trimmed=True)


def _order_without_turn(order: float, role: Role) -> float:
    """The order without the quarter for each turn that readers of presets add where roles are mixed."""
    plain = order - TURNS[role] / 4
    return plain if float(plain).is_integer() else order
