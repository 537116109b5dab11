"""The index for object storage and for more chunks than fit into memory: tables of LanceDB, the extra `lancedb`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.context.knowledge_hit import WordShare
from ctxlab.display.html_table import heading
from ctxlab.engines.ranking.words import words
from ctxlab.knowledge.index.memory_index import DIGITS
from ctxlab.knowledge.index.protocol import IndexedText, Scored, WordStatistics
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

PURPOSE = "indexes on disk and in object storage"
NAME_DIGITS = 16
MOST_WORDS = 40
"""Words of a query that are looked up."""
AT_ONCE = 1_000
"""Ids in one condition."""


@dataclass(frozen=True, slots=True)
class LanceBases:
    """Indexes of knowledge bases as tables of LanceDB in a folder, or under an address such as `s3://bucket/folder`.

    `storage_options` are LanceDB's, such as a region; they are never shown and never pickled. Raises MissingExtra where
    LanceDB isn't installed.
    """

    uri: str
    storage_options: Mapping[str, str] | None = field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        return heading(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return LanceBases, (self.uri,)

    def __call__(self, base: str) -> LanceIndex:
        """The index of the base with this id; what is there already is kept."""
        lancedb = optional_module("lancedb", extra="lancedb", purpose=PURPOSE)
        options: Any = dict(self.storage_options) if self.storage_options is not None else None
        return LanceIndex(lancedb.connect(self.uri, storage_options=options), base)


class LanceIndex:
    """Texts in a table, vectors in another for each embedder.

    Words are found as our own segmentation parts them, scored by LanceDB's BM25 over this index alone: `statistics` of
    others aren't taken, so that scores of several bases are less alike than those in memory.
    """

    def __init__(self, database: Any, name: str) -> None:
        self._database, self._name = database, sha256(name.encode("utf-8", "replace")).hexdigest()[:NAME_DIGITS]
        self._lock = RLock()
        self._embedder = ""
        self._missing: dict[str, None] | None = None
        self._texts = self._opened(
            f"texts-{self._name}", [("id", "string"), ("text", "string"), ("terms", "string"), ("read_as", "string")]
        )

    def __repr__(self) -> str:
        return f"LanceIndex({self._name!r})"

    def __len__(self) -> int:
        return int(self._texts.count_rows())

    def ids(self) -> list[str]:
        return _column(self._texts, "id")

    def add(self, texts: Sequence[IndexedText]) -> None:
        wanted = {each.id: each for each in texts}
        with self._lock:
            there = self._rows(self._texts, list(wanted), ("id", "text", "read_as"))
            same = {row["id"] for row in there if _text_of(row) == wanted[row["id"]]}
            changed = [each for id, each in wanted.items() if id not in same]
            if not changed:
                return
            self.remove([row["id"] for row in there if row["id"] not in same])
            fields = {
                "id": [each.id for each in changed],
                "text": [each.text for each in changed],
                "terms": [" ".join(words(each.text)) for each in changed],
                "read_as": [each.read_as for each in changed],
            }
            self._texts.add(_pyarrow().table(fields))
            if self._missing is not None:
                self._missing |= dict.fromkeys(fields["id"])
            self._index_words()

    def _index_words(self) -> None:
        if self._texts.list_indices():
            self._texts.optimize()
            return
        words_of: Any = optional_module("lancedb.index", extra="lancedb", purpose=PURPOSE).FTS
        plain = words_of(
            base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False
        )
        self._texts.create_index("terms", config=plain)

    def remove(self, ids: Iterable[str]) -> None:
        gone = list(ids)
        with self._lock:
            for start in range(0, len(gone), AT_ONCE):
                condition = _among(gone[start : start + AT_ONCE])
                for table in self._tables():
                    table.delete(condition)
            self._no_longer_missing(gone)

    def _no_longer_missing(self, ids: Iterable[str]) -> None:
        if self._missing is not None:
            for id in ids:
                self._missing.pop(id, None)

    # --- vectors

    def use_vectors_of(self, embedder: str) -> None:
        name = sha256(embedder.encode("utf-8", "replace")).hexdigest()[:NAME_DIGITS]
        with self._lock:
            if name != self._embedder:
                self._embedder, self._missing = name, None

    def without_vectors(self, limit: int) -> list[IndexedText]:
        with self._lock:
            if self._missing is None:
                vectors = self._vectors()
                having = set[str]() if vectors is None else set(_column(vectors, "id"))
                self._missing = dict.fromkeys([id for id in self.ids() if id not in having])
            missing = list(islice(self._missing, limit))
        order = {id: place for place, id in enumerate(missing)}
        found = self._rows(self._texts, missing, ("id", "text", "read_as"))
        return [_text_of(row) for row in sorted(found, key=lambda row: order[row["id"]])]

    def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        pyarrow = _pyarrow()
        kind = pyarrow.list_(pyarrow.float32(), vectors.shape[1])
        rows = pyarrow.table({"id": list(ids), "vector": pyarrow.array(list(vectors), kind)})
        with self._lock:
            table = self._vectors()
            if table is None:
                self._database.create_table(self._vectors_name, rows)
            else:
                table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
            self._no_longer_missing(ids)

    def search_vector(self, vector: Vector, *, limit: int, also: Sequence[str] = ()) -> list[Scored]:
        table = self._vectors()
        if table is None:
            return []
        best = table.search(vector).distance_type("cosine").limit(max(limit, 1)).to_list() if limit > 0 else []
        there = {row["id"] for row in best}
        others = [id for id in also if id not in there]
        more = (
            table.search(vector)
            .distance_type("cosine")
            .where(_among(others), prefilter=True)
            .limit(len(others))
            .to_list()
            if others
            else []
        )
        found = [(row["id"], round(1 - float(row["_distance"]), DIGITS)) for row in best]
        behind = [Scored(row["id"], round(1 - float(row["_distance"]), DIGITS), 0) for row in more]
        return [*[Scored(id, score, rank) for rank, (id, score) in enumerate(found, 1)], *behind]

    # --- words

    def statistics(self, words: Sequence[str]) -> WordStatistics:  # LanceDB counts words by itself
        return WordStatistics(len(self))

    def search_words(
        self,
        words: Mapping[str, float],
        *,
        limit: int,
        statistics: WordStatistics | None = None,  # LanceDB counts words by itself
        also: Sequence[str] = (),
    ) -> list[Scored]:
        match: Any = optional_module("lancedb.query", extra="lancedb", purpose=PURPOSE).MatchQuery

        shares: dict[str, list[WordShare]] = {}
        if not len(self):
            return []
        for word, weight in list(words.items())[:MOST_WORDS]:
            asked = self._texts.search(match(word, "terms"), query_type="fts").select(["id", "_score"])
            for row in asked.limit(len(self)).to_list():
                shares.setdefault(row["id"], []).append(WordShare(word, weight * float(row["_score"])))
        scored = [(id, sum([share.score for share in own]), tuple(own)) for id, own in shares.items()]
        scored.sort(key=lambda row: (-row[1], row[0]))
        wanted = set(also)
        return [
            Scored(id, score, rank, own)
            for rank, (id, score, own) in enumerate(scored, 1)
            if rank <= limit or id in wanted
        ]

    # --- tables

    @property
    def _vectors_name(self) -> str:
        return f"vectors-{self._name}-{self._embedder}"

    def _vectors(self) -> Any:
        """The table of this embedder's vectors; None where there is none yet."""
        return self._database.open_table(self._vectors_name) if self._vectors_name in self._names() else None

    def _tables(self) -> list[Any]:
        start = f"vectors-{self._name}-"
        return [self._texts, *[self._database.open_table(name) for name in self._names() if name.startswith(start)]]

    def _names(self) -> list[str]:
        return list(self._database.list_tables().tables)

    def _opened(self, name: str, columns: Sequence[tuple[str, str]]) -> Any:
        if name in self._names():
            return self._database.open_table(name)
        pyarrow = _pyarrow()
        schema = pyarrow.schema([(column, getattr(pyarrow, kind)()) for column, kind in columns])
        return self._database.create_table(name, schema=schema)

    def _rows(self, table: Any, ids: Sequence[str], columns: Sequence[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(ids), AT_ONCE):
            batch = ids[start : start + AT_ONCE]
            found += table.search().where(_among(batch)).select(list(columns)).limit(len(batch)).to_list()
        return found


def _text_of(row: Mapping[str, Any]) -> IndexedText:
    return IndexedText(row["id"], row["text"], row["read_as"])


def _column(table: Any, name: str) -> list[str]:
    rows = table.search().select([name]).limit(max(1, table.count_rows())).to_arrow()
    return [str(value) for value in rows.column(name).to_pylist()]


def _among(ids: Sequence[str]) -> str:
    """A condition in SQL; a quote in an id is written twice."""
    listed = ", ".join(["'" + id.replace("'", "''") + "'" for id in ids])
    return f"id IN ({listed})" if ids else "false"


def _pyarrow() -> Any:
    return optional_module("pyarrow", extra="lancedb", purpose=PURPOSE)
