"""Databases of SQLite as recordings: traces of ctxdiff, and the sessions of OpenCode."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.formats.results import Loss
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.readers import ctrace, opencode_rows, opencode_storage

MAGIC: Final = b"SQLite format 3\x00"
TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"


def is_database(beginning: bytes) -> bool:
    """Whether a file that begins with these bytes is a database of SQLite."""
    return beginning.startswith(MAGIC)


def read(path: Path, name: str, builder: RecordingBuilder) -> None:
    """The requests in a database, which is only read. Raises BrokenFile, UnknownFormat.

    It is opened as one that nobody writes, so that SQLite puts no files of its own beside it.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        builder.losses.append(Loss(log.name, "what the program has written last is in this file, which is not read"))
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.row_factory = sqlite3.Row
            tables = {str(row[0]) for row in database.execute(TABLES)}
            if tables >= ctrace.TABLES:
                ctrace.read(database, builder)
            elif tables >= opencode_storage.TABLES or opencode_rows.has_rows(database, tables):
                opencode_storage.read_database(database, name, builder, tables)
            else:
                raise UnknownFormat(f"{name} is a database without the tables of a recording")
    except sqlite3.Error as error:
        raise BrokenFile(f"{name} is a broken database: {error}") from None
