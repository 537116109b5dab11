"""Passages as they are collected, until the most characters that are read."""

from __future__ import annotations

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.context import Passage, Transcript

BETWEEN = "\n\n"


class PassageCollector:
    """Passages in order, a blank line between two of them; cut after `max_characters`, and `problems` say so."""

    def __init__(self, limits: ReadLimits) -> None:
        self.limits = limits
        self.passages: list[Passage] = []
        self.problems: list[str] = []
        self.left = limits.max_characters
        self.is_full = False

    def add(self, text: str, place: str = "") -> None:
        """One more passage; one without words is left out, and so are all after the one that is cut."""
        text = text.strip("\n")
        if self.is_full or not text.strip():
            return
        if self.passages:
            before = self.passages[-1]
            between = BETWEEN[: self.left]
            self.passages[-1] = Passage(before.text + between, before.place)
            self.left -= len(between)
        if len(text) > self.left:
            self.is_full = True
            self.problems.append(cut_after(self.limits.max_characters, place))
            text = text[: self.left]
        if text:
            self.passages.append(Passage(text, place))
            self.left -= len(text)

    def transcript(self, engine: str) -> Transcript:
        return Transcript(tuple(self.passages), engine, tuple(self.problems))


def cut_after(characters: int, place: str = "") -> str:
    """A sentence that names the place where a text is cut.

    >>> cut_after(200_000, "page 3")
    'the text is cut after 200,000 characters, on page 3'
    """
    return f"the text is cut after {characters:,} characters" + (f", {_preposition(place)} {place}" if place else "")


def _preposition(place: str) -> str:
    return "on" if place.startswith(("page ", "slide ", "sheet ")) else "in"
