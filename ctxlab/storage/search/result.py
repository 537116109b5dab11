"""The result of a search: hits, found as they are asked for, until the search is cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import apsw

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.storage.search.candidates import Stop
from ctxlab.storage.search.hits import SearchHit

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("kind", "id", "program", "file", "key", "role", "agent", "model", "time", "enabled", "on_active_path"),
    *("where", "start", "end"),
)
COUNTED = 1_000
"""Hits that are counted; of more it is said that there are more."""


class SearchResult:
    """Hits in their order. They are found while one goes through them, and kept: a second time costs nothing.

    `cancel()` ends the search from any thread: who goes through the hits gets no more of them.
    """

    def __init__(
        self, query: str, find: Callable[[Stop], Iterator[SearchHit]], *, limit: int | None, offset: int
    ) -> None:
        self.query = query
        self._find, self._limit, self._offset = find, limit, offset
        self._stop = Stop()
        self._found: list[SearchHit] = []
        end = None if limit is None else offset + limit
        self._rest = islice(find(self._stop), offset, end)
        self._is_done = False
        self._all: tuple[int, int, int] | None = None

    def __iter__(self) -> Iterator[SearchHit]:
        at = 0
        while at < len(self._found) or self._find_next():
            yield self._found[at]
            at += 1

    def __getitem__(self, at: int) -> SearchHit:
        while at >= len(self._found) and self._find_next():
            pass
        return self._found[at]

    def __bool__(self) -> bool:
        return bool(self._found) or self._find_next()

    def __repr__(self) -> str:
        if not self._found and not self._is_done:
            found = "not begun"
        else:
            found = self.extent() if self._is_done else f"{len(self._found):,} found so far"
        return f"SearchResult({short(self.query)!r}, {found}{', cancelled' if self.cancelled else ''})"

    def _find_next(self) -> bool:
        if self._is_done:
            return False
        try:
            hit = next(self._rest, None)
        except apsw.InterruptError:
            hit = None
        if hit is None or self._stop.is_set:
            self._is_done = True
            return False
        self._found.append(hit)
        return True

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set

    def cancel(self) -> None:
        """End the search, also in the middle of finding a hit."""
        self._stop.set()

    def extent(self) -> str:
        """These hits of how many, and in how many conversations all are, as "20 of 40 hits, in 3 conversations".

        Of more than 1,000 it is said that there are more.
        """
        shown = sum(1 for _ in self)
        total, inside, sessions = self._counts()
        if total > COUNTED:
            return f"{shown:,} of more than {COUNTED:,} hits"
        hits = counted(total, "hit") if shown == total else f"{shown:,} of {counted(total, 'hit')}"
        if not inside:
            return hits
        return f"{hits}, {'' if inside == total else f'{inside:,} '}in {counted(sessions, 'conversation')}"

    def _counts(self) -> tuple[int, int, int]:
        """The numbers of all hits, of those in sessions, and of these sessions; found once."""
        if self._all is None:
            is_whole = not self._offset and (self._limit is None or len(self._found) < self._limit)
            if is_whole or self.cancelled:
                hits = [*self]
            else:
                try:
                    hits = [*islice(self._find(self._stop), COUNTED + 1)]
                except apsw.InterruptError:
                    hits = self._found
            inside = [hit.id for hit in hits if hit.in_session]
            self._all = len(hits), len(inside), len(set(inside))
        return self._all

    def total(self, at_most: int = 1_000) -> int:
        """The number of all hits, whatever limit and offset are; where there are more than `at_most`, that number.

        After `cancel()` those that were found until then.
        """
        if self._is_done and not self._offset and (self._limit is None or len(self._found) < self._limit):
            return min(len(self._found), at_most)
        if self.cancelled:
            return min(len(self._found), at_most)
        try:
            return sum(1 for _ in islice(self._find(self._stop), at_most))
        except apsw.InterruptError:
            return len(self._found)

    def frame(self) -> pd.DataFrame:
        """One row a hit: what was found, where in which text (`start`, `end` in characters), some words around it."""
        return frame_of([hit.row() for hit in self], (*COLUMNS, "words", "score"))

    def _repr_html_(self) -> str:
        rows = [
            [hit.name or hit.id, hit.program, hit.file, hit.key, hit.role or "", hit.field, hit.snippet.text, hit.time]
            for hit in self
        ]
        columns = ("in", "program", "file", "key", "role", "text", "words", "time")
        return heading(self) + html_table(columns, [[each or "" for each in row] for row in rows], cells=160, of="hits")
