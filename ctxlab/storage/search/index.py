"""A full-text index of stored values: an SQLite file that can be thrown away, since it is made of the values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Protocol, Self, cast

import apsw

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.documents.session.session import Session
from ctxlab.documents.stored import Note
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search import writing
from ctxlab.storage.search.best_first import RankedQuery, best_first
from ctxlab.storage.search.candidates import Candidate, Stop, newest_first
from ctxlab.storage.search.database import Database, state_of
from ctxlab.storage.search.filters import Filters, Names, Time, documents_expression
from ctxlab.storage.search.hits import Match, SearchHit, snippet_of
from ctxlab.storage.search.known_session import KnownSession
from ctxlab.storage.search.parts import join_all, join_some
from ctxlab.storage.search.query import Mode, Query, Term, all_of, any_of, term_expression
from ctxlab.storage.search.ranking import Frequencies
from ctxlab.storage.search.result import SearchResult
from ctxlab.storage.search.rows import Row, rows_of
from ctxlab.storage.search.vocabulary import Place, Vocabulary

BATCH_ROWS = 20_000
BATCH_CHARACTERS = 16_000_000
REMEMBERED = 4
"""Sessions that are remembered as they were indexed last, so that the next version is compared by identity."""
MOST_DOCUMENTS = 500
"""Documents that an expression names one by one."""

Key = tuple[str, str]
Progress = Callable[[int, int], None]
OriginOf = Callable[[str, str], tuple[str, str]]
"""The program and the file that a value came from, by its kind and id."""


class Source(Protocol):
    """Stored values by kind and id. A stamp is a text that changes when the value does."""

    def stamps(self) -> Mapping[Key, str]: ...

    def load(self, kind: str, id: str) -> object: ...


@dataclass(frozen=True, slots=True)
class CatchUp:
    """Numbers of values that were put into the index, and taken out of it; `notes` name those that can't be read."""

    put: int = 0
    removed: int = 0
    notes: tuple[Note, ...] = ()


class SearchIndex:
    """Finds words in messages, presets, entries, rules and names. Threads and processes may share one file.

    A file that is missing, broken or of another version is made anew and is empty then: `notes` say so, `catch_up`
    fills it.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.notes: list[Note] = []
        self.origin_of: OriginOf = _unknown_origin
        self._known: dict[Key, KnownSession] = {}
        self._vocabulary, self._frequencies = Vocabulary(), Frequencies()
        self._database = Database(self.path, lambda text: self.notes.append(Note("warning", text)))

    def __repr__(self) -> str:
        return f"SearchIndex({str(self.path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchIndex, (str(self.path),)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def stamps(self) -> dict[Key, str]:
        """The stamps of all values in the index, by kind and id."""
        with self._database.reader() as connection:
            found = connection.execute("SELECT kind, id, stamp FROM docs").fetchall()
        return {(str(kind), str(id)): str(stamp) for kind, id, stamp in found}

    def state(self) -> tuple[str, ...]:
        """A state of the index that it has until somebody writes it, in whatever process, or makes it anew."""
        with self._database.reader() as connection:
            return state_of(connection)

    # --- writing

    def put(self, kind: str, value: object, stamp: str, *, id: str | None = None) -> None:
        """The value in place of the one of this kind and id, which is the value's own unless given.

        Only what differs is written; of a session that was put before, only messages that are others are looked at.
        """
        key = (kind, id if id is not None else _id_of(value))
        with self._database.writer() as connection:
            known = self._known.pop(key, None)
            usable = known is not None and known.stamp == writing.stamp_of(connection, *key)
            doc = writing.put_document(connection, _document(key, value, stamp))
            some = known.difference(value) if usable and known is not None and isinstance(value, Session) else None
            if some is None:
                change = writing.change_of(connection, doc, rows_of(value))
            else:
                change = writing.change_of_some(connection, doc, some.rows, some.gone)
            writing.write(connection, [change], {doc: kind}, set())
            join_some(connection, len(change.new))
        if isinstance(value, Session):
            self._known[key] = known.advanced(value, stamp, some) if known and some else KnownSession.of(value, stamp)
            while len(self._known) > REMEMBERED:
                with suppress(StopIteration, KeyError):  # another thread may have been first
                    del self._known[next(iter(self._known))]

    def remove(self, kind: str, id: str) -> None:
        """The index without the value; nothing happens where it isn't there."""
        self._known.pop((kind, id), None)
        with self._database.writer() as connection:
            self._remove(connection, (kind, id))

    def _remove(self, connection: apsw.Connection, key: Key) -> None:
        doc = connection.execute("SELECT doc FROM docs WHERE kind = ? AND id = ?", key).get
        if doc is not None:
            number = int(str(doc))
            writing.write(connection, [writing.removal_of(connection, number)], {}, set())
            connection.execute("DELETE FROM docs WHERE doc = ?", (number,))

    def catch_up(self, source: Source, *, progress: Progress | None = None) -> CatchUp:
        """The index as the source is now: values whose stamps differ are loaded, those that are gone removed.

        `progress(done, total)` counts values; an error in it ends the work, and what was written stays.
        """
        wanted, there = source.stamps(), self.stamps()
        gone = [key for key in there if key not in wanted]
        for key in gone:
            self.remove(*key)
        stale = [key for key, stamp in wanted.items() if there.get(key) != stamp]
        notes: list[Note] = []
        words = self._words() if len(stale) > 1 else set[str]()
        is_bulk = len(stale) > max(1, len(wanted) // 2)
        done = put = 0
        for batch in _batches(source, stale, wanted, notes):
            self._write_batch(batch, words, joins=not is_bulk)
            put += len(batch.values)
            done += batch.size
            if progress is not None:
                progress(done, len(stale))
        if is_bulk:
            self.optimize()
        return CatchUp(put, len(gone), tuple(notes))

    def _words(self) -> set[str]:
        with self._database.reader() as connection:
            return {str(word) for (word,) in connection.execute("SELECT word FROM words")}

    def _write_batch(self, batch: _Batch, words: set[str], *, joins: bool) -> None:
        """Write a batch in one transaction; values that another process has put meanwhile are left as they are."""
        with self._database.writer() as connection:
            changes: list[writing.Change] = []
            kinds: dict[int, str] = {}
            for key, document, rows in batch.values:
                if writing.stamp_of(connection, *key) == document.stamp:
                    continue
                doc = writing.put_document(connection, document)
                kinds[doc] = key[0]
                changes.append(writing.change_of(connection, doc, rows))
            writing.write(connection, changes, kinds, words)
            if joins:
                join_some(connection, sum([len(change.new) for change in changes]))

    def optimize(self) -> None:
        """Join the parts of the index into one: searches get quicker. Others may search and write meanwhile."""
        join_all(self._database)

    # --- searching

    @checked_arguments
    def search(
        self,
        query: str,
        *,
        mode: Mode = "and",
        within: Literal["message", "session"] = "message",
        kinds: Names = None,
        session: Names = None,
        agent: Names = None,
        role: Names = None,
        model: Names = None,
        program: Names = None,
        tag: Names = None,
        since: Time = None,
        until: Time = None,
        only_enabled: bool = False,
        only_active_path: bool = False,
        order: Literal["newest", "best"] = "newest",
        limit: int | None = 100,
        offset: int = 0,
    ) -> SearchResult:
        """Hits of a text (`exact`), of all its words (`and`) or of any (`or`), whatever their case and width.

        An exact text is found inside words too; words are whole, and Chinese ones are found wherever they stand. All
        words are in one message, or, `within` a session, in one session: then each message with any of them is a hit.
        `program` is what a session was imported from, such as chatgpt, which the index of a workspace alone knows.
        A time is that of the message, else of the one above it, else of the session; `since` <= time < `until`. Best
        first goes by BM25; what can't be ranked (punctuation alone, a part of very many words) has the newest first.
        """
        if (limit is not None and limit < 0) or offset < 0:
            raise WrongArgument("limit and offset are numbers from 0 on", function="search")
        filters = Filters(kinds, session, agent, role, model, tag, since, until, only_enabled, only_active_path)
        filters.numbers()
        asked = Query.of(query, mode)
        programs = (program,) if isinstance(program, str) else program
        in_sessions = within == "session" and asked.needs_all and len(asked.terms) > 1

        def find(stop: Stop) -> Iterator[SearchHit]:
            hits = self._in_sessions if in_sessions else self._hits
            return (hit for hit in hits(asked, filters, order, stop) if programs is None or hit.program in programs)

        return SearchResult(query, find, limit=limit, offset=offset)

    def path_of(self, hit: SearchHit) -> tuple[str, ...]:
        """Ids of the messages from the root to the one of the hit; empty for hits that are no messages."""
        if hit.node is None:
            return ()
        sql = "SELECT parent FROM rows WHERE key = ? AND doc = (SELECT doc FROM docs WHERE kind = ? AND id = ?)"
        way: dict[str, None] = {}
        node: str | None = hit.node
        with self._database.reader() as connection:
            while node is not None and node not in way:
                found = connection.execute(sql, (f"node:{node}", hit.kind, hit.id)).fetchone()
                if found is None:
                    break
                way[node] = None
                node = cast("str | None", found[0])
        return tuple(reversed(way))

    def text_of(self, hit: SearchHit, field: str | None = None) -> str:
        """The whole text of a hit to which its spans refer, of its first field or of another; empty if it is gone."""
        sql = "SELECT texts FROM rows WHERE key = ? AND doc = (SELECT doc FROM docs WHERE kind = ? AND id = ?)"
        import orjson

        with self._database.reader() as connection:
            found = connection.execute(sql, (hit.key, hit.kind, hit.id)).fetchone()
        texts = orjson.loads(cast("bytes", found[0])) if found is not None else []
        return next((text for name, text in texts if name == (field or hit.field)), "")

    def _hits(
        self, query: Query, filters: Filters, order: str, stop: Stop, docs: frozenset[int] | None = None
    ) -> Iterator[SearchHit]:
        for candidate, score in self._candidates(query, filters, order, stop, docs):
            if (docs is None or candidate.doc in docs) and query.finds([text for _, text in candidate.texts]):
                yield self._hit(candidate, query, score)

    def _candidates(
        self, query: Query, filters: Filters, order: str, stop: Stop, docs: frozenset[int] | None = None
    ) -> Iterator[tuple[Candidate, float | None]]:
        """Rows that may be hits; no row with a hit is missing."""
        if not query.terms:
            return
        with stop.reader(self._database) as connection:
            terms = self._expressions(connection, query)
            labels = filters.expression(connection)
        if not terms or labels is None:
            return
        text = all_of(terms) if query.needs_all else any_of(terms)
        if docs is not None and len(docs) <= MOST_DOCUMENTS:
            labels = all_of([labels, documents_expression(sorted(docs))])
        if order == "best" and text:
            ranked = RankedQuery([term for term in terms if term], query.needs_all, labels)
            yield from best_first(self._database, ranked, self._frequencies, filters.numbers(), filters.flags, stop)
        else:
            whole = all_of([text, labels])
            yield from newest_first(self._database, whole, filters.numbers(), filters.flags, stop)

    def _expressions(self, connection: apsw.Connection, query: Query) -> list[str]:
        """The expressions of the terms that some text may have; none where no text can be a hit."""

        def words_with(part: str, place: Place, most: int) -> list[str] | None:
            return self._vocabulary.words_with(connection, part, place, most)

        found = [term_expression(term, words_with) for term in query.terms]
        possible = [each for each in found if each is not None]
        return [] if query.needs_all and len(possible) < len(found) else possible

    def _in_sessions(self, query: Query, filters: Filters, order: str, stop: Stop) -> Iterator[SearchHit]:
        """Messages with any of the terms, of documents in which each term is in some message."""
        docs: frozenset[int] | None = None
        for term in sorted(query.terms, key=lambda term: self._bounded_count(term, filters, stop)):
            docs = frozenset(self._docs_with(term, filters, stop, docs))
            if not docs:
                return
        yield from self._hits(Query(query.terms, needs_all=False), filters, order, stop, docs)

    def _bounded_count(self, term: Term, filters: Filters, stop: Stop, most: int = 1_000) -> int:
        found = self._candidates(Query((term,)), filters, "newest", stop)
        return sum(1 for _ in zip(found, range(most), strict=False))

    def _docs_with(self, term: Term, filters: Filters, stop: Stop, among: frozenset[int] | None) -> set[int]:
        """The documents, of some, that have the term."""
        query, found = Query((term,)), set[int]()
        if among is not None and len(among) <= MOST_DOCUMENTS:
            for doc in among:
                if next(self._hits(query, filters, "newest", stop, frozenset({doc})), None) is not None:
                    found.add(doc)
            return found
        for candidate, _ in self._candidates(query, filters, "newest", stop):
            if candidate.doc not in found and query.finds([text for _, text in candidate.texts]):
                found.add(candidate.doc)
        return found if among is None else found & among

    def _hit(self, candidate: Candidate, query: Query, score: float | None) -> SearchHit:
        matches: list[Match] = []
        for field, text in candidate.texts:
            if spans := query.spans(text):
                matches.append(Match(field, spans, snippet_of(text, spans)))
        c = candidate
        program, file = self.origin_of(c.kind, c.id)
        return SearchHit(
            c.kind,
            c.id,
            c.name,
            c.key,
            tuple(matches),
            role=c.role,
            agent=c.agent,
            model=c.model,
            time=c.time,
            enabled=bool(c.flags & writing.ENABLED),
            on_active_path=bool(c.flags & writing.ACTIVE),
            in_session=bool(c.is_session),
            score=score,
            program=program,
            file=file,
            _index=self,
        )


def _unknown_origin(kind: str, id: str) -> tuple[str, str]:
    return "", ""


# --- batches of values


@dataclass(frozen=True, slots=True)
class _Batch:
    """Values with their rows; `size` counts those too that couldn't be loaded."""

    values: Sequence[tuple[Key, writing.Document, list[Row]]]
    size: int


def _batches(source: Source, keys: Sequence[Key], stamps: Mapping[Key, str], notes: list[Note]) -> Iterator[_Batch]:
    values: list[tuple[Key, writing.Document, list[Row]]] = []
    size = rows = characters = 0
    for key in keys:
        size += 1
        try:
            value = source.load(*key)
        except CtxlabError as error:
            notes.append(Note("warning", f"{key[0]} {key[1]!r} is not in the index: {error}"))
            continue
        found = list(rows_of(value))
        values.append((key, _document(key, value, stamps[key]), found))
        rows += len(found)
        characters += sum(len(text) for row in found for _, text in row.texts)
        if rows >= BATCH_ROWS or characters >= BATCH_CHARACTERS:
            yield _Batch(values, size)
            values = []
            size = rows = characters = 0
    if size:
        yield _Batch(values, size)


def _document(key: Key, value: object, stamp: str) -> writing.Document:
    name = getattr(value, "shown_name", None) or getattr(value, "name", None) or ""
    return writing.Document(*key, name=str(name), stamp=stamp, is_session=isinstance(value, Session))


def _id_of(value: object) -> str:
    found = getattr(value, "book_id", None) or getattr(value, "id", None)
    if not isinstance(found, str):
        raise WrongArgument(f"put takes a stored value with an id, or id=, got {counted(0, 'id')} in {value!r}")
    return found
