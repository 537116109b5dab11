"""Whether one more entry would win its groups and fit into the budget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Any

from ctxlab.engines.worldbook.groups import Contender, resolve_groups
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_passes import Activation, Pass
from ctxlab.engines.worldbook.spent_tokens import AROUND_LORE
from ctxlab.lazy_dataclass import dataclass

FEW = 50
"""Rivals up to which a contest is held again to see who wins; among more the entry is simply given the first place."""

SortKey = tuple[float, ...]
_NOBODY: Mapping[int, Contender] = {}


class Contest:
    """A pass as it would be with one entry more."""

    def __init__(self, this: Pass, scan: Activation) -> None:
        self.this, self.scan = this, scan
        self._members: dict[str, dict[int, Contender]] = {}
        self._firm: dict[str, set[int]] = {}
        for one in this.contenders:
            firm = one.sticky or is_firm(one.lore)
            for name in one.lore.groups:
                self._members.setdefault(name, {})[one.lore.index] = one
                if firm:
                    self._firm.setdefault(name, set()).add(one.lore.index)
        self._entered: _Queue | None = None
        self._all: _Queue | None = None

    # --- groups

    def rivals_of(self, lore: PreparedEntry) -> int:
        """The number of other contenders in its groups, each counted once per shared group."""
        return others(lore, self._members)

    def group_fix(self, lore: PreparedEntry) -> dict[str, Any]:
        """Fields with which it fires for its groups; none where it would win as it is."""
        rivals = self.rivals_of(lore)
        taken = [name for name in lore.groups if name in self.this.taken]
        if not rivals and not taken:
            return {}
        if rivals <= FEW and self._wins(lore):
            return {}
        hopeless = taken or others(lore, self._firm)
        return {"group": ""} if hopeless or lore.scored or lore.entry.group_override else {"groupOverride": True}

    def _wins(self, lore: PreparedEntry) -> bool:
        around = self._all_around(lore)
        if around is None:
            return False
        scan = self.scan
        contenders = [*around, Contender(lore, scan.score(lore, self.this), scan.clock.is_sticky(lore))]
        contenders.sort(key=lambda one: one.lore.sort_key if scan.reference else _place(one.lore, scan))
        settled = resolve_groups(contenders, self.this.taken, scan.draw, compat=scan.scan_input.rules.compat)
        return lore.index not in settled.lost

    def _all_around(self, lore: PreparedEntry) -> list[Contender] | None:
        """All contenders connected to the entry through shared groups; None when they are many."""
        found: dict[int, Contender] = {}
        names, seen = list(lore.groups), set(lore.groups)
        while names:
            for one in self._members.get(names.pop(), _NOBODY).values():
                if one.lore.index == lore.index or one.lore.index in found:
                    continue
                found[one.lore.index] = one
                names += [name for name in one.lore.groups if name not in seen]
                seen.update(one.lore.groups)
            if len(found) > FEW:
                return None
        return list(found.values())

    # --- budget

    def has_room_for(self, lore: PreparedEntry) -> bool:
        """Whether it fits among those that got in; where it has rivals, among all that might have."""
        scan, this = self.scan, self.this
        if lore.entry.ignore_budget or (not scan.budget_can_bind and lore.book_limit is None):
            return True
        if this.is_closed_before or lore.book_index in scan.closed_books:
            return False
        total, of_book = self._queue(everyone=bool(self.rivals_of(lore))).before(lore, scan)
        return fits(lore, this.budget_before + total, this.spent_by_book_before.get(lore.book_index, 0) + of_book, scan)

    def _queue(self, *, everyone: bool) -> _Queue:
        scan = self.scan
        if everyone or scan.reference:
            if self._all is None:
                tokens_of = scan.scan_input.tokens_of
                self._all = _Queue.of(((one.lore, tokens_of(one.lore)) for one in self.this.contenders), scan)
            return self._all
        if self._entered is None:
            tokens_of = scan.scan_input.budget_tokens_of
            self._entered = _Queue.of(((one.lore, tokens_of(one.lore)) for one in self.this.entering), scan)
        return self._entered


@dataclass(slots=True)
class _Queue:
    """Entries in sort order with running sums of tokens, of all books and of each."""

    places: list[SortKey] = field(default_factory=list[SortKey])
    sums: list[int] = field(default_factory=lambda: [0])
    of_book: dict[int, _Queue] = field(default_factory=lambda: dict[int, _Queue]())
    tokens: dict[int, int] = field(default_factory=dict[int, int])

    @classmethod
    def of(cls, entries: Iterable[tuple[PreparedEntry, int]], scan: Activation) -> _Queue:
        queue = cls()
        for lore, tokens in sorted(entries, key=lambda pair: _place(pair[0], scan)):
            queue.tokens[lore.index] = tokens
            for each in (queue, queue.of_book.setdefault(lore.book_index, cls())):
                each.places.append(_place(lore, scan))
                each.sums.append(each.sums[-1] + tokens)
        return queue

    def before(self, lore: PreparedEntry, scan: Activation) -> tuple[int, int]:
        """Tokens of the entries before this one: of all books, of its own book."""
        own = self.of_book.get(lore.book_index, _Queue())
        if scan.reference:  # there groups change the order: everyone may come before it
            mine = self.tokens.get(lore.index, 0)
            return self.sums[-1] - mine, own.sums[-1] - mine
        place = _place(lore, scan)
        return self.sums[bisect_left(self.places, place)], own.sums[bisect_left(own.places, place)]


def is_firm(lore: PreparedEntry) -> bool:
    """Whether an entry can win a group against one that has the group override."""
    return lore.scored or lore.entry.group_override


def others(lore: PreparedEntry, by_group: Mapping[str, Mapping[int, object] | AbstractSet[int]]) -> int:
    """The number of other entries in its groups, each counted once per shared group."""
    groups = [by_group[name] for name in lore.groups if name in by_group]
    return sum(len(indexes) - (lore.index in indexes) for indexes in groups)


def fits(lore: PreparedEntry, spent: int, spent_of_book: int, scan: Activation) -> bool:
    """Whether it fits when that many tokens went before."""
    rules, of_book = scan.scan_input.rules, lore.book_limit
    total, around = rules.budget_tokens, AROUND_LORE + 2 if rules.budget_count == "together" else 0
    room = [total - spent - around] if total is not None else []
    room += [of_book - spent_of_book] if of_book is not None else []
    left = min(room, default=None)
    if left is None:
        return True
    # No token is shorter than a byte: most entries needn't be counted.
    words = scan.scan_input.words_of(lore)
    return len(words.encode("utf-8", "surrogatepass")) <= left or scan.scan_input.count(words) <= left


def _place(lore: PreparedEntry, scan: Activation) -> SortKey:
    return (float(not scan.clock.is_sticky(lore)), *lore.sort_key)
