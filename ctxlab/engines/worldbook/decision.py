"""The decision on an entry: fired or blocked, by which gate, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook.counterfactual.change import NearestChange
from ctxlab.engines.worldbook.key_matches import MatchedKey
from ctxlab.engines.worldbook.prepared_entry import ACTIVATE, PreparedEntry
from ctxlab.engines.worldbook.scan_passes import BlockedEntry, FiredEntry
from ctxlab.lazy_dataclass import dataclass

COLUMNS = (
    *("key", "book", "book_id", "level", "uid", "title", "fired", "gate", "reason", "matched", "keys"),
    *("where", "start", "end", "lost_to", "tokens", "left", "pass", "rank", "nearest", "remedy"),
    *("content", "role", "position", "depth", "order", "outlet", "dialect"),
)
"""Names of the fields of a decision's row, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Whether an entry fires, by what, or which gate stopped it, and the nearest change.

    `matched` is its first key that was found: in a message (its key), in `persona` and its like, or in another entry
    as it is sent (`lore:...`). `gate` is the furthest gate that an entry came to which doesn't fire; `lost_to` the one
    that won its group. `rank` counts those that fire, from 0.
    """

    lore: PreparedEntry
    fired: bool
    reason: str
    made_in: int
    gate: str | None = None
    matched: MatchedKey | None = None
    lost_to: str | None = None
    tokens: int | None = None
    left: int | None = None
    rank: int | None = None
    find_nearest: Callable[[Decision], NearestChange] | None = None
    """Finds `nearest` when it is first read."""
    _nearest: NearestChange | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """By fields, with the nearest change itself: what finds it holds the whole scan."""
        known = {"find_nearest": None, "_nearest": self.nearest}
        return Decision, tuple([known[name] if name in known else getattr(self, name) for name in _STORED])

    def __repr__(self) -> str:
        return f"Decision({self.key!r}, {'fires' if self.fired else self.gate}: {self.reason})"

    @property
    def key(self) -> str:
        return self.lore.key

    @property
    def title(self) -> str:
        """The entry's title."""
        return self.lore.entry.title

    @property
    def nearest(self) -> NearestChange:
        """The nearest change: what would have made it fire, or kept it out; found when it is first read."""
        found = self._nearest
        if found is None:
            found = NearestChange() if self.find_nearest is None else self.find_nearest(self)
            object.__setattr__(self, "_nearest", found)
        return found

    @property
    def remedy(self) -> str:
        """The nearest change in words."""
        return str(self.nearest)

    def as_data(self) -> dict[str, Any]:
        """A row of the table of decisions; what fires carries all that is needed to place it."""
        lore, entry, matched = self.lore, self.lore.entry, self.matched
        return {
            "key": lore.key,
            "book": lore.book.shown_name,
            "book_id": lore.book.book_id,
            "level": lore.active_book.level,
            "uid": entry.uid,
            "title": entry.title,
            "fired": self.fired,
            "gate": self.gate,
            "reason": self.reason,
            "matched": matched.key if matched else None,
            "keys": list(matched.keys) if matched else [],
            "where": matched.where if matched else None,
            "start": matched.start if matched else None,
            "end": matched.end if matched else None,
            "lost_to": self.lost_to,
            "tokens": self.tokens,
            "left": self.left,
            "pass": self.made_in,
            "rank": self.rank,
            "nearest": self.nearest.as_data(),
            "remedy": self.remedy,
            "content": lore.content if self.fired else None,
            "role": entry.role_name,
            "position": entry.position,
            "depth": entry.depth,
            "order": entry.order,
            "outlet": entry.outlet_name,
            "dialect": lore.book.macro_dialect,
        }


_STORED = tuple([each.name for each in fields(Decision)])


def of_fired(fired: FiredEntry, *, rank: int, find_nearest: Callable[[Decision], NearestChange]) -> Decision:
    return Decision(
        fired.lore,
        fired=True,
        reason=_because(fired),
        made_in=fired.made_in,
        matched=fired.matched,
        tokens=fired.tokens,
        left=fired.left,
        rank=rank,
        find_nearest=find_nearest,
    )


def of_stopped(
    lore: PreparedEntry,
    stopped: BlockedEntry,
    *,
    matched: MatchedKey | None,
    find_nearest: Callable[[Decision], NearestChange],
) -> Decision:
    return Decision(
        lore,
        fired=False,
        reason=stopped.reason,
        made_in=stopped.made_in,
        gate=stopped.gate,
        matched=matched,
        lost_to=stopped.lost_to,
        tokens=stopped.tokens,
        left=stopped.left,
        find_nearest=find_nearest,
    )


def _because(fired: FiredEntry) -> str:
    entry, matched = fired.lore.entry, fired.matched
    if fired.sticky:
        return f"it is sticky for {counted(entry.sticky or 0, 'message')}"
    if entry.constant:
        return "it is constant"
    if ACTIVATE in fired.lore.decorators:
        return "it says @@activate"
    return f"{matched.key!r} stands in {matched.place_words}" if matched else "it is its turn"
