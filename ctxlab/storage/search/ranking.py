"""BM25 of rows: how often they have each term, how many rows have it, and how long they are.

SQLite's own function counts all rows with a term at each search, and looks up the length of each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

import apsw

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.storage.search.numbers import LENGTHS, size_of

if TYPE_CHECKING:
    import numpy as np

PHRASE = lazy_pattern('"[^"]*"')
MOST_PHRASES = 8
"""Phrases of a term that are counted one by one; of more, all places of a row count."""
MOST_KNOWN = 20_000
SOON = 64
"""Numbers of rows with a term are counted anew when the index has become larger or smaller by one part in so many."""
SATURATION, LENGTH_SHARE = 1.2, 0.75

Row = tuple[int, bytes]
"""The number of a row, and how often it has each term, at most 255."""


def layout_of(terms: Sequence[str], before: str = "") -> str:
    """The numbers of phrases at which terms begin and end in a query, for `occurrences`; `before` comes before them."""
    at = len(PHRASE.findall(before))
    ends: list[int] = [at]
    for term in terms:
        at += len(PHRASE.findall(term))
        ends.append(at)
    return " ".join(map(str, ends))


@lru_cache(64)
def _phrases(layout: str) -> list[range]:
    """The numbers of the phrases of each term."""
    return [range(first, end) for first, end in pairwise(map(int, layout.split()))]


def occurrences(api: apsw.FTS5ExtensionApi, *layout: object) -> bytes:
    """Times that a row has each term, a byte each: as often as the rarest of the phrases of the term that it has."""
    counts = bytearray()
    for phrases in _phrases(str(layout[0])):
        if len(phrases) > MOST_PHRASES:
            counts.append(min(api.inst_count, 255))
            continue
        least = 0
        for phrase in phrases:
            found = len(api.phrase_column_offsets(phrase, 0))
            if found and (not least or found < least):
                least = found
        counts.append(min(least, 255))
    return bytes(counts)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each term, and the mean size of a row in bytes."""

    terms: tuple[float, ...]
    mean_size: float


class Frequencies:
    """Numbers of rows that have a term; those that were counted once are known until the index is much larger."""

    def __init__(self) -> None:
        self._generation, self._rows = "", 0
        self._known: dict[str, int] = {}

    def weights(self, connection: apsw.Connection, terms: Sequence[str]) -> Weights:
        """The weights of terms: of several, rare ones weigh more."""
        facts = {str(name): str(value) for name, value in connection.execute("SELECT name, value FROM facts")}
        rows = max(int(facts["rows"]), 1)
        mean_size = max(int(facts["bytes"]), 1) / rows
        if len(terms) == 1:
            return Weights((1.0,), mean_size)
        if facts["generation"] != self._generation or abs(rows - self._rows) * SOON > self._rows:
            self._known, self._generation, self._rows = {}, facts["generation"], rows
        found = [self._number(connection, term) for term in terms]
        return Weights(tuple(log(1 + max(rows - n + 0.5, 0.0) / (n + 0.5)) for n in found), mean_size)

    def _number(self, connection: apsw.Connection, term: str) -> int:
        found = self._known.get(term)
        if found is None:
            found = int(str(connection.execute("SELECT count(*) FROM fts WHERE fts MATCH ?", (term,)).get))
            if len(self._known) >= MOST_KNOWN:
                self._known = {}
            self._known[term] = found
        return found


def ranked(rows: Sequence[Row], weights: Weights) -> list[tuple[int, float]]:
    """The numbers of rows with their scores, the best first, of equal ones the newest."""
    if not rows:
        return []
    import numpy as np

    numbers = np.array([number for number, _ in rows])
    counts = np.frombuffer(b"".join([count for _, count in rows]), np.uint8).reshape(len(rows), -1).astype(float)
    sizes = _sizes()[numbers % LENGTHS] / weights.mean_size
    damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * sizes)
    scores = (counts * (SATURATION + 1) / (counts + damping[:, None])) @ np.array(weights.terms)
    order = np.lexsort((-numbers, -scores))
    return list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))


@lru_cache(1)
def _sizes() -> np.ndarray:
    import numpy as np

    return np.array([size_of(length) for length in range(LENGTHS)])
