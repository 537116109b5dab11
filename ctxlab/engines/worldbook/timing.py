"""Timed effects in messages: sticky, cooldown and delay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import Chat

RESTS = "rests:"
"""Before an entry's key in the records: the message at which the rest of one that was sticky began."""


class EntryTiming:
    """Messages since entries fired. Records of messages that aren't on this path don't count."""

    def __init__(
        self, chat: Chat, place_of: Callable[[str], int | None] | None = None, *, rests_by_turn: bool = False
    ) -> None:
        """`place_of` gives the place of a message by its id; without it all messages are gone through.

        With `rests_by_turn` an entry that was sticky rests from the first turn on in which it no longer is, as in
        SillyTavern, else from the message on.
        """
        self.rests_by_turn = rests_by_turn
        self.length = len(chat.messages)
        self.newest = chat.messages[-1].id if chat.messages else ""
        if place_of is None:
            place_of = _places(chat).get if chat.activations else _nowhere
        places = {key: place_of(id) for key, id in chat.activations.items()}
        self._since = {key: self.length - 1 - place for key, place in places.items() if place is not None}

    def since(self, lore: PreparedEntry) -> int | None:
        """Messages that came after the one at which it fired; None when no record says that it did."""
        return self._since.get(lore.key)

    def is_sticky(self, lore: PreparedEntry, *, later: int = 0) -> bool:
        """Whether it still fires because it fired `sticky` messages ago or less; `later` messages from now."""
        sticky = lore.entry.sticky
        since = self._since.get(lore.key) if sticky else None
        return since is not None and 0 < since + later < (sticky or 0)

    def cools(self, lore: PreparedEntry, *, later: int = 0) -> bool:
        """Whether the entry is in its cooldown: `cooldown` messages after its stickiness ends."""
        cooldown = lore.entry.cooldown
        since = self._since.get(lore.key) if cooldown else None
        if since is None:
            return False
        sticky = max(0, lore.entry.sticky or 0)
        if sticky and self.rests_by_turn:
            rested = self._since.get(f"{RESTS}{lore.key}")
            if rested is None:
                return since + later >= sticky
            return 0 <= rested + later < (cooldown or 0)
        return since + later > 0 and sticky <= since + later < sticky + (cooldown or 0)

    def until_cool(self, lore: PreparedEntry) -> int:
        """Messages until its cooldown is over; 0 where it has none."""
        since, sticky, cooldown = self.since(lore), max(0, lore.entry.sticky or 0), lore.entry.cooldown or 0
        if since is None:
            return 0
        if sticky and self.rests_by_turn:
            return max(0, cooldown - self._since.get(f"{RESTS}{lore.key}", 0))
        return max(0, sticky + cooldown - since)

    def records(
        self, old: Mapping[str, str], fired: Iterable[PreparedEntry], lores: Iterable[PreparedEntry] = ()
    ) -> dict[str, str]:
        """Activations for the next build: newly fired entries are recorded, a running stickiness isn't restarted.

        Where rests go by turns, those that begin are recorded as well, and a record of this same message, as of an
        answer that is now given anew, is made anew.
        """
        new = dict(old)
        if self.rests_by_turn:
            for lore in lores:
                rest = f"{RESTS}{lore.key}"
                if self._since.get(lore.key) == 0:
                    new.pop(lore.key, None)
                elif lore.entry.sticky and rest not in self._since and self.cools(lore):
                    new[rest] = self.newest
        for lore in fired:
            if self.newest and not self.is_sticky(lore):
                new[lore.key] = self.newest
                new.pop(f"{RESTS}{lore.key}", None)
        return new


def _places(chat: Chat) -> dict[str, int]:
    """Places of messages by id; one that isn't sent stands before the next one that is."""
    place = {spoken.id: i for i, spoken in enumerate(chat.messages) if spoken.id}
    following = len(chat.messages)
    for id in reversed(chat.path):
        following = place[id] if id in place else place.setdefault(id, following - 1)
    return place


def _nowhere(id: str) -> int | None:
    return None
