"""The parts of the full-text index, which are joined a few pages at a time, so that no writer takes long."""

from __future__ import annotations

import apsw

from ctxlab.storage.search.database import Database

PAGES = 16
"""Pages that are joined after a value was put, about 1 ms: a message adds one or two, which are joined five times."""
PAGES_OF_A_STEP = 500
MERGE = "INSERT INTO fts(fts, rank) VALUES('merge', ?)"


def join_some(connection: apsw.Connection, rows: int) -> None:
    """Join parts of like size, as much as so many new rows make necessary."""
    connection.execute(MERGE, (PAGES + rows,))


def join_all(database: Database) -> None:
    """Join all parts into one, in steps between which other writers get their turn."""
    pages = -PAGES_OF_A_STEP  # below 0 is the first step, in which all parts are chosen
    while True:
        with database.writer() as connection:
            before = connection.total_changes()
            connection.execute(MERGE, (pages,))
            if connection.total_changes() - before < 2:  # a step that does nothing counts as one change
                return
        pages = PAGES_OF_A_STEP
