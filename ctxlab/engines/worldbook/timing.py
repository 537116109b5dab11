"""Timed effects in messages: sticky, cooldown and delay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import Chat


class EntryTiming:
    """Messages since entries fired. Records of messages that aren't on this path don't count."""

    def __init__(self, chat: Chat) -> None:
        self.length = len(chat.messages)
        self.newest = chat.messages[-1].id if chat.messages else ""
        place = {spoken.id: i for i, spoken in enumerate(chat.messages) if spoken.id}
        # A record may name a message that isn't sent: it stands before the next one that is.
        following = self.length
        for id in reversed(chat.path) if chat.activations else ():
            following = place[id] if id in place else place.setdefault(id, following - 1)
        self._since = {
            key: self.length - 1 - place[id] for key, id in chat.activations.items() if place and id in place
        }

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
