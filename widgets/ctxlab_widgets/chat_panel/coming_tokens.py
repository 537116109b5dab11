"""Tokens of a text that comes in pieces, as those of the joined text."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import TokenCounter

MOST_OPEN = 400
"""Characters that are counted again with each piece; of a longer end all but the last word is settled."""


@dataclass(slots=True)
class ComingTokens:
    """Counts a growing text: what is settled once, its end anew with each piece, so that it takes no longer with time.

    Pieces are seldom whole tokens; the sum of their counts is far above that of the text.
    """

    counter: TokenCounter | None = None
    _settled: int = 0
    _open: str = ""
    _open_tokens: int = 0
    _kind: str = ""

    @property
    def count(self) -> int:
        return self._settled + self._open_tokens

    def add(self, text: str, kind: str = "text") -> None:
        """Take a piece in; a piece of another kind, such as a thought, begins a text of its own."""
        if self.counter is None or not text:
            return
        if kind != self._kind:
            self._settle(len(self._open))
            self._kind = kind
        self._open += text
        if len(self._open) > MOST_OPEN:
            self._settle(_last_word(self._open))
        self._open_tokens = self._tokens(self._open)

    def _settle(self, end: int) -> None:
        self._settled += self._tokens(self._open[:end])
        self._open, self._open_tokens = self._open[end:], 0

    def _tokens(self, text: str) -> int:
        return self.counter.count(text) if self.counter is not None and text else 0


def _last_word(text: str) -> int:
    """The place before the last blank, with which a token begins; the end where there is none."""
    at = max(text.rfind(" "), text.rfind("\n"))
    return at if at > 0 else len(text)
