"""What a reader or a writer could not carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ctxlab.documents import Note


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that did not come along: where it was, and what was done about it."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text

    def inside(self, outer: str) -> Loss:
        """The same loss with the larger place named before its own."""
        return replace(self, place=_joined(outer, self.place))


def losses_of(notes: Iterable[Note], outer: str = "") -> list[Loss]:
    """Notes of a lenient reading as losses; the place that a note's text begins with becomes the loss's place."""
    found: list[Loss] = []
    for note in notes:
        place = str(note.details.get("place", ""))
        text = note.text.removeprefix(f"{place}: ") if place else note.text
        found.append(Loss(_joined(outer, place), text))
    return found


def _joined(outer: str, inner: str) -> str:
    return f"{outer}, {inner}" if outer and inner else outer or inner
