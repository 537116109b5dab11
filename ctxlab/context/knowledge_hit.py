"""Pieces of knowledge that a search found, with all its scores, and how it was searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass

Reused = Literal["", "same query", "similar query"]


@dataclass(frozen=True, slots=True)
class QueryPart:
    """A text to search by, its weight among the others of a query, and who said it: `user`, `assistant` or `tool`.

    `back` counts the turns since it was said: 0 is the newest.
    """

    text: str
    weight: float = 1.0
    role: str = "user"
    back: int = 0


@dataclass(frozen=True, slots=True)
class WordShare:
    """A word of the query and what it brought to a piece's score by keywords."""

    word: str
    score: float


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """A chunk of a knowledge base, found by a search or taken by its id.

    `chunk` is unique in its base; `entry` is the entry or file it is from, `title` that one's name, and `place` where
    it stands there, such as `page 3` or `lines 10-40` (empty for a whole entry). `scores` and `ranks` are by engine,
    as far as each was asked: `vector` is a cosine, `keyword` a BM25 score without bound, `hybrid` fused ranks; the
    best rank is 1.
    """

    base: str
    base_name: str
    entry: str
    chunk: str
    title: str
    text: str
    place: str = ""
    tags: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=FrozenDict)
    ranks: Mapping[str, int] = field(default_factory=FrozenDict)
    words: tuple[WordShare, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """Hits, best first by the engine that was asked, out of `searched` chunks.

    `reused` says that an earlier search's answer was taken. `notes` are sentences on what went otherwise than asked,
    such as an embedder that isn't installed, and why nothing was found.
    """

    hits: tuple[KnowledgeHit, ...] = ()
    engine: str = ""
    searched: int = 0
    reused: Reused = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBaseFacts:
    """A base that can be searched: its id, name, number of entries and chunks, the tags in it and its own engine."""

    id: str
    name: str
    entries: int = 0
    chunks: int = 0
    tags: tuple[str, ...] = ()
    engine: str = ""
