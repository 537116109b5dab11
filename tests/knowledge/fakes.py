"""An embedder for tests: letters of a text, counted; what it was asked for is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ctxlab.knowledge.embedders.embedder import unit_rows


class LetterEmbedder:
    """Texts of the same letters have the same direction."""

    def __init__(self, name: str = "letters", version: str = "1") -> None:
        self.name = name
        self.version = version
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        rows = [np.bincount([ord(letter) % 64 for letter in text if letter != " "], minlength=64) for text in texts]
        return unit_rows(rows, len(texts), self.name)


class BrokenEmbedder:
    """Gives the same thing, whatever it is asked."""

    name = "broken"
    version = "1"

    def __init__(self, gives: object) -> None:
        self.gives = gives

    def embed(self, texts: Sequence[str]) -> Any:
        return self.gives
