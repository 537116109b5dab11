"""Timed effects in messages: sticky, cooldown and delay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import Chat


class EntryTiming:
    """Messages since entries fired. Records of messages that aren't on this path don't count."""

    def __init__(self, chat: Chat, place_of: Callable[[str], int | None] | None = None) -> None:
        """`place_of` gives the place of a message by its id; without it all messages are gone through."""
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
        return since + later > 0 and sticky <= since + later < sticky + (cooldown or 0)

    def records(self, old: Mapping[str, str], fired: Iterable[PreparedEntry]) -> dict[str, str]:
        """Activations for the next build: newly fired entries are recorded, a running stickiness isn't restarted."""
        new = dict(old)
        for lore in fired:
            if self.newest and not self.is_sticky(lore):
                new[lore.key] = self.newest
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
