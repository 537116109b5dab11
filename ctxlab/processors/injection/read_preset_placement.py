"""The place that a stored preset asks for: in the skeleton, at depths, or at an anchor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ctxlab.documents import InjectionStrategy, MessageNode
from ctxlab.documents.misspelt_fields import misspelt_fields
from ctxlab.errors import did_you_mean
from ctxlab.lazy_dataclass import dataclass

HISTORY = "chat_history"
OLDER_HISTORY = "__CHAT_HISTORY__"
"""The anchor of the history in the older form."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A named place that presets can refer to. With `has_template` its placeholder's own text is shown there.

    With `only_if_filled` that text is left out where its macros leave nothing of it.
    """

    id: str
    name: str = ""
    has_template: bool = False
    only_if_filled: bool = False


LORE_BEFORE, LORE_AFTER = "worldInfoBefore", "worldInfoAfter"
CHARACTER = ("charDescription", "charPersonality", "scenario")
EXAMPLES = "dialogueExamples"
CARD_TEXTS = frozenset({*CHARACTER, EXAMPLES})
"""Placeholders that show a card's texts."""
AUTHORS_NOTE = "authorsNote"
MAIN, DEPTH_PROMPT, PERSONA = "main", "depthPrompt", "personaDescription"
PERSONA_ABOVE_NOTE, PERSONA_BELOW_NOTE = "personaAboveNote", "personaBelowNote"
NOTES = frozenset({AUTHORS_NOTE, PERSONA_ABOVE_NOTE, PERSONA_BELOW_NOTE})
"""The author's note, and a persona that goes with it."""
INTERVAL, TRIGGERS, EXAMPLE_START, GROUP_TEXT = "stInterval", "stTriggers", "stExampleStart", "stGroupText"
"""Metadata of a preset: with which of the user's messages a note is sent; the kinds of turns it is meant for; the line
before each of a card's examples; the text in a group."""

ANCHORS: tuple[Anchor, ...] = (
    Anchor(HISTORY, "Chat history"),
    Anchor("user_profile", "User profile", has_template=True),
    # SillyTavern's markers
    Anchor(LORE_BEFORE, "Lore before the character", has_template=True, only_if_filled=True),
    Anchor(PERSONA, "Persona", has_template=True, only_if_filled=True),
    Anchor("charDescription", "Character's description", has_template=True, only_if_filled=True),
    Anchor("charPersonality", "Character's personality", has_template=True, only_if_filled=True),
    Anchor("scenario", "Scenario", has_template=True, only_if_filled=True),
    Anchor(LORE_AFTER, "Lore after the character", has_template=True, only_if_filled=True),
    Anchor(EXAMPLES, "Example messages", has_template=True, only_if_filled=True),
    Anchor(AUTHORS_NOTE, "Author's note", has_template=True, only_if_filled=True),
)

# Placeholders of older files carry these titles instead of a template.
BARE_TITLES = frozenset({"用户档案", "user_profile", "User Profile"})


@dataclass(frozen=True, slots=True)
class RequestedPlacement:
    """The place that a stored preset names, in exactly one of the forms; `order` sorts what lands on the same place.

    Smaller orders go first.
    """

    kind: Literal["skeleton", "depth", "depths", "point", "anchor"]
    depth: float = 0
    config: str = ""
    point: int = 0
    anchor: str = HISTORY
    before: bool = False
    order: float = 100


TYPES = ("default", "skeleton", "depth", "advanced_depth", "anchor")
SIDES = ("before", "after")

SKELETON = RequestedPlacement("skeleton")


def requested_placement(node: MessageNode) -> RequestedPlacement | None:
    """The place that the preset asks for; None when the form is named and the place is not (a depth without a number).

    Without a type, a depth beats an anchor. The older form (insertionPoint, anchorPoint, anchorTarget on the message
    itself) counts when injectionStrategy is absent or names no place.
    """
    strategy = node.injection_strategy
    kind = _kind(strategy) if strategy is not None else None
    if strategy is None or kind is None:
        return _older_form(node)
    order = 100 if strategy.order is None else strategy.order
    if kind == "depth":
        return None if strategy.depth is None else RequestedPlacement("depth", depth=strategy.depth, order=order)
    if kind == "advanced_depth":
        return RequestedPlacement("depths", config=strategy.depth_config or "", order=order)
    if kind == "anchor":
        before = strategy.anchor_position == "before"
        return RequestedPlacement("anchor", anchor=_target(strategy.anchor_target), before=before, order=order)
    return SKELETON


def placement_problems(node: MessageNode) -> Iterator[str]:
    """Misspelt parts of a preset's injectionStrategy: types, sides and fields that aren't known."""
    strategy = node.injection_strategy
    if strategy is None:
        return
    if strategy.type and strategy.type not in TYPES:
        near = did_you_mean(strategy.type, TYPES).removesuffix("?")
        yield f"injectionStrategy.type {strategy.type!r} is not known{near}; it is sent in the order of the presets"
    if strategy.anchor_position and strategy.anchor_position not in SIDES:
        near = did_you_mean(strategy.anchor_position, SIDES).removesuffix("?")
        yield f"injectionStrategy.anchorPosition {strategy.anchor_position!r} is not known{near}; it counts as 'after'"
    yield from misspelt_fields(strategy, "injectionStrategy")


def anchor_id(node: MessageNode) -> str | None:
    """The anchor that this preset is the placeholder of; None for an ordinary message."""
    if node.type in (None, "", "message"):
        return None
    named = str(node.id) if node.type == "placeholder" else node.type
    return HISTORY if named == OLDER_HISTORY else named


def _target(stored: str | None) -> str:
    """The id of the anchor that a preset names; the history where it names none."""
    return HISTORY if not stored or stored == OLDER_HISTORY else stored


def role_in_prompt(node: MessageNode) -> str | None:
    """The preset's role in SillyTavern's prompt, such as charDescription: its marker, or the importer's note."""
    named = node.meta("stPromptName")
    return anchor_id(node) or (named if isinstance(named, str) else None)


def _kind(strategy: InjectionStrategy) -> str | None:
    """The type that the strategy names, else the one that its fields tell; None when it names no place."""
    if strategy.type:
        return strategy.type
    if strategy.depth_config:
        return "advanced_depth"
    if strategy.depth is not None:
        return "depth"
    return "anchor" if strategy.anchor_target else None


def _older_form(node: MessageNode) -> RequestedPlacement:
    if node.insertion_point is not None:
        return RequestedPlacement("point", point=node.insertion_point)
    if node.anchor_target or node.anchor_point:
        return RequestedPlacement("anchor", anchor=_target(node.anchor_target), before=node.anchor_point == "before")
    return SKELETON
