"""Token counts of the texts of messages alone, by an encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.engines.tokens.estimated_range import estimated_range
from ctxlab.engines.tokens.tokenizer import Tokenizer
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.token_range import TokenRange


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    """Counts the tokens of a message's text, plus m: "o200k_base+4" is the encoding's count and m = 4.

    Nothing else counts: no names, calls, files or tool definitions.

    >>> TextTokenizer(Tokenizer.of_encoding("o200k_base"), 4).count("hello world")
    2
    """

    encoding: Tokenizer
    message_tokens: int

    @property
    def request_tokens(self) -> int:
        return 0

    @property
    def estimated(self) -> bool:
        return self.encoding.estimated

    @property
    def name(self) -> str:
        return f"{self.encoding.name}+{self.message_tokens}"

    def count(self, text: str) -> int:
        """Tokens of a text without those of a message; "" has none."""
        return self.encoding.count(text)

    def count_draft(self, draft: Draft) -> int:
        return self.encoding.count_text(draft.text) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return self.estimated

    @property
    def safe(self) -> TextTokenizer:
        """This tokenizer by the safe side of its encoding, where that is an estimate; else itself."""
        safe = self.encoding.safe
        return self if safe is self.encoding else TextTokenizer(safe, self.message_tokens)

    def token_range(self, drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]] = ()) -> TokenRange | None:
        """The range of a prompt's tokens by open vocabularies; None where the encoding is no estimate."""
        if not self.encoding.estimates_texts:
            return None
        return estimated_range(
            lambda counts: TextTokenizer(self.encoding.counting_by(counts), self.message_tokens), drafts, tools
        )

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return 0
