"""Rankings and vectors in a folder of cells: what one run worked out, another budget and another question need not."""

from __future__ import annotations

import sqlite3
from array import array
from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxlab.engines.ranking import Ranker
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.kept_rankings import rankings_kept
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.embedders import Embedder
from ctxlab.knowledge.embedders.vector_cache import vectors_kept
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.studies.study.content_hash import SIZE, content_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NAME = lazy_pattern(r"\.kept-[0-9a-f]{16}\.sqlite(?:-journal)?")
"""Files of results; the name says which code they were made by."""
WAIT_SECONDS = 60
"""Seconds that a process waits for another one's write."""
MOST_MAKERS = 16


def results_file(folder: Path, code: str) -> Path:
    """The file of results of some code in a folder."""
    return folder / f".kept-{code[:16]}.sqlite"


def take_results_away(folder: Path, *, but: Path | None = None) -> None:
    """Remove files of results, all of them but one."""
    for path in folder.iterdir():
        if NAME.fullmatch(path.name) and (but is None or not path.name.startswith(but.name)):
            path.unlink(missing_ok=True)


@contextmanager
def results_kept(path: Path | None) -> Generator[None]:
    """Build with the results of a file, which gets those that are new at the end; without a path, without any."""
    if path is None:
        yield
        return
    results = KeptResults(path)
    try:
        with rankings_kept(results), vectors_kept(results):
            yield
    finally:
        results.close()


class KeptResults:
    """Results by what they are of, in a file that processes of one machine share.

    A file that can't be read or written is as good as none: all of it can be worked out again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new: dict[bytes, bytes] = {}
        self._makers: OrderedDict[int, tuple[object, bytes | None]] = OrderedDict()
        self._database = self._opened() if path.exists() else None

    # --- rankings

    def scores(self, ranker: Ranker, query: str, messages: Candidates) -> Sequence[float] | None:
        found = self._get(self._ranking_key(ranker, query, messages))
        return array("d", found).tolist() if found is not None and len(found) == 8 * len(messages) else None

    def keep_scores(self, ranker: Ranker, query: str, messages: Candidates, scores: Sequence[float]) -> None:
        self._put(self._ranking_key(ranker, query, messages), array("d", scores).tobytes())

    def _ranking_key(self, ranker: Ranker, query: str, messages: Candidates) -> bytes | None:
        maker = self._maker(ranker)
        return (
            None if maker is None else _key(b"ranking", maker, messages.digest, query.encode("utf-8", "surrogatepass"))
        )

    # --- vectors

    def vectors(self, embedder: Embedder, texts: Sequence[str]) -> Mapping[str, Vector]:
        import numpy as np

        found = {text: self._get(self._vector_key(embedder, text)) for text in texts}
        return {text: np.frombuffer(data, np.float32) for text, data in found.items() if data is not None}

    def keep_vectors(self, embedder: Embedder, vectors: Mapping[str, Vector]) -> None:
        for text, vector in vectors.items():
            self._put(self._vector_key(embedder, text), vector.tobytes())

    def _vector_key(self, embedder: Embedder, text: str) -> bytes | None:
        maker = self._maker(embedder)
        return None if maker is None else _key(b"vector", maker, text.encode("utf-8", "surrogatepass"))

    # --- the file

    def close(self) -> None:
        """Write what is new, in one piece."""
        if self._new and self._database is None:
            self._database = self._opened()
        if self._database is None:
            return
        with closing(self._database) as database:
            try:
                with database:
                    database.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?)", self._new.items())
            except sqlite3.Error as problem:
                self._gone(problem)

    def _opened(self) -> sqlite3.Connection | None:
        database = sqlite3.connect(self.path, timeout=WAIT_SECONDS)
        try:
            database.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB)")
        except sqlite3.Error as problem:
            database.close()
            self._gone(problem)
            return None
        return database

    def _get(self, key: bytes | None) -> bytes | None:
        if key is None or self._database is None:
            return None
        if key in self._new:
            return self._new[key]
        try:
            found: Any = self._database.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as problem:
            self._database.close()
            self._database = None
            self._gone(problem)
            return None
        return None if found is None else found[0]

    def _put(self, key: bytes | None, value: bytes) -> None:
        if key is not None:
            self._new[key] = value

    def _gone(self, problem: sqlite3.Error) -> None:
        """Take a broken file away; one that is only locked, or on a full disk, stays."""
        if not isinstance(problem, sqlite3.OperationalError):
            self.path.unlink(missing_ok=True)

    def _maker(self, maker: object) -> bytes | None:
        """The hash of a ranker or an embedder by what it is; None where it has no content to hash."""
        if id(maker) not in self._makers:
            try:
                self._makers[id(maker)] = (maker, content_hash(maker))
            except WrongArgument:
                self._makers[id(maker)] = (maker, None)
            if len(self._makers) > MOST_MAKERS:
                self._makers.popitem(last=False)
        return self._makers[id(maker)][1]


def _key(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=SIZE)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
