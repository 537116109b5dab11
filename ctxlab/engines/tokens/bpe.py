"""Exact BPE counts of an encoding: short texts in one go, long ones in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ctxlab.engines.tokens.count_cache import CountCache
from ctxlab.engines.tokens.encodings import encoding
from ctxlab.engines.tokens.split import LONG_RUN, SHORT, count_joined, count_unbroken, pieces


class ExactCounter:
    """Counts tokens in one encoding; the ranks are loaded at the first count.

    `counts` remembers whole texts. The pieces of long ones are remembered apart, so that a text that grows at its end
    is encoded anew only there.
    """

    __slots__ = ("_encode", "_pieces", "counts", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.counts = CountCache(self.measure)
        self._pieces = CountCache(self._unbroken, max_characters=4_000_000)
        self._encode: Callable[[str], list[int]] = self._load

    def __repr__(self) -> str:
        return f"Exact({self.name!r}, {len(self.counts)} texts)"

    def measure(self, text: str) -> int:
        """The count, not remembered. Text that spells a special token is text."""
        if len(text) <= SHORT:
            return len(self._encode(text))
        *front, tail = pieces(text)
        return sum(map(self._pieces, front)) + self._unbroken(tail)

    def joined(self, texts: Sequence[str]) -> int:
        """The count of the texts put together; those counted before are not encoded again."""
        return count_joined(texts, self.counts, self._seam)

    def _seam(self, text: str) -> int:
        return self._pieces(text) if len(text) <= SHORT else self.measure(text)

    def _unbroken(self, text: str) -> int:
        if len(text) < LONG_RUN:
            return len(self._encode(text))
        return count_unbroken(text, lambda part: len(self._encode(part)))

    def _load(self, text: str) -> list[int]:
        self._encode = encoding(self.name).encode_ordinary
        return self._encode(text)


@cache
def exact_counter(name: str) -> ExactCounter:
    """The counts of an encoding, shared by the whole process."""
    return ExactCounter(name)
