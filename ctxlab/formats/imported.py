"""Everything that was read from one source, with what could not be carried."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.display.text import counted
from ctxlab.documents import Library
from ctxlab.formats.loss import Loss


@dataclass(frozen=True, slots=True, repr=False)
class Import(Library):
    """A library that was read from one source; `losses` says what could not be carried.

    `|` with another library is an Import too, with the losses of both.
    """

    losses: tuple[Loss, ...] = ()
    format: str = ""
    source: str = ""

    def __repr__(self) -> str:
        held = self.counts() if self.sessions else [counted(0, "session"), *self.counts()]
        held += [counted(len(self.losses), "loss", "losses")] if self.losses else []
        return f"Import({self.format!r}, {', '.join(held)}, from {self.source!r})"

    def __or__(self, other: Library) -> Import:
        return _joined(self, other)

    def __ror__(self, other: Library) -> Import:
        return _joined(other, self)

    def _place(self) -> str:
        return self.source or "the library"


def _joined(ours: Library, theirs: Library) -> Import:
    first, second = (each if isinstance(each, Import) else Import() for each in (ours, theirs))
    known = set(first.losses)
    return Import(
        **ours.joined_with(theirs),
        losses=(*first.losses, *(loss for loss in second.losses if loss not in known)),
        format=_both(first.format, second.format),
        source=_both(first.source, second.source),
    )


def _both(ours: str, theirs: str) -> str:
    """Each of the names that either lists, once."""
    return ", ".join(dict.fromkeys(name for names in (ours, theirs) for name in names.split(", ") if name))
