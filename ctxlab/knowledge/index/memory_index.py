"""The index that is there without anything else: words in an inverted index, vectors in a matrix, both in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from ctxlab.context.knowledge_hit import WordShare
from ctxlab.display.short_texts import counted
from ctxlab.engines.ranking.conversation_scores import BY_LENGTH, SATURATION, word_weight
from ctxlab.knowledge.index.postings import Occurrences, Postings, counts_of
from ctxlab.knowledge.index.protocol import IndexedText, Scored, WordStatistics
from ctxlab.knowledge.index.vector_rows import VectorRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Numbers = NDArray[np.float64]

AT_ONCE = 50
"""Texts whose words are put in before searches get their turn."""
WORTH_REBUILDING = 2
"""An index is built anew when so many times the texts that are left have been in it."""
LEAST_REBUILT = 1000
DIGITS = 6
"""Digits of a cosine that are the same on every machine, in whatever order its products are added up."""


class MemoryIndex:
    """Texts in memory, found by cosine and by BM25. Adding a text costs the same whatever is there."""

    def __init__(self, texts: Sequence[IndexedText] = ()) -> None:
        self._lock = RLock()
        self._embedder: str | None = None
        self._fresh()
        self.add(texts)

    def _fresh(self) -> None:
        self._texts: list[IndexedText] = []
        self._numbers: dict[str, int] = {}
        self._gone: set[int] = set()
        self._postings = Postings()
        self._vectors = VectorRows()
        self._waiting: dict[int, None] = {}
        self._words = 0

    def __repr__(self) -> str:
        return f"MemoryIndex({counted(len(self), 'text')})"

    def __len__(self) -> int:
        return len(self._numbers)

    def ids(self) -> list[str]:
        with self._lock:
            return list(self._numbers)

    def add(self, texts: Sequence[IndexedText]) -> None:
        for start in range(0, len(texts), AT_ONCE):
            batch = texts[start : start + AT_ONCE]
            counts = counts_of([each.text for each in batch])
            with self._lock:
                for each, (words, length) in zip(batch, counts, strict=True):
                    self._forget(each.id)
                    number = len(self._texts)
                    self._numbers[each.id] = number
                    self._texts.append(each)
                    self._waiting[number] = None
                    self._postings.add(words, length)
                    self._words += length

    def remove(self, ids: Iterable[str]) -> None:
        with self._lock:
            for id in ids:
                self._forget(id)
            if len(self._gone) > max(LEAST_REBUILT, (WORTH_REBUILDING - 1) * len(self._numbers)):
                self._rebuild()

    def _forget(self, id: str) -> None:
        number = self._numbers.pop(id, None)
        if number is not None:
            self._gone.add(number)
            self._waiting.pop(number, None)
            self._words -= self._postings.lengths[number]

    def _rebuild(self) -> None:
        left = [self._texts[number] for number in self._numbers.values()]
        held, numbers = self._vectors.held(), dict(self._numbers)
        self._fresh()
        self.add(left)
        if held is not None:
            row_of = {int(text): row for row, text in enumerate(held[0])}
            ids = [each.id for each in left if numbers[each.id] in row_of]
            self.add_vectors(ids, held[1][[row_of[numbers[id]] for id in ids]])

    # --- vectors

    def use_vectors_of(self, embedder: str) -> None:
        with self._lock:
            if self._embedder not in (None, embedder):
                self._vectors = VectorRows()
                self._waiting = dict.fromkeys(self._numbers.values())
            self._embedder = embedder

    def without_vectors(self, limit: int) -> list[IndexedText]:
        with self._lock:
            return [self._texts[number] for number, _ in zip(self._waiting, range(limit), strict=False)]

    def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        import numpy as np

        with self._lock:
            rows = [row for row, id in enumerate(ids) if self._numbers.get(id) in self._waiting]
            if rows:
                numbers = [self._numbers[ids[row]] for row in rows]
                self._vectors.add(np.array(numbers, np.int64), vectors[rows])
                for number in numbers:
                    del self._waiting[number]

    def search_vector(self, vector: Vector, *, limit: int, also: Sequence[str] = ()) -> list[Scored]:
        import numpy as np

        with self._lock:
            held, texts, gone = self._vectors.held(), self._texts, np.fromiter(self._gone, np.int64)
            wanted = self._numbers_of(also)
        if held is None or held[1].shape[1] != len(vector):
            return []
        numbers, matrix = held
        cosines = np.round(np.clip(matrix @ vector, -1, 1).astype(np.float64), DIGITS)
        if len(gone):
            kept = np.isin(numbers, gone, invert=True)
            numbers, cosines = numbers[kept], cosines[kept]
        places, ranks = best_places(cosines, limit, _places_of(wanted, numbers))
        rows = zip(places.tolist(), ranks.tolist(), strict=True)
        return [Scored(texts[numbers[at]].id, float(cosines[at]), rank) for at, rank in rows]

    # --- words

    def statistics(self, words: Sequence[str]) -> WordStatistics:
        with self._lock:
            found = self._occurrences(words)
            return WordStatistics(len(self), self._words, {word: len(each.texts) for word, each in found.items()})

    def search_words(
        self,
        words: Mapping[str, float],
        *,
        limit: int,
        statistics: WordStatistics | None = None,
        also: Sequence[str] = (),
    ) -> list[Scored]:
        import numpy as np

        with self._lock:
            found = self._occurrences(list(words))
            texts, lengths = self._texts, np.array(self._postings.lengths, np.int32)
            known = statistics or WordStatistics(len(self), self._words, {w: len(o.texts) for w, o in found.items()})
            wanted = self._numbers_of(also)
        damped = _damped(lengths, known)
        shares = {word: words[word] * _shares(each, damped, word, known) for word, each in found.items()}
        scores = np.zeros(len(lengths))
        for word, share in shares.items():
            scores[found[word].texts] += share
        numbers = np.flatnonzero(scores)
        places, ranks = best_places(scores[numbers], limit, _places_of(wanted, numbers))
        best = numbers[places]
        brought = _brought(best, found, shares)
        rows = zip(best.tolist(), ranks.tolist(), brought, strict=True)
        return [Scored(texts[at].id, sum([share.score for share in parts]), rank, parts) for at, rank, parts in rows]

    def _occurrences(self, words: Sequence[str]) -> dict[str, Occurrences]:
        """The texts of each word that is in any, without those that are gone."""
        import numpy as np

        found = {word: each for word in words if (each := self._postings.having(word)) is not None}
        if self._gone:
            gone = np.fromiter(self._gone, np.int64)
            for word, each in found.items():
                kept = np.isin(each.texts, gone, invert=True)
                found[word] = Occurrences(each.texts[kept], each.times[kept])
        return {word: each for word, each in found.items() if len(each.texts)}

    def _numbers_of(self, ids: Sequence[str]) -> list[int]:
        return [self._numbers[id] for id in ids if id in self._numbers]


# --- scores


def _damped(lengths: NDArray[np.int32], known: WordStatistics) -> Numbers:
    mean = known.words / known.texts if known.texts else 1.0
    return SATURATION * (1 - BY_LENGTH + BY_LENGTH * lengths.astype(float) / (mean or 1.0))


def _shares(found: Occurrences, damped: Numbers, word: str, known: WordStatistics) -> Numbers:
    """The share of a word in the score of each text that has it: Okapi BM25."""
    count = (known.found_in or {}).get(word, len(found.texts))
    return word_weight(known.texts, count) * found.times * (SATURATION + 1) / (found.times + damped[found.texts])


def _brought(
    numbers: NDArray[np.int64], found: Mapping[str, Occurrences], shares: Mapping[str, Any]
) -> list[tuple[WordShare, ...]]:
    """The share of each word in the score of each of these texts, in the order in which it is added."""
    import numpy as np

    parts: list[list[WordShare]] = [[] for _ in numbers]
    for word, each in found.items():
        at = np.minimum(np.searchsorted(each.texts, numbers), len(each.texts) - 1)
        for i in np.flatnonzero(each.texts[at] == numbers):
            parts[i].append(WordShare(word, float(shares[word][at[i]])))
    return [tuple(each) for each in parts]


def _places_of(wanted: Sequence[int], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places among `numbers` of those that are wanted and there."""
    import numpy as np

    if not wanted or not len(numbers):
        return np.zeros(0, np.int64)
    sorter = np.argsort(numbers, kind="stable")
    at = np.minimum(np.searchsorted(numbers, wanted, sorter=sorter), len(numbers) - 1)
    places = sorter[at]
    return places[numbers[places] == wanted]


def best_places(
    scores: NDArray[Any], limit: int, also: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the best scores and of those in `also`, best first, of equal ones the first; and their ranks."""
    import numpy as np

    near = np.arange(len(scores))
    if limit < len(scores):
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit] if limit > 0 else np.inf
        near = np.flatnonzero(scores >= least)
    best = near[np.argsort(-scores[near], kind="stable")][: max(limit, 0)]
    more = np.setdiff1d(also, best)
    if not len(more):
        return best, np.arange(1, len(best) + 1)
    more = more[np.argsort(-scores[more], kind="stable")]
    falling = np.sort(-scores)
    before, after = (np.searchsorted(falling, -scores[more], side) for side in ("left", "right"))
    equal = [
        int((scores[:at] == scores[at]).sum()) if same > 1 else 0 for at, same in zip(more, after - before, strict=True)
    ]
    return np.concatenate([best, more]), np.concatenate([np.arange(1, len(best) + 1), 1 + before + equal])
