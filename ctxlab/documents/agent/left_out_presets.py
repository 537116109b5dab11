"""Presets that a reader switched off though their file doesn't: why, by a word in their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from ctxlab.documents.session.message import MessageNode

LEFT_OUT: Final = "leftOut"
"""Metadata of a preset: the word for why it is off."""

LeftOut = Literal["not-in-order", "no-marker"]
REASONS: Mapping[str, str] = {
    "not-in-order": "it isn't in the preset's order of prompts",
    "no-marker": "the preset has no marker for it",
}
"""By word, the reason as a person reads it."""


def left_out(preset: MessageNode, why: LeftOut) -> MessageNode:
    """The preset switched off, with the word for why; one that is off already stays as it is."""
    if not preset.enabled:
        return preset
    return preset.with_(is_enabled=False, metadata={**(preset.metadata or {}), LEFT_OUT: why})


def why_left_out(preset: MessageNode) -> tuple[str, str] | None:
    """The word and the reason of a preset that a reader switched off; None where a person did, or it is on."""
    word = (preset.metadata or {}).get(LEFT_OUT)
    return None if preset.enabled or not isinstance(word, str) or word not in REASONS else (word, REASONS[word])
