"""Rows that fit a query, the best first by BM25: of very many the newest are ranked, and those with a rare word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import apsw

from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.candidates import AT_ONCE, Candidate, Stop, candidates_of
from ctxlab.storage.search.database import Database
from ctxlab.storage.search.query import all_of, any_of
from ctxlab.storage.search.ranking import Frequencies, Row, layout_of, ranked

RANKED = 500
"""Rows that are ranked at first; each costs some 1 µs."""
RARE = 250
"""Rows that are ranked besides, since a rarer word is in them."""
MORE = 4
"""Times as many rows are ranked next, where all those are not enough."""

Numbers = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RankedQuery:
    """Expressions: of each term, of which all or one are needed, and of the filters."""

    terms: Sequence[str]
    needs_all: bool
    labels: str

    @property
    def text(self) -> str:
        return all_of(self.terms) if self.needs_all else any_of(self.terms)


def best_first(
    database: Database, query: RankedQuery, frequencies: Frequencies, numbers: Numbers, flags: int, stop: Stop
) -> Iterator[tuple[Candidate, float]]:
    """Rows that fit the query with their scores, the best first.

    Where more than RANKED fit, those are the newest ones and all that have a rarer word of several; older rows come
    behind them, several times as many at once, ranked among themselves.
    """
    first, end = numbers
    most, seen = RANKED, set[int]()
    while True:
        with stop.reader(database) as connection:
            rows = _newest(connection, query, (first, end), most)
            is_last = len(rows) < most
            end = rows[-1][0] if rows else first
            if not is_last and not seen and not query.needs_all and len(query.terms) > 1:
                rows += _with_rare_words(connection, query, (first, end))
            fresh = [row for row in rows if row[0] not in seen]
            found = ranked(fresh, frequencies.weights(connection, query.terms))
        yield from _loaded(database, found, flags, stop)
        if is_last:
            return
        seen.update(number for number, _ in fresh)
        most *= MORE


def _loaded(
    database: Database, rows: Sequence[tuple[int, float]], flags: int, stop: Stop
) -> Iterator[tuple[Candidate, float]]:
    for start in range(0, len(rows), AT_ONCE):
        some = dict(rows[start : start + AT_ONCE])
        with stop.reader(database) as connection:
            found = candidates_of(connection, list(some), flags)
        yield from ((candidate, some[candidate.row]) for candidate in found)


def _newest(connection: apsw.Connection, query: RankedQuery, numbers: Numbers, most: int) -> list[Row]:
    """The newest rows that fit, at most so many."""
    sql = (
        "SELECT rowid, occurrences(fts, ?) FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ?"
        " ORDER BY rowid DESC LIMIT ?"
    )
    whole = all_of([query.text, query.labels])
    return _rows(connection.execute(sql, (layout_of(query.terms), whole, *numbers, most)))


def _with_rare_words(connection: apsw.Connection, query: RankedQuery, numbers: Numbers) -> list[Row]:
    """All rows that have a word which, with the rarer ones, is in at most RARE rows."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"
    counts = [
        (int(str(connection.execute(sql, (all_of([word, query.labels]), *numbers, RARE + 1)).get)), word)
        for word in query.terms
    ]
    rare: list[str] = []
    total = 0
    for count, word in sorted(counts):
        total += count
        if total <= RARE and count:
            rare.append(word)
    if not rare:
        return []
    some = any_of(rare)
    whole = all_of([some, query.text, query.labels])
    sql = "SELECT rowid, occurrences(fts, ?) FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ?"
    return _rows(connection.execute(sql, (layout_of(query.terms, before=some), whole, *numbers)))


def _rows(found: Iterable[object]) -> list[Row]:
    return list(cast("Iterable[Row]", found))
