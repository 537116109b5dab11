"""Places of a text that a fact has taken, so that no other one reads a part of it."""

from __future__ import annotations


class Taken:
    """Characters of a text that are taken, by ranges; a range is taken once."""

    __slots__ = ("_marks",)

    def __init__(self, length: int) -> None:
        self._marks = bytearray(length)

    def is_free(self, start: int, end: int) -> bool:
        """Whether no character of the range is taken."""
        return self._marks.find(1, start, end) < 0

    def take(self, start: int, end: int) -> bool:
        """Whether the range was free; it is taken afterwards."""
        if not self.is_free(start, end):
            return False
        self._marks[start:end] = b"\x01" * (end - start)
        return True

    def take_all(self, start: int, end: int) -> None:
        """Take what is still free of the range."""
        self._marks[start:end] = b"\x01" * (end - start)
