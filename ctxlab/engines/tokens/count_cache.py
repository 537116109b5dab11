"""A cache of token counts."""

from __future__ import annotations

from collections.abc import Callable

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
