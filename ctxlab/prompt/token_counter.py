"""The interface of a tokenizer that counts whole messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ctxlab.context import Draft


class TokenCounter(Protocol):
    """Counts tokens. Equal texts always get equal counts."""

    @property
    def name(self) -> str: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def message_tokens(self) -> int:
        """Tokens that the wire format spends on every message."""
        ...

    @property
    def request_tokens(self) -> int:
        """Tokens that the wire format spends once per request."""
        ...

    def count(self, text: str) -> int: ...
    def count_draft(self, draft: Draft) -> int:
        """Everything that the message costs, its overhead included."""
        ...

    def draft_is_estimated(self, draft: Draft) -> bool:
        """Whether the message's count is a guess in part, such as that of a picture of unknown size."""
        ...

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int: ...
