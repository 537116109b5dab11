"""Vectors of texts, remembered by embedder and text for the texts that were asked for lately."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.embedders.embedder import Embedder, as_key, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxlab.knowledge.embedders.embedder import Vectors

    Vector = NDArray[np.float32]

MAX_BYTES = 128_000_000
"""Bytes of texts and vectors in one generation."""
AT_ONCE = 1_000
"""Texts that an embedder gets in one call."""

_Key = tuple[Hashable, str, str]


class VectorStore(Protocol):
    """Keeps vectors of texts beyond a process; it has none of an embedder that it doesn't know again."""

    def vectors(self, embedder: Embedder, texts: Sequence[str]) -> Mapping[str, Vector]: ...
    def keep_vectors(self, embedder: Embedder, vectors: Mapping[str, Vector]) -> None: ...


_store: ContextVar[VectorStore | None] = ContextVar("vectors", default=None)


@contextmanager
def vectors_kept(store: VectorStore) -> Generator[None]:
    """Embed with a store: vectors that it has are taken from there, others are kept in it."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


class VectorCache:
    """Vectors by embedder and text.

    Two generations: when the young one is full it becomes the old one, and what is asked for again moves up. So at
    most twice `max_bytes` are kept. Threads may share it: at worst a text is embedded twice.
    """

    __slots__ = ("_bytes", "_lock", "_old", "_young", "max_bytes")

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._young: dict[_Key, Vector] = {}
        self._old: dict[_Key, Vector] = {}
        self._bytes = 0
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"VectorCache({len(self):,} vectors)"

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def vectors(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """One vector a text; only those that aren't remembered are embedded, each text once.

        Raises CtxlabError where the embedder does, whatever it raised, or gives no vectors.
        """
        import numpy as np

        name, who, version = embedder.name, as_key(embedder), embedder.version
        found = {text: self._known((who, version, text)) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        store = _store.get() if missing else None
        if store is not None:
            kept = store.vectors(embedder, missing)
            found |= kept
            missing = [text for text in missing if text not in kept]
            for text, vector in kept.items():
                self._keep((who, version, text), vector)
        for start in range(0, len(missing), AT_ONCE):
            batch = missing[start : start + AT_ONCE]
            made = dict(zip(batch, unit_rows(_embedded(embedder, batch), len(batch), name), strict=True))
            found |= made
            for text, vector in made.items():
                self._keep((who, version, text), vector.copy())
            if store is not None:
                store.keep_vectors(embedder, made)
        if not texts:
            return np.zeros((0, 0), np.float32)
        return np.stack([vector for text in texts if (vector := found[text]) is not None])

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._young, self._old, self._bytes = {}, {}, 0

    def _known(self, key: _Key) -> Vector | None:
        vector = self._young.get(key)
        if vector is None and (vector := self._old.get(key)) is not None:
            self._keep(key, vector)
        return vector

    def _keep(self, key: _Key, vector: Vector) -> None:
        size = vector.nbytes + 2 * len(key[2])
        if size > self.max_bytes:
            return
        with self._lock:
            if self._bytes + size > self.max_bytes:
                self._old, self._young, self._bytes = self._young, {}, 0
            if key not in self._young:
                self._young[key] = vector
                self._bytes += size


def _embedded(embedder: Embedder, texts: list[str]) -> object:
    try:
        return embedder.embed(texts)
    except CtxlabError:
        raise
    except Exception as error:  # an embedder of one's own may raise anything; its words may hold a key
        raise CtxlabError(f"embedder {short(embedder.name)!r} raised {type(error).__name__}") from error


@cache
def _shared() -> VectorCache:
    return VectorCache()


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """One vector a text, remembered in this process for the texts that were asked for lately."""
    return _shared().vectors(embedder, texts)
