"""The file of an index: its tables, the connections of its readers, and one writer at a time."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock
from uuid import uuid4

import apsw

from ctxlab.errors import ReadError, WriteError
from ctxlab.storage.search.ranking import occurrences

VERSION = 4
"""Of the tables, of the tokens and of the times; a file of another one is made anew."""
WAIT_SECONDS = 60
"""A writer waits so long for another one."""
CACHE_KIB = 64 * 1024
HASH_BYTES = 32 * 1024 * 1024
"""New rows are kept in memory up to this size before they become a part of the index: fewer parts, quicker searches."""

PARTS = {"automerge": 0, "crisismerge": 1_000, "usermerge": 4}
"""The index joins parts only when it is told to, four of like size: by itself it joins many at once in one write."""

TABLES = """
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE docs(doc INTEGER PRIMARY KEY, kind TEXT, id TEXT, name TEXT, stamp TEXT, is_session INT, UNIQUE(kind, id));
CREATE INDEX docs_id ON docs(id);
CREATE TABLE rows(row INTEGER PRIMARY KEY, doc INT, key TEXT, parent TEXT, flags INT, role TEXT, agent TEXT,
                  model TEXT, time TEXT, digest INT, texts BLOB);
CREATE INDEX rows_key ON rows(doc, key, digest, flags);
CREATE TABLE words(n INTEGER PRIMARY KEY, word TEXT UNIQUE);
CREATE VIRTUAL TABLE fts USING fts5(tokens, content='', contentless_delete=1, tokenize=ascii);
"""
BROKEN = (apsw.CorruptError, apsw.NotADBError)
DROPPED = ("fts", "words", "rows", "docs", "facts")


class Database:
    """Connections to one file, which is made anew where it is missing, broken or of another version."""

    def __init__(self, path: Path, report: Callable[[str], None]) -> None:
        self.path, self._report = path, report
        self._lock, self._writing = Lock(), RLock()
        self._idle: list[apsw.Connection] = []
        self._writer: apsw.Connection | None = None
        self._age = self._inode = 0
        self._prepare()

    @contextmanager
    def reader(self) -> Generator[apsw.Connection]:
        """A connection of one's own for a short while; raises ReadError for a broken file, which is emptied then."""
        self._reopen_if_replaced()
        with self._lock:
            connection, age = (self._idle.pop() if self._idle else None), self._age
        connection = connection or self._connect()
        try:
            yield connection
        except BROKEN as error:
            raise self._emptied() from error
        finally:
            with self._lock:
                if age == self._age:
                    self._idle.append(connection)
                else:  # the file was closed or replaced meanwhile
                    connection.close()

    @contextmanager
    def writer(self) -> Generator[apsw.Connection]:
        """A connection inside a transaction, which no other process or thread has at the same time."""
        self._reopen_if_replaced()
        with self._writing:
            connection = self._writer = self._writer or self._connect()
            try:
                with _transaction(connection):
                    yield connection
                    connection.execute("UPDATE facts SET value = value + 1 WHERE name = 'writes'")
            except apsw.BusyError as error:
                raise WriteError(f"the search index {self.path} is written by another process, for too long") from error
            except BROKEN as error:
                raise self._emptied() from error
            except (apsw.FullError, apsw.IOError, apsw.ReadOnlyError) as error:
                raise WriteError(f"the search index {self.path} can't be written: {error}") from error

    def _emptied(self) -> ReadError:
        """The error for a broken file, in whose place is an empty one."""
        self.rebuild("was broken")
        return ReadError(f"the search index {self.path} was broken and is empty now: catch_up() fills it")

    def rebuild(self, why: str) -> None:
        """An empty index in place of the file, whatever is in it."""
        with self._writing:
            self.close()
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            self._report(f"the search index {self.path} {why} and is made anew")
            self._prepare()

    def close(self) -> None:
        """Close all connections; those in use are closed after it, and the next use opens new ones."""
        with self._writing, self._lock:
            for connection in [*self._idle, *([self._writer] if self._writer else [])]:
                connection.close()
            self._idle, self._writer = [], None
            self._age += 1

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(WAIT_SECONDS * 1000)
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.register_fts5_function("occurrences", occurrences)
        return connection

    def _reopen_if_replaced(self) -> None:
        """Leave a file behind that another process has replaced."""
        try:
            found = os.stat(self.path).st_ino  # noqa: PTH116  # at each search: a Path costs more than the call
        except OSError:
            found = -1
        if found != self._inode:
            with self._writing:
                self.close()
                self._prepare()

    def _prepare(self) -> None:
        try:
            self._open()
        except BROKEN:
            self.rebuild("was broken")
        except (apsw.CantOpenError, apsw.PermissionsError, apsw.ReadOnlyError) as error:
            raise WriteError(f"the search index {self.path} can't be opened or written: {error}") from error

    def _open(self) -> None:
        connection = self._connect()
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            if version_of(connection) != _this_version():
                connection.execute("BEGIN IMMEDIATE")
                if (found := version_of(connection)) != _this_version():  # another process may have been first
                    self._make_tables(connection, found)
                connection.execute("COMMIT")
            connection.execute("SELECT count(*) FROM (SELECT 1 FROM docs LIMIT 1)").get  # noqa: B018
        finally:
            connection.close()
        self._inode = self.path.stat().st_ino

    def _make_tables(self, connection: apsw.Connection, found: str | None) -> None:
        if found is not None:
            self._report(f"the search index {self.path} is of another version and is made anew")
        for table in DROPPED:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute(TABLES)
        connection.executemany("INSERT INTO fts(fts, rank) VALUES(?, ?)", {"hashsize": HASH_BYTES, **PARTS}.items())
        facts = {"version": _this_version(), "generation": uuid4().hex, "rows": "0", "bytes": "0", "writes": "0"}
        connection.executemany("INSERT INTO facts VALUES(?, ?)", facts.items())


@contextmanager
def _transaction(connection: apsw.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")
        raise


def _this_version() -> str:
    """Tokens depend on the classes of characters too, and so on Python's version of Unicode."""
    return f"{VERSION}, Unicode {unicodedata.unidata_version}"


def version_of(connection: apsw.Connection) -> str | None:
    """The version that a file says it has: None where it is empty, nothing where it is somebody else's."""
    if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        return None
    if connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'facts'").get == 0:
        return ""
    return str(connection.execute("SELECT value FROM facts WHERE name = 'version'").get)


def state_of(connection: apsw.Connection) -> tuple[str, ...]:
    """The generation of a file and the number of its writes."""
    sql = "SELECT value FROM facts WHERE name IN ('generation', 'writes') ORDER BY name"
    return tuple(str(value) for (value,) in connection.execute(sql))
