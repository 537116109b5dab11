"""Rows that fit a query, the best first by BM25: of very many the newest are ranked, and those with a rare word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from ctxlab.storage.search.candidates import AT_ONCE, Candidate, Stop, candidates_of
from ctxlab.storage.search.database import Database
from ctxlab.storage.search.query import all_of, any_of

RANKED = 500
"""Rows that are ranked at first; each costs some 1 µs."""
RARE = 250
"""Rows that are ranked besides, since a rarer word is in them."""
MORE = 4
"""Times as many rows are ranked next, where all those are not enough."""

Numbers = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RankedQuery:
    """Expressions: of the whole text, of the filters, and of each word where one of several words is enough."""

    text: str
    labels: str
    words: Sequence[str] = ()

    @property
    def whole(self) -> str:
        return all_of([self.text, self.labels])


def best_first(
    database: Database, query: RankedQuery, numbers: Numbers, flags: int, stop: Stop
) -> Iterator[tuple[Candidate, float]]:
    """Rows that fit the query with their scores, the best first.

    Where more than RANKED fit, those are the newest ones and all that have a rarer word of several; older rows come
    behind them, several times as many at once, ranked among themselves.
    """
    first, end = numbers
    most, seen = RANKED, set[int]()
    while True:
        with stop.reader(database) as connection:
            cut = _nth_newest(connection, query.whole, (first, end), most)
            scores = _scores(connection, query.whole, (first if cut is None else cut, end))
            if cut is not None and not seen:
                scores |= _scores_by_rare_words(connection, query, (first, cut))
        for row in seen.intersection(scores):
            del scores[row]
        ranked = sorted(scores, reverse=True)
        ranked.sort(key=scores.__getitem__, reverse=True)  # of equal ones the newest first
        yield from ((candidate, scores[candidate.row]) for candidate in _loaded(database, ranked, flags, stop))
        if cut is None:
            return
        seen |= scores.keys()
        end, most = cut, MORE * most


def _loaded(database: Database, rows: Sequence[int], flags: int, stop: Stop) -> Iterator[Candidate]:
    for start in range(0, len(rows), AT_ONCE):
        with stop.reader(database) as connection:
            found = candidates_of(connection, rows[start : start + AT_ONCE], flags)
        yield from found


def _nth_newest(connection: apsw.Connection, expression: str, numbers: Numbers, n: int) -> int | None:
    """The number of the row at this place among those that fit, from the largest down; None where they are fewer."""
    sql = "SELECT rowid FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"
    found = connection.execute(sql, (expression, *numbers, n - 1)).fetchone()
    return None if found is None else int(str(found[0]))


def _scores(connection: apsw.Connection, expression: str, numbers: Numbers) -> dict[int, float]:
    sql = "SELECT rowid, -rank FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ?"
    return dict(cast("Iterable[tuple[int, float]]", connection.execute(sql, (expression, *numbers))))


def _scores_by_rare_words(connection: apsw.Connection, query: RankedQuery, numbers: Numbers) -> dict[int, float]:
    """The scores of all rows that have a word which, with the rarer ones, is in at most RARE rows."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM fts WHERE fts MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"
    counts = [
        (int(str(connection.execute(sql, (all_of([word, query.labels]), *numbers, RARE + 1)).get)), word)
        for word in query.words
    ]
    rare: list[str] = []
    total = 0
    for count, word in sorted(counts):
        total += count
        if total <= RARE and count:
            rare.append(word)
    if not rare:
        return {}
    some = all_of([any_of(rare), query.labels])
    alone = _scores(connection, some, numbers)
    twice = _scores(connection, all_of([some, query.text]), numbers)  # in which the rare words count two times
    return {row: score - alone.get(row, 0.0) for row, score in twice.items()}
