"""A wish for a compression: which messages, what has to be kept, words to whoever summarises."""

from __future__ import annotations

from ctxlab.chat.compression.must_keep import MustKeep, check_items
from ctxlab.chat.compression.settings import Tier
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wish for a compression: a range from `first` to `last`, all `above` or `below` a message, or everything; ids.

    Without any of them it is the oldest messages, as many as the settings say. `must_keep` and `guidance` are for
    whoever summarises. `protect` of the newest messages stay instead of the settings' number. `tiers` are what may be
    left out, in order; None means the summary alone.
    """

    first: str | None = None
    last: str | None = None
    above: str | None = None
    below: str | None = None
    everything: bool = False
    must_keep: tuple[MustKeep, ...] = ()
    guidance: str = ""
    tiers: tuple[Tier, ...] | None = None
    id: str | None = None
    timestamp: str | None = None
    protect: int | None = None

    @property
    def has_range(self) -> bool:
        """Whether messages are named, or everything is."""
        return self.everything or (self.first, self.last, self.above, self.below) != (None,) * 4


def refuse_contradictions(wanted: Wanted) -> None:
    """Raise WrongArgument where more than one kind of range is named, or an item that nothing can be looked for by."""
    check_items(wanted.must_keep)
    kinds = {
        "first= and last=": wanted.first is not None or wanted.last is not None,
        "above=": wanted.above is not None,
        "below=": wanted.below is not None,
        "everything=": wanted.everything,
    }
    if wanted.protect is not None and wanted.protect < 0:
        raise WrongArgument(f"protect is a number of messages, 0 or more, got {wanted.protect}", function="compress")
    named = [name for name, given in kinds.items() if given]
    if len(named) > 1:
        raise WrongArgument(f"one range at a time: {' or '.join(named)}", function="compress")
