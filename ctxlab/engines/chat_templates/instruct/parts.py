"""A prompt's messages sorted into what text completion has places for: the story, examples, and the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Final, Literal

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass

Turn = Literal["user", "assistant", "system"]

SLOT_OF: Final = {
    "main": "system",
    "charDescription": "description",
    "charPersonality": "personality",
    "scenario": "scenario",
    "personaDescription": "persona",
}
"""Prompts of a SillyTavern preset, by id, with the text of the story string that each gives."""
CHAT_ALONE: Final = frozenset(
    {"nsfw", "jailbreak", "enhanceDefinitions", "newMainChat", "newGroupChat", "newExampleChat", "groupNudge"}
)
"""Prompts that a preset for chat completion has, and text completion hasn't: the program doesn't send them here."""
EXAMPLES: Final = "dialogueExamples"
SPEAKERS: Final[dict[str, Turn]] = {"example_user": "user", "example_assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class PromptParts:
    """Positions of the messages: `slots` by the name in a story string, blocks of `examples`, the `chat` in order.

    `left_out` are those that text completion has no place for: prompts of chat completion alone, calls and results of
    tools, messages without words.
    """

    slots: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    examples: list[list[int]] = field(default_factory=list["list[int]"])
    chat: list[int] = field(default_factory=list[int])
    left_out: list[int] = field(default_factory=list[int])


def sorted_parts(drafts: Sequence[Draft], *, has_system_prompt: bool) -> PromptParts:
    """The places of messages: by what made them where that is known, else the leading system texts are the system's.

    With `has_system_prompt` the preset's own system prompt stands for the main prompt.
    """
    parts = PromptParts()
    has_card = any(draft.origin.kind == "preset" and draft.origin.ref in SLOT_OF for draft in drafts)
    block: int | None = None
    for number, draft in enumerate(drafts):
        ref = draft.origin.ref if draft.origin.kind == "preset" else ""
        slot = _slot(draft, ref)
        if draft.speaker in SPEAKERS and draft.role == "system":
            if not parts.examples or block is None:
                parts.examples.append([])
            parts.examples[-1].append(number)
            block = len(parts.examples)
            continue
        block = None
        if ref == EXAMPLES or ref in CHAT_ALONE or draft.role == "tool" or (ref == "main" and has_system_prompt):
            parts.left_out.append(number)
        elif slot:
            parts.slots.setdefault(slot, []).append(number)
        elif _is_leading(draft, parts) and not (has_card and draft.origin.kind == "node"):  # else a narrator's words
            parts.slots.setdefault("system", []).append(number)
        elif not draft.text and draft.calls:
            parts.left_out.append(number)
        else:
            parts.chat.append(number)
    return parts


def _is_leading(draft: Draft, parts: PromptParts) -> bool:
    return draft.role == "system" and not parts.chat and not parts.examples and not _is_at_depth(draft)


def _slot(draft: Draft, ref: str) -> str:
    place = draft.placement
    if draft.origin.kind == "lore" and place is not None and place.anchor == "char":
        return "wiBefore" if place.before else "wiAfter"
    if place is not None and place.kind == "anchor" and place.anchor == "main":
        return "anchorBefore" if place.before else "anchorAfter"
    return SLOT_OF.get(ref, "") if draft.role == "system" and not _is_at_depth(draft) else ""


def _is_at_depth(draft: Draft) -> bool:
    return draft.placement is not None and draft.placement.is_in_history


def turn_of(draft: Draft) -> Turn:
    """The turn of a message; a developer's is the system's."""
    return draft.role if draft.role in ("user", "assistant") else "system"
