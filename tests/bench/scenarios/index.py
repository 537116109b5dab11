"""The full-text index: made of messages, half of them Chinese, and asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import ctxlab
from ctxlab.storage.search import SearchIndex
from tests.bench.search import Talk, queries, times_of

MESSAGES = 5_000


class _Loaded(Talk):
    """The sessions, made before."""

    def __init__(self, messages: int) -> None:
        super().__init__(messages)
        self.made = {f"s{i}": super(_Loaded, self).load("session", f"s{i}") for i in range(self.sessions)}

    def load(self, kind: str, id: str) -> ctxlab.Session:
        return self.made[id]


def made() -> Iterator[None]:
    """An index of 5,000 messages"""
    talk = _Loaded(MESSAGES)
    with TemporaryDirectory() as folder:
        yield
        SearchIndex(Path(folder) / "search.db").catch_up(talk)


def asked() -> Iterator[None]:
    """600 queries to an index of 5,000 messages"""
    talk = _Loaded(MESSAGES)
    with TemporaryDirectory() as folder:
        index = SearchIndex(Path(folder) / "search.db")
        index.catch_up(talk)
        wanted = {mode: queries(talk, mode, 100, 7) for mode in ("exact", "and", "or")}
        yield
        for mode, some in wanted.items():
            for order in ("newest", "best"):
                times_of(index, some, mode, order)
