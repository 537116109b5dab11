"""A text that comes in pieces, as a reply does, masked as it is shown."""

from __future__ import annotations

from typing import Final

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets.find_secrets import HIDDEN, secrets_in
from ctxlab.secrets.forms import LONGEST
from ctxlab.secrets.masked_texts import BACK

_UNFINISHED: Final = lazy_pattern(r"[!-~]+\Z")
MOST_HELD: Final = 2 * LONGEST
"""Characters of a word that are held back: by fewer a key is known."""


class MaskedPieces:
    """Gives what can be shown of a text so far; the word at its end is held back, for it may be the half of a key."""

    def __init__(self) -> None:
        self._text, self._shown, self._newest = "", 0, -1

    def add(self, piece: str) -> str:
        """The words that can be shown now, masked."""
        self._text += piece
        unfinished = _UNFINISHED.search(self._text, max(self._shown, len(self._text) - MOST_HELD - 1))
        held = len(unfinished[0]) if unfinished else 0
        return self._upto(len(self._text) - (held if held <= MOST_HELD else 0))

    def end(self) -> str:
        """The words that were held back, masked."""
        return self._upto(len(self._text))

    def _upto(self, end: int) -> str:
        pieces: list[str] = []
        at = self._shown
        for start, stop, shown in secrets_in(self._text) if end > at else ():
            if stop <= at or start >= end:
                continue
            pieces.append(self._text[at : max(start, at)])
            if start != self._newest:  # of one that has grown the mask was shown
                pieces.append(shown if start >= at else HIDDEN)
            self._newest, at = start, stop
        found = "".join((*pieces, self._text[at:end]))
        gone = max(0, end - BACK)
        self._text, self._shown, self._newest = self._text[gone:], max(at, end) - gone, self._newest - gone
        return found
