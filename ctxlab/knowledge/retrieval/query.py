"""A query of weighted parts as words with weights, and as one vector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ctxlab.context.knowledge_hit import QueryPart
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.knowledge.embedders import Embedder, vectors_of
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

MOST_WORDS = 200
"""Words of a query that are looked for, the first ones."""


@dataclass(frozen=True, eq=False)
class Query:
    """The parts to search by, each with a text and a weight above 0."""

    parts: tuple[QueryPart, ...]

    @classmethod
    def of(cls, parts: Sequence[QueryPart]) -> Query:
        return cls(tuple([part for part in parts if part.weight > 0 and part.text.strip()]))

    @property
    def text(self) -> str:
        """All parts, one below another."""
        return "\n".join([part.text for part in self.parts])

    @cached_property
    def written(self) -> dict[str, str]:
        """The words to look for, each as it is written where it stands first."""
        found: dict[str, str] = {}
        for part in self.parts:
            for written, term in words_as_written(part.text):
                found.setdefault(term, written)
                if len(found) >= MOST_WORDS:
                    return found
        return found

    @cached_property
    def words(self) -> dict[str, float]:
        """The weight of each word in [0, 1]: the share of the parts that have it, by their weights."""
        total = sum([part.weight for part in self.parts])
        weights = dict.fromkeys(self.written, 0.0)
        for part in self.parts:
            for term in {term for _, term in words_as_written(part.text)}:
                if term in weights:
                    weights[term] += part.weight / total
        return weights

    def vector(self, embedder: Embedder) -> Vector | None:
        """The mean of the parts' vectors by their weights, of unit length; None where no part has a word in it."""
        import numpy as np

        if not self.parts:
            return None
        weights = np.array([part.weight for part in self.parts], np.float32)
        mean = weights @ vectors_of(embedder, [part.text for part in self.parts])
        length = float(np.linalg.norm(mean))
        return (mean / length).astype(np.float32) if length > 0 else None
