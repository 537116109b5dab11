"""The effect of one more message: words that make an entry fire, and other entries that those words may fire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from ctxlab.engines.worldbook.counterfactual.groups_and_budget import fits, is_firm, others
from ctxlab.engines.worldbook.key_matches import NOT_ALL, NOT_ANY
from ctxlab.engines.worldbook.key_search import Found
from ctxlab.engines.worldbook.keys import Key, PatternKey
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_passes import Activation

OPENED_BY_TIME = ("cooldown", "delay")


class OneMoreMessage:
    """A message after the newest. Entries that may fire with it are overestimated, so that the change works."""

    def __init__(self, scan: Activation) -> None:
        self.scan, self.key_matches = scan, scan.key_matches
        self._is_limited = scan.budget_can_bind
        self._tokens: dict[int, int] | None = None
        self._of_book: Counter[int] = Counter()
        self._total = 0

    # Who competes is asked only where there is something to compete for.

    @cached_property
    def _by_key(self) -> dict[int, list[PreparedEntry]]:
        found: dict[int, list[PreparedEntry]] = {}
        for lore in self.scan.lores:
            for n in lore.own:
                found.setdefault(n, []).append(lore)
        return found

    @cached_property
    def _others(self) -> dict[int, PreparedEntry]:
        return {lore.index: lore for lore in self.scan.lores if self._may_fire_anyway(lore)}

    @cached_property
    def _in_group(self) -> dict[str, set[int]]:
        return _by_group(self._others.values())

    @cached_property
    def _firm_in_group(self) -> dict[str, set[int]]:
        return _by_group(other for other in self._others.values() if _may_stay(other))

    def words_for(self, lore: PreparedEntry) -> tuple[str | None, dict[str, Any]]:
        """Words that match an entry, and fields that have to change as well; None where no words would do."""
        key = next((key for key in lore.primary if isinstance(key, Key)), None)
        if key is None:
            return None, {}
        words, fields = [key.text], dict[str, Any]()
        if lore.depth < 1:
            fields["scanDepth"] = 1
        if lore.level_of_delay:
            fields["delayUntilRecursion"] = False
        if lore.entry.cooldown and self.scan.clock.cools(lore, later=1):
            fields["cooldown"] = None
        if lore.entry.selective and lore.secondary:
            more = self._second_words(lore)
            if more is None:
                fields["selective"] = False
            else:
                words += more
        message = " ".join(words)
        spoken: Found | None = None
        if lore.entry.selective and lore.secondary and "selective" not in fields and _forbids(lore):
            spoken = self.key_matches.search.words_in([message], Found())
            if self._is_forbidden(lore, spoken):
                fields["selective"] = False
        # A new message is a new leaf, and that rolls other dice: nothing is left to them.
        if lore.entry.use_probability and lore.entry.probability < 100:
            fields["probability"] = 100
        self._compete(lore, message, spoken, fields)
        return message, fields

    def _second_words(self, lore: PreparedEntry) -> list[str] | None:
        """The secondary keys that the message must contain too; None when no words would do."""
        plain = [key.text for key in lore.secondary if isinstance(key, Key)]
        match lore.entry.selective_logic:
            case 1 | 2:
                return []
            case 3:
                return plain if len(plain) == len(lore.secondary) else None
            case _:
                return plain[:1] or None

    def _is_forbidden(self, lore: PreparedEntry, spoken: Found) -> bool:
        """Whether its secondary keys might say no to a message with these words."""
        there = [
            isinstance(key, PatternKey)
            or n in spoken
            or self.key_matches.sees(n, lore, before=1, depth=max(lore.depth, 1))
            for key, n in zip(lore.secondary, lore.second, strict=True)
        ]
        return any(there) if lore.entry.selective_logic == NOT_ANY else all(there)

    def _compete(self, lore: PreparedEntry, message: str, spoken: Found | None, fields: dict[str, Any]) -> None:
        limited = (self._is_limited or lore.book_limit is not None) and not lore.entry.ignore_budget
        if not limited and not lore.groups:
            return
        spoken = self.key_matches.search.words_in([message], Found()) if spoken is None else spoken
        called = {other.index: other for n in spoken for other in self._by_key.get(n, ())}
        called.pop(lore.index, None)
        if lore.groups:
            rivals = [other for other in called.values() if not set(other.groups).isdisjoint(lore.groups)]
            if rivals or others(lore, self._in_group):
                is_hard = any(map(_may_stay, rivals)) or others(lore, self._firm_in_group) > 0
                fields |= _group_fix(lore, is_hard=is_hard)
        if limited and not self._fits(lore, called.values()):
            fields["ignoreBudget"] = True

    def _fits(self, lore: PreparedEntry, called: Collection[PreparedEntry]) -> bool:
        """Whether it fits even when all others that may fire come before it."""
        if self._tokens is None:
            self._tokens = {
                other.index: self.scan.scan_input.budget_tokens_of(other) for other in self._others.values()
            }
            for other in self._others.values():
                self._of_book[other.book_index] += self._tokens[other.index]
            self._total = sum(self._tokens.values())
        total, of_book = self._total, self._of_book[lore.book_index]
        own = self._tokens.get(lore.index, 0)
        for other in called:
            if other.index not in self._tokens:
                tokens = self.scan.scan_input.budget_tokens_of(other)
                total += tokens
                of_book += tokens if other.book_index == lore.book_index else 0
        return fits(lore, total - own, of_book - own, self.scan)

    def _may_fire_anyway(self, lore: PreparedEntry) -> bool:
        refused = [refusal.gate for refusal in self.scan.refused.get(lore.index, ())]
        if any(gate not in OPENED_BY_TIME for gate in refused):
            return False
        first = self.scan.passes[0]
        if refused or lore.entry.sticky or any(isinstance(key, PatternKey) for key in lore.primary):
            return True
        stop = self.scan.what_stops(lore, first)
        return stop is None or stop[0] == "secondary-keys"


def _forbids(lore: PreparedEntry) -> bool:
    return lore.entry.selective_logic in (NOT_ALL, NOT_ANY)


def _by_group(lores: Iterable[PreparedEntry]) -> dict[str, set[int]]:
    """Indexes by the name of a group."""
    found: dict[str, set[int]] = {}
    for lore in lores:
        for name in lore.groups:
            found.setdefault(name, set()).add(lore.index)
    return found


def _may_stay(lore: PreparedEntry) -> bool:
    """Whether another may lose a group to it even when that one is to win."""
    return is_firm(lore) or bool(lore.entry.sticky)


def _group_fix(lore: PreparedEntry, *, is_hard: bool) -> dict[str, Any]:
    """Fields with which it wins its groups; `is_hard` says that a rival can win whatever the entry's own fields."""
    if lore.entry.group_override and not is_hard and not lore.scored:
        return {}
    return {"group": ""} if is_hard or lore.scored or lore.entry.group_override else {"groupOverride": True}
