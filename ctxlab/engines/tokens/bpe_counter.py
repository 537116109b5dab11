"""Exact BPE counts of an encoding: short texts in one go, long ones in pieces; and the cache of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ctxlab.engines.tokens.encodings import encoding
from ctxlab.engines.tokens.few_words import FewWords
from ctxlab.engines.tokens.split import LONG_RUN, SHORT, count_joined, count_unbroken, pieces

MAX_ENTRIES = 200_000
MAX_CHARACTERS = 16_000_000


class CountCache:
    """Token counts of texts, cached for the texts that were counted lately.

    Two generations: when the young one is full it becomes the old one, and what is asked for again moves up. So at
    most twice `max_entries` texts and twice `max_characters` are kept, and a hit is one look into a dict. Threads may
    share it: at worst a text is counted twice. The empty text has 0 tokens whatever `count` says.
    """

    __slots__ = ("_characters", "_old", "_young", "count", "max_characters", "max_entries")

    def __init__(
        self,
        count: Callable[[str], int],
        *,
        max_entries: int = MAX_ENTRIES,
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        self.count = count
        self.max_entries = max_entries
        self.max_characters = max_characters
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._characters = 0

    def __repr__(self) -> str:
        return f"Counts({len(self)} texts)"

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __call__(self, text: str) -> int:
        tokens = self._young.get(text)
        return self._miss(text) if tokens is None else tokens

    def known(self, text: str) -> int | None:
        """The count if it is remembered; nothing is counted."""
        tokens = self._young.get(text)
        return self._old.get(text) if tokens is None else tokens

    def keep(self, text: str, tokens: int) -> None:
        """Remember a count that was found in another way."""
        size = len(text)
        if size > self.max_characters:
            return
        if self._characters + size > self.max_characters or len(self._young) >= self.max_entries:
            self._old = self._young
            self._young = {}
            self._characters = 0
        self._young[text] = tokens
        self._characters += size

    def clear(self) -> None:
        """Forget everything."""
        self._young, self._old, self._characters = {}, {}, 0

    def _miss(self, text: str) -> int:
        if not text:
            return 0
        tokens = self._old.get(text)
        if tokens is None:
            tokens = self.count(text)
        self.keep(text, tokens)
        return tokens


class ExactCounter:
    """Counts tokens in one encoding; the encoder is loaded once there is much to count.

    `counts` remembers whole texts. The pieces of long ones are remembered apart, so that a text that grows at its end
    is encoded anew only there.
    """

    __slots__ = ("_few", "_length", "_pieces", "counts", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts = CountCache(self.measure)
        self._pieces = CountCache(self._unbroken, max_characters=4_000_000)
        self._few = FewWords(name)
        self._length: Callable[[str], int] = self._of_few

    def __repr__(self) -> str:
        return f"Exact({self.name!r}, {len(self.counts)} texts)"

    def measure(self, text: str) -> int:
        """The count, not remembered. Text that spells a special token is text."""
        if len(text) <= SHORT:
            return self._length(text)
        *front, tail = pieces(text)
        return sum(map(self._pieces, front)) + self._unbroken(tail)

    def joined(self, texts: Sequence[str]) -> int:
        """The count of the texts put together; those counted before are not encoded again."""
        return count_joined(texts, self.counts, self._seam)

    def _seam(self, text: str) -> int:
        return self._pieces(text) if len(text) <= SHORT else self.measure(text)

    def _unbroken(self, text: str) -> int:
        if len(text) < LONG_RUN:
            return self._length(text)
        return count_unbroken(text, lambda part: self._length(part))

    def _of_few(self, text: str) -> int:
        """The tokens by the ranks alone while there is little to count, then by the encoder, which is loaded."""
        tokens = self._few.count(text)
        if tokens is None:
            self._few = FewWords(self.name)  # without the ranks of the one that was asked
            encode = encoding(self.name).encode_ordinary
            self._length = lambda text: len(encode(text))
            return self._length(text)
        return tokens


@cache
def exact_counter(name: str) -> ExactCounter:
    """The counts of an encoding, shared by the whole process."""
    return ExactCounter(name)
