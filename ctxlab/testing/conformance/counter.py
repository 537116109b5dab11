"""The counters that cases declare: one token a word or a character, so that no tokenizer is needed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DeclaredCounter:
    """Counts what stands between blanks (`words`) or code points (`characters`), and adds a number a message.

    >>> DeclaredCounter("words").count("three little words")
    3
    """

    unit: str = "words"
    message_tokens: int = 0
    request_tokens: int = 0

    @classmethod
    def of(cls, declared: Mapping[str, Any] | None) -> DeclaredCounter:
        """The counter of a case: `unit`, `perMessage` and `perRequest`; words alone where it declares none."""
        given = declared or {}
        return cls(given.get("unit", "words"), given.get("perMessage", 0), given.get("perRequest", 0))

    @property
    def name(self) -> str:
        return f"{self.unit}+{self.message_tokens}"

    @property
    def estimated(self) -> bool:
        return False

    def count(self, text: str) -> int:
        return len(text.split()) if self.unit == "words" else len(text)

    def count_draft(self, draft: Draft) -> int:
        """Tokens of a message: its text, the names and arguments of its calls, and those of every message."""
        texts = [str(draft.text), *(part for call in draft.calls for part in (call.name, call.arguments))]
        return sum(map(self.count, texts)) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return False

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return sum(self.count(json.dumps(tool, ensure_ascii=False)) for tool in tools)
