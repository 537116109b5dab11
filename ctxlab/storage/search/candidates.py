"""Candidates of a query: rows that the index finds, in order, a few at a time, so that a search can stop."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from threading import Lock
from typing import Any, NamedTuple

import apsw
import orjson

from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.database import Database

AT_ONCE = 24
MOST_AT_ONCE = 384
COLUMNS = (
    "rows.row, rows.doc, rows.key, rows.flags, rows.role, rows.agent, rows.model, rows.time, rows.texts,"
    " docs.kind, docs.id, docs.name, docs.is_session"
)


class Candidate(NamedTuple):
    """A row that may be a hit, with its texts by field."""

    row: int
    doc: int
    key: str
    flags: int
    role: str | None
    agent: str | None
    model: str | None
    time: str | None
    texts: list[tuple[str, str]]
    kind: str
    id: str
    name: str
    is_session: int


@dataclass(eq=False, slots=True)
class Stop:
    """Ends a search from another thread, also in the middle of a statement."""

    is_set: bool = False
    _running: apsw.Connection | None = None
    _lock: Lock = field(default_factory=Lock)

    def set(self) -> None:
        with self._lock:
            self.is_set = True
            if self._running is not None:
                self._running.interrupt()

    @contextmanager
    def reader(self, database: Database) -> Generator[apsw.Connection]:
        """A connection whose statements end when the search is stopped."""
        with database.reader() as connection:
            with self._lock:
                if self.is_set:
                    raise apsw.InterruptError("stopped")
                self._running = connection
            try:
                yield connection
            finally:
                with self._lock:
                    self._running = None


def newest_first(
    database: Database, expression: str, numbers: tuple[int, int], flags: int, stop: Stop
) -> Iterator[tuple[Candidate, None]]:
    """Rows that fit the expression, or all rows where it is empty, from the largest number to the smallest."""
    first, end = numbers
    if expression:
        sql = f"""SELECT {COLUMNS} FROM fts CROSS JOIN rows ON rows.row = fts.rowid
                  CROSS JOIN docs ON docs.doc = rows.doc
                  WHERE fts MATCH ? AND fts.rowid >= ? AND fts.rowid < ? AND rows.flags & ? = ?
                  ORDER BY fts.rowid DESC LIMIT ?"""
    else:
        sql = f"""SELECT {COLUMNS} FROM rows CROSS JOIN docs ON docs.doc = rows.doc
                  WHERE rows.row >= ? AND rows.row < ? AND rows.flags & ? = ? ORDER BY rows.row DESC LIMIT ?"""
    most = AT_ONCE
    while True:
        values = (*((expression,) if expression else ()), first, end, flags, flags, most)
        with stop.reader(database) as connection:
            found = list(map(_candidate, connection.execute(sql, values)))
        for candidate in found:
            yield candidate, None
        if len(found) < most:
            return
        end, most = found[-1].row, min(2 * most, MOST_AT_ONCE)


def candidates_of(connection: apsw.Connection, rows: Sequence[int], flags: int) -> list[Candidate]:
    """The candidates of these rows in their order; those that are gone or lack a flag are left out."""
    sql = f"SELECT {COLUMNS} FROM rows CROSS JOIN docs ON docs.doc = rows.doc WHERE rows.row = ? AND flags & ? = ?"
    return list(map(_candidate, connection.executemany(sql, ((row, flags, flags) for row in rows))))


def _candidate(values: tuple[Any, ...]) -> Candidate:
    number, doc, key, flags, role, agent, model, time, packed, *document = values
    try:
        texts = orjson.loads(packed)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise apsw.CorruptError("the texts of a row can't be read") from error
    return Candidate(number, doc, key, flags, role, agent, model, time, texts, *document)
