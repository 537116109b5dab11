"""Token counts from numbers of characters alone, as published tables of retention count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CharacterTokenizer:
    """Counts max(1, ceil(characters / n)) tokens a message, plus m: "chars4+4" is n = 4 and m = 4.

    Nothing else counts: no names, calls, files or tool definitions. Every count is an estimate.

    >>> CharacterTokenizer(4, 4).count("hello")
    2
    """

    characters: int
    message_tokens: int

    @property
    def request_tokens(self) -> int:
        return 0

    @property
    def estimated(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"chars{self.characters}+{self.message_tokens}"

    def count(self, text: str) -> int:
        """Tokens of a text without those of a message; "" has none."""
        return -(-len(text) // self.characters)

    def count_draft(self, draft: Draft) -> int:
        return max(1, self.count(str(draft.text))) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return True

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return 0
