"""Exact counts of a few words without an encoder: by the ranks alone, which load in a quarter of its time.

A build of a small chat counts some thousand characters. tiktoken's encoder takes 0.25 s of CPU to be made; a search
through the ranks for words that aren't a token takes a millisecond for a message.
"""

from __future__ import annotations

import binascii
from functools import cached_property
from itertools import pairwise
from typing import Any

from ctxlab.engines.tokens.encodings import FACTS, rank_file, rank_lines
from ctxlab.lazy_pattern import lazy_pattern

MOST = 40_000
"""Characters that are counted like this; after that the encoder is worth its start."""
LONGEST = 256
"""Bytes of a word, such as a sentence of Chinese without a comma. Its time grows with the square of its length."""
SQUARE = 64
"""Squared bytes of a word that take as long as a character of usual ones."""
_NONE = 1 << 30
"""Above all ranks."""
# Letters whose classes are the same in every version of Unicode that encoders and `regex` were made with.
_OLD_LETTERS = lazy_pattern(
    "[\\t\\n\\r -~\\u00a0-\\u024f\\u0391-\\u03a1\\u03a3-\\u03c9\\u0400-\\u045f\\u2010-\\u2027\\u2030-\\u205e"
    "\\u20a0-\\u20b9\\u2190-\\u23ff\\u2500-\\u27bf\\u3000-\\u3003\\u3008-\\u301b\\u3041-\\u3096\\u30a1-\\u30fe\\u4e00-\\u9fa5\\uac00-\\ud7a3"
    "\\uff01-\\uff5e\\U0001f300-\\U0001f64f]*"
)


class FewWords:
    """Counts the tokens of short texts in an encoding until it has seen MOST characters."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left = MOST
        self._counts: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"FewWords({self.name!r}, {self.left:,} characters left)"

    def count(self, text: str) -> int | None:
        """The tokens of a text; None where the encoder has to count it."""
        self.left -= len(text)
        if self.left < 0 or _OLD_LETTERS.fullmatch(text) is None:
            return None
        tokens = 0
        for word in self._words.findall(text):
            found = self._counts.get(word)
            if found is None:
                found = self._counts[word] = self._of_word(word)
            if not found:
                return None
            tokens += found
        return tokens

    def _of_word(self, word: str) -> int:
        """The tokens of a word: its bytes, of which the pair with the lowest rank is joined again and again."""
        whole = word.encode()
        if self._rank(whole) < _NONE:
            return 1
        if len(whole) > LONGEST:
            return 0
        self.left -= len(whole) ** 2 // SQUARE
        parts = [whole[at : at + 1] for at in range(len(whole))]
        ranks = [*(self._rank(a + b) for a, b in pairwise(parts)), _NONE]
        while (least := min(ranks)) < _NONE:
            at = ranks.index(least)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at + 1 < len(parts):
                ranks[at] = self._rank(parts[at] + parts[at + 1])
            if at:
                ranks[at - 1] = self._rank(parts[at - 1] + parts[at])
        return len(parts)

    def _rank(self, token: bytes) -> int:
        return self._ranks.get(binascii.b2a_base64(token, newline=False), _NONE)

    @cached_property
    def _ranks(self) -> dict[bytes, int]:
        """By token in base64 its place in the file, which is in the order of ranks."""
        lines = rank_lines(rank_file(self.name), FACTS[self.name].sha256).split()[::2]
        return dict(zip(lines, range(len(lines)), strict=True))

    @cached_property
    def _words(self) -> Any:
        import regex

        return regex.compile(FACTS[self.name].pattern)
