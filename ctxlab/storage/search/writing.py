"""Changes of an index: rows that are new, that went, and that are other than they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from hashlib import blake2b

import apsw

from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.folding import folded
from ctxlab.storage.search.numbers import count_rows, first_place, free_place, millisecond_of, number_of
from ctxlab.storage.search.rows import Row
from ctxlab.storage.search.tokens import tokens_of

ENABLED, ACTIVE = 1, 2


@dataclass(frozen=True, slots=True)
class Document:
    """A stored value in the index: its kind, id, name and stamp."""

    kind: str
    id: str
    name: str
    stamp: str
    is_session: bool


@dataclass(slots=True)
class Change:
    """The rows of one document that go, by number, that come, and whose flags are others."""

    doc: int
    gone: list[int] = field(default_factory=list[int])
    new: list[Row] = field(default_factory=list[Row])
    flags: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


@lru_cache(maxsize=1_000)
def label(kind: str, value: object) -> str:
    """The token by which rows with a property are found; its mark is in no word.

    >>> label("doc", 12)
    '§doc12'
    """
    if isinstance(value, int):
        return f"§{kind}{value}"
    return f"§{kind}{blake2b(str(value).encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def flags_of(row: Row) -> int:
    return ENABLED * row.is_enabled | ACTIVE * row.is_active


def put_document(connection: apsw.Connection, document: Document) -> int:
    """The number of the document, with the name and stamp that it has now."""
    values = (document.kind, document.id, document.name, document.stamp, document.is_session)
    sql = (
        "INSERT INTO docs(kind, id, name, stamp, is_session) VALUES(?, ?, ?, ?, ?)"
        " ON CONFLICT(kind, id) DO UPDATE SET name = excluded.name, stamp = excluded.stamp,"
        " is_session = excluded.is_session RETURNING doc"
    )
    return int(str(connection.execute(sql, values).get))


def stamp_of(connection: apsw.Connection, kind: str, id: str) -> str | None:
    """The stamp of a document as it was indexed; None where it is not in the index."""
    found = connection.execute("SELECT stamp FROM docs WHERE kind = ? AND id = ?", (kind, id)).get
    return None if found is None else str(found)


def change_of(connection: apsw.Connection, doc: int, rows: Iterable[Row]) -> Change:
    """The difference between all rows of a document, as they shall be, and those in the index."""
    sql = "SELECT key, row, digest, flags FROM rows WHERE doc = ?"
    known = {str(key): (row, digest, flags) for key, row, digest, flags in connection.execute(sql, (doc,))}
    change = Change(doc)
    for row in {row.key: row for row in rows}.values():
        _compare(change, row, known.pop(row.key, None))
    change.gone += [int(str(row)) for row, _, _ in known.values()]
    return change


def change_of_some(connection: apsw.Connection, doc: int, rows: Iterable[Row], gone: Iterable[str]) -> Change:
    """The difference that some rows make, and keys of those that are gone; all others stay."""
    sql = "SELECT row, digest, flags FROM rows WHERE doc = ? AND key = ?"
    change = Change(doc)
    for row in {row.key: row for row in rows}.values():
        _compare(change, row, connection.execute(sql, (doc, row.key)).fetchone())
    for key in gone:
        if (found := connection.execute(sql, (doc, key)).fetchone()) is not None:
            change.gone.append(int(str(found[0])))
    return change


def _compare(change: Change, row: Row, known: Sequence[object] | None) -> None:
    if known is None or known[1] != row.digest:
        change.new.append(row)
        if known is not None:
            change.gone.append(int(str(known[0])))
    elif known[2] != flags_of(row):
        change.flags.append((flags_of(row), int(str(known[0]))))


def removal_of(connection: apsw.Connection, doc: int) -> Change:
    """All rows of a document, to go."""
    return Change(doc, [int(str(row)) for (row,) in connection.execute("SELECT row FROM rows WHERE doc = ?", (doc,))])


def write(connection: apsw.Connection, changes: Sequence[Change], kinds: Mapping[int, str], words: set[str]) -> None:
    """Make the changes. `kinds` are those of the documents, `words` the words that are known to be in the index.

    Rows are written in the order of their numbers: the full-text index starts a new part whenever a smaller one comes.
    """
    gone = [(row,) for change in changes for row in sorted(change.gone)]
    if gone:
        connection.executemany("DELETE FROM fts WHERE rowid = ?", gone)
        connection.executemany("DELETE FROM rows WHERE row = ?", gone)
    connection.executemany("UPDATE rows SET flags = ? WHERE row = ?", (pair for each in changes for pair in each.flags))
    new = _numbered(connection, changes)
    connection.executemany(
        "INSERT INTO rows VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (n, doc, r.key, r.parent, flags_of(r), r.role, r.agent, r.model, r.time, r.digest, r.packed)
            for n, doc, r in new
        ),
    )
    count_rows(connection, [n for n, _, _ in new], [n for each in changes for n in each.gone])
    added: set[str] = set()
    connection.executemany(
        "INSERT INTO fts(rowid, tokens) VALUES(?, ?)",
        _indexed(((n, doc, row) for n, doc, row in new if row.texts), kinds, words, added),
    )
    connection.executemany("INSERT OR IGNORE INTO words(word) VALUES(?)", ((word,) for word in sorted(added)))


def _indexed(
    rows: Iterable[tuple[int, int, Row]], kinds: Mapping[int, str], words: set[str], added: set[str]
) -> Iterator[tuple[int | str, ...]]:
    """Number, tokens, characters, edges and labels of each row; words that are new are put into `words` and `added`."""
    for number, doc, row in rows:
        found = tokens_of([folded(text) for _, text in row.texts])
        new = found.words - words
        words |= new
        added |= new
        yield number, " ".join([*found.all(), *_labels(doc, kinds[doc], row)])


def _labels(doc: int, kind: str, row: Row) -> Iterator[str]:
    yield label("doc", doc)
    yield label("kind", kind)
    for name, value in (("role", row.role), ("agent", row.agent), ("model", row.model)):
        if value is not None:
            yield label(name, value)
    for tag in row.tags:
        yield label("tag", folded(tag))


def _numbered(connection: apsw.Connection, changes: Sequence[Change]) -> list[tuple[int, int, Row]]:
    """A number for each new row, with its document, in the order of the numbers."""
    waiting = [(row.ms, change.doc, row) for change in changes for row in change.new]
    waiting.sort(key=lambda each: each[0])
    result: list[tuple[int, int, Row]] = []
    place, current = -1, -1
    for ms, doc, row in waiting:
        place = max(place + 1, first_place(ms))
        if millisecond_of(place) != current:
            place = max(place, free_place(connection, place))
            current = millisecond_of(place)
        result.append((number_of(place, len(row.packed)), doc, row))
    return result
