"""What a reader or a writer could not carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ctxlab.documents import Note


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that did not come along: where it was, and what was done about it.

    `field` is the field of a message that it is about; a file's losses of one field are counted, not listed.
    """

    place: str
    text: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text

    def inside(self, outer: str) -> Loss:
        """The same loss with the larger place named before its own."""
        return replace(self, place=_joined(outer, self.place))


def unused_fields(place: str, fields: Iterable[str], of: str = "a message's text") -> list[Loss]:
    """A loss for each field of something that has no room for it."""
    return [Loss(place, f"{name}: not part of {of}; left out", name) for name in fields]


def counted_by_field(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """The losses, those that say the same of the same field as one: the first, with their number."""
    same: dict[tuple[str, str], list[Loss]] = {}
    for loss in losses:
        if loss.field:
            same.setdefault((loss.field, loss.text), []).append(loss)
    if all(len(those) == 1 for those in same.values()):
        return tuple(losses)
    firsts = {id(those[0]): len(those) for those in same.values()}
    counted = [(loss, firsts.get(id(loss), 0 if loss.field else 1)) for loss in losses]
    return tuple(
        loss if times == 1 else replace(loss, text=f"{loss.text} (here first, {times:,} times in all)")
        for loss, times in counted
        if times
    )


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
