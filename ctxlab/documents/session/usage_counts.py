"""Fields in which vendors count tokens, and what a count is."""

from __future__ import annotations

from typing import Final, TypeGuard

COUNTS: Final = (
    *("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens"),
    *("promptTokenCount", "candidatesTokenCount", "totalTokenCount", "thoughtsTokenCount"),
)
"""Counts without which the others say nothing."""


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value counts something: a whole number from 0 on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
