"""A conversation that grows message by message, with the key hits in it: each message is searched once."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar, overload

from ctxlab.engines.worldbook.key_matches import KeyMatches, patterns_look_back
from ctxlab.engines.worldbook.key_search import Found, KeyHit, KeySearch
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry
from ctxlab.engines.worldbook.scan_input import ScanInput, ScannedMessage
from ctxlab.lazy_dataclass import dataclass

T = TypeVar("T")


class FirstItems(Sequence[T]):
    """The first items of a list that only grows; it shares the list, so that it costs the same however long it is."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: list[T], length: int) -> None:
        self._items, self._length = items, length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple([self._items[i] for i in range(*index.indices(self._length))])
        return self._items[range(self._length)[index]]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._length)

    def __reversed__(self) -> Iterator[T]:
        return (self._items[i] for i in range(self._length - 1, -1, -1))

    def __repr__(self) -> str:
        return f"FirstItems({self._length} items)"


@dataclass(slots=True)
class _UnsentRun:
    """Messages of the path in a row that aren't sent: how many so far, and the place of the next that is."""

    following: int
    count: int = 0


class _Place(NamedTuple):
    """A place among the messages that are sent, or the number, from 1, in a run of those that aren't."""

    number: int
    unsent: _UnsentRun | None = None


class GrowingChat:
    """The messages so far, the place of each, and by key the newest hit."""

    def __init__(self) -> None:
        self._messages: list[ScannedMessage] = []
        self._places: dict[str, _Place] = {}
        self._unsent: _UnsentRun | None = None
        self._hits: _NewestHits | None = None
        self._about: tuple[Mapping[str, Found], Mapping[int, str]] = ({}, {})
        self._prompts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._messages)

    def messages(self) -> FirstItems[ScannedMessage]:
        """All messages so far; stays as it is when more come."""
        return FirstItems(self._messages, len(self._messages))

    def restart(self) -> None:
        """Begin again without messages; the hits of texts that were searched are kept."""
        self._messages, self._places, self._unsent = [], {}, None
        if self._hits is not None:
            self._hits.restart()

    def append(self, message: ScannedMessage) -> None:
        self._messages.append(message)

    def replace(self, messages: Mapping[int, ScannedMessage]) -> None:
        """Other messages at these places."""
        if not messages:
            return
        self._messages = list(self._messages)  # what was handed out stays as it was
        for at, message in messages.items():
            self._messages[at] = message
            if self._hits is not None:
                self._hits.put(at, message.scanned)

    def passed(self, id: str, *, is_sent: bool) -> None:
        """Note that the path went through a message; one that is sent was appended before."""
        if is_sent:
            self._places[id] = _Place(len(self._messages) - 1)
            self._unsent = None
        else:
            self._unsent = self._unsent or _UnsentRun(len(self._messages))
            self._unsent.count += 1
            self._places[id] = _Place(self._unsent.count, self._unsent)

    def place_of(self, id: str) -> int | None:
        """The place of a message among those that are sent; None for one that the path didn't go through.

        Messages that aren't sent stand before the next one that is, each a place before the other.
        """
        place = self._places.get(id)
        if place is None or place.unsent is None:
            return None if place is None else place.number
        return place.unsent.following - 1 - (place.unsent.count - place.number)

    def key_matches(self, scan_input: ScanInput, lores: Sequence[PreparedEntry], search: KeySearch) -> KeyMatches:
        """Key hits in all messages so far, as `KeyMatches.over` gives them; only new messages are searched."""
        if self._hits is None or self._hits.search is not search:
            self._hits = _NewestHits(search, patterns_look_back(lores) if search.has_patterns else 0)
            about = KeyMatches(search)
            about.search_about(scan_input.chat)
            self._about, self._prompts = (about.about, about.problems), about.prompts
        for at in range(len(self._hits), len(self._messages)):
            self._hits.put(at, self._messages[at].scanned)
        chat, problems = self._hits.newest()
        found_about: dict[str, Found] = {
            source: {n: hit for n, hit in found.items() if n not in problems} if problems else found
            for source, found in self._about[0].items()
        }
        matches = KeyMatches(
            search, chat, found_about, self._prompts, problems={**self._about[1], **problems}, remembers=True
        )
        matches.join(scan_input)
        return matches


class _NewestHits:
    """By key the newest text that has it, of a row of texts that grows and in which texts may be replaced."""

    def __init__(self, search: KeySearch, look_back: int) -> None:
        self.search, self.look_back = search, look_back
        self._known: dict[str, tuple[Found, dict[int, str]]] = {}
        self._patterns = frozenset((*search.patterns, *search.marked))
        self.restart()

    def restart(self) -> None:
        self._of_text: list[tuple[Found, Mapping[int, str]]] = []
        self._hit_at: dict[int, list[int]] = {}
        self._problem_at: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._of_text)

    def put(self, at: int, text: str) -> None:
        """Add a text at the end, or replace an earlier one; texts that were not added yet are left to be added."""
        if at > len(self._of_text):
            return
        new = self._known.get(text)
        if new is None:
            new = self._known[text] = self.search.hits_in(text)
        old = ({}, {})
        if at == len(self._of_text):
            self._of_text.append(new)
        else:
            old, self._of_text[at] = self._of_text[at], new
        for places, before, after in ((self._hit_at, old[0], new[0]), (self._problem_at, old[1], new[1])):
            for n in before.keys() - after.keys():
                del places[n][bisect_left(places[n], at)]
            for n in after.keys() - before.keys() if before else after:
                insort(places.setdefault(n, []), at)

    def newest(self) -> tuple[Found, dict[int, str]]:
        """The newest hit of each key, its text the number of texts after it; and why patterns are left out."""
        last, rows = len(self._of_text) - 1, self._of_text
        oldest = len(rows) - self.look_back
        problems = {
            n: rows[places[-1]][1][n] for n, places in self._problem_at.items() if places and places[-1] >= oldest
        }
        found: Found = {}
        for n, places in self._hit_at.items():
            if not places or (n in self._patterns and (places[-1] < oldest or n in problems)):
                continue
            _, start, end = rows[places[-1]][0][n]
            found[n] = KeyHit(last - places[-1], start, end)
        return found, problems
