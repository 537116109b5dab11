"""The retriever: bases searched by several engines, every hit with all its scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.context.knowledge_hit import KnowledgeAnswer, KnowledgeBaseFacts, KnowledgeHit, QueryPart
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.documents.knowledge_base import KnowledgeBase
from ctxlab.errors import CtxlabError, MissingExtra, UnknownName, WrongArgument, did_you_mean
from ctxlab.knowledge.embedders import Embedder
from ctxlab.knowledge.embedders.embedder import EmbedFunction, as_key
from ctxlab.knowledge.index import MemoryIndex
from ctxlab.knowledge.index.turns import turns
from ctxlab.knowledge.ranking.likeness import check_embedder, chosen_embedder
from ctxlab.knowledge.retrieval.engines import (
    ALIASES,
    DEPTH,
    ENGINES,
    HYBRID,
    KEYWORD,
    TAGS,
    VECTOR,
    by_likeness,
    by_tags,
    by_words,
    tags_in,
)
from ctxlab.knowledge.retrieval.indexed_base import IndexedBase, IndexMaker, indexed_base
from ctxlab.knowledge.retrieval.query import Query
from ctxlab.knowledge.retrieval.reranker import Reranker, as_reranker, reranked
from ctxlab.knowledge.retrieval.scores import Scores
from ctxlab.knowledge.retrieval.search_cache import SearchCache
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

PAGE = 4
"""Times the hits that are asked for, of which each engine gives its best to be fused."""


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A search that is under way: what is asked, by which engine, and what went otherwise than asked."""

    query: Query
    bases: dict[str, IndexedBase]
    engine: str
    tags: tuple[str, ...]
    limit: int
    notes: list[str]

    @property
    def way(self) -> Hashable:
        """All that decides on an answer but the query."""
        states = [(id, each.content_hash) for id, each in self.bases.items()]
        return tuple(states), self.engine, self.tags, self.limit


class KnowledgeRetriever:
    """Finds chunks of knowledge bases by likeness, by words, by both and by tags.

    `embedder` is one, the name of one, a function of texts that gives a row of numbers for each, or None: the best that
    is installed; without any, words alone are searched and a note says so. `reranker` scores the best hits anew. With a
    `cache` an answer is given again to the same query, or to one that is alike. `index` makes the index of a base by
    its id, in memory where there is none. Threads may
    search while `update` puts another state of a base in.
    """

    @checked_arguments
    def __init__(
        self,
        bases: KnowledgeBase | Sequence[KnowledgeBase],
        *,
        embedder: Any = None,
        reranker: Any = None,
        cache: SearchCache | None = None,
        index: Any = None,
    ) -> None:
        check_embedder(embedder)
        if index is not None and not callable(index):
            raise WrongArgument(f"index is a {type(index).__name__}; it takes a function of a base's id, or None")
        given = (bases,) if isinstance(bases, KnowledgeBase) else tuple(bases)
        self._made = {"embedder": embedder, "reranker": reranker, "cache": cache, "index": index}
        self._embedder: Embedder | EmbedFunction | str | None = embedder
        self._reranker: Reranker | None = as_reranker(reranker) if reranker is not None else None
        self._index = cast("IndexMaker | None", index)
        self.cache = cache
        self._bases: dict[str, IndexedBase] = {}
        self._own: set[str] = set()
        self._updating = RLock()
        self._given: dict[str, KnowledgeBase] = {}
        for number, base in enumerate(given, 1):
            id = _id_of(base, number)
            if self._given.setdefault(id, base) != base:
                raise WrongArgument(
                    f"two knowledge bases have the id {short(id)!r}: give one of them another, base.with_(id=...)"
                )

    def __reduce__(self) -> tuple[Any, ...]:
        return _retriever, (tuple(self._given.values()), self._made)

    def __repr__(self) -> str:
        return f"KnowledgeRetriever({counted(len(self._given), 'base')})"

    def _repr_html_(self) -> str:
        rows = ((base.id, base.shown_name, len(base.entries)) for base in self._given.values())
        return heading(self) + html_table(("id", "name", "entries"), rows, of="bases")

    # --- bases

    def bases(self) -> tuple[KnowledgeBaseFacts, ...]:
        return tuple([self._indexed(id).facts for id in self._given])

    def entries(self, base: str, ids: Sequence[str] | None = None) -> tuple[KnowledgeHit, ...]:
        """All chunks of these entries of a base, in order of the ids; None means of all.

        Entries that aren't there or are switched off are left out. Raises UnknownName for a base that isn't there.
        """
        if base not in self._given:
            raise UnknownName(f"there is no knowledge base {base!r}{did_you_mean(base, list(self._given))}")
        found = self._indexed(base)
        chunks = [chunk for id in (found.entries if ids is None else ids) for chunk in found.entries.get(id, ())]
        return tuple([hit for chunk in chunks if (hit := found.hit(chunk)) is not None])

    @checked_arguments
    def update(self, base: KnowledgeBase) -> None:
        """Another state of a base, or one more base: what is new is put in, what is gone taken out, the rest stays."""
        with self._updating:
            id = _id_of(base, len(self._given) + 1)
            if id in self._own:
                self._bases[id].update(base)
            else:  # an index in memory may be another retriever's too
                made = IndexedBase(base, id, self._index(id) if self._index else MemoryIndex())
                self._bases = {**self._bases, id: made}
                self._own.add(id)
            self._given = {**self._given, id: base}

    def _indexed(self, id: str) -> IndexedBase:
        found = self._bases.get(id)
        if found is not None:
            return found
        with self._updating:
            if id not in self._bases:
                made = self._made_index(self._given[id], id)
                self._bases = {**self._bases, id: made}
            return self._bases[id]

    def _made_index(self, base: KnowledgeBase, id: str) -> IndexedBase:
        if self._index is not None:
            self._own.add(id)
            return IndexedBase(base, id, self._index(id))
        return indexed_base(base, id, as_key(self._embedder))

    # --- searching

    def search(
        self,
        query: Sequence[QueryPart],
        *,
        bases: Sequence[str] | None = None,
        engine: str = "",
        limit: int = 50,
        tags: Sequence[str] = (),
    ) -> KnowledgeAnswer:
        """The best hits, best first, at most `limit`, in the bases of these ids; None means all of them.

        Engines are `vector`, `keyword`, `hybrid` and `tags`; an empty one means the bases' own, else the best that is
        there. `tags` are asked for by the engine `tags`; without any it takes those that the query says.
        """
        notes: list[str] = []
        inside = self._inside(bases, notes)
        asked = _Asked(Query.of(query), inside, _engine(engine, inside, notes), tuple(tags), limit, notes)
        with turns.search():
            return self._answer(asked) if self.cache is None else self._remembered(asked, tuple(query), self.cache)

    def _remembered(self, asked: _Asked, query: tuple[QueryPart, ...], cache: SearchCache) -> KnowledgeAnswer:
        """The answer, from the cache where it is there."""
        way = asked.way
        if (same := cache.same(query, way)) is not None:
            return _with_notes(same, asked.notes)
        embedder = self._embedder_for(asked)
        vector = self._vector(asked, embedder)
        if (near := cache.near(vector, way)) is not None:
            return _with_notes(near, asked.notes)
        answer = self._found(asked, embedder, vector)
        cache.keep(query, way, answer, vector)
        return answer

    def _answer(self, asked: _Asked) -> KnowledgeAnswer:
        embedder = self._embedder_for(asked)
        return self._found(asked, embedder, self._vector(asked, embedder))

    def _inside(self, bases: Sequence[str] | None, notes: list[str]) -> dict[str, IndexedBase]:
        for id in bases or ():
            if id not in self._given:
                notes.append(f"there is no knowledge base {id!r}{did_you_mean(id, list(self._given))}")
        return {id: self._indexed(id) for id in self._given if bases is None or id in bases}

    def _embedder_for(self, asked: _Asked) -> Embedder | None:
        """The embedder, where the engine needs one and there is something to find."""
        if asked.engine not in ("", VECTOR, HYBRID) or not asked.query.parts or not asked.bases:
            return None
        texts = [entry.content for each in asked.bases.values() for entry in each.base.entries[:PAGE]]
        try:
            return chosen_embedder(self._embedder, [asked.query.text, *texts])
        except MissingExtra as error:
            asked.notes.append(f"only words were searched: {error}")
        return None

    def _vector(self, asked: _Asked, embedder: Embedder | None) -> Vector | None:
        if embedder is None:
            return None
        try:
            for each in asked.bases.values():
                each.embed(embedder)
            vector = asked.query.vector(embedder)
        except CtxlabError as error:
            asked.notes.append(f"only words were searched: {error}")
            return None
        if vector is None:
            asked.notes.append(f"only words were searched: {embedder.name!r} reads no word of the query")
        return vector

    def _found(self, asked: _Asked, embedder: Embedder | None, vector: Vector | None) -> KnowledgeAnswer:
        scores, engine = Scores(), asked.engine or HYBRID
        depth = max(DEPTH, PAGE * asked.limit)
        if vector is not None:
            by_likeness(scores, asked.query, vector, asked.bases, depth)
        else:
            by_words(scores, asked.query, asked.bases, depth)
            engine = KEYWORD if engine in (VECTOR, HYBRID) else engine
        if engine == TAGS:
            by_tags(scores, asked.tags or tags_in(asked.query.text, asked.bases), asked.bases)
        hits = _hits(scores, engine, asked)
        if self._reranker is not None and hits:
            hits = reranked(self._reranker, asked.query.text, hits, asked.notes)
        searched = sum([len(each.index) for each in asked.bases.values()])
        if not hits:
            asked.notes.append(_why_nothing(asked, engine, searched))
        return KnowledgeAnswer(tuple(hits[: asked.limit]), engine, searched, "", tuple(asked.notes))


def _with_notes(answer: KnowledgeAnswer, notes: Sequence[str]) -> KnowledgeAnswer:
    return replace(answer, notes=tuple(dict.fromkeys((*notes, *answer.notes))))


def _hits(scores: Scores, engine: str, asked: _Asked) -> list[KnowledgeHit]:
    found: list[KnowledgeHit] = []
    for key in scores.best(engine, asked.limit):
        hit = asked.bases[key.base].hit(key.chunk)
        if hit is not None:
            found.append(scores.scored(hit, key))
    return found


def _engine(wanted: str, bases: dict[str, IndexedBase], notes: list[str]) -> str:
    """The engine of this name, else the one that all bases have as their own; empty for the best."""
    known = ALIASES.get(wanted, wanted)
    if known in ENGINES:
        return known
    if wanted:
        notes.append(
            f"there is no engine {short(wanted)!r}{did_you_mean(wanted, list(ENGINES))}; the best one is taken"
        )
    own = {each.base.settings.engine or "" for each in bases.values()}
    return own.pop() if len(own) == 1 else ""


def _why_nothing(asked: _Asked, engine: str, searched: int) -> str:
    if not asked.bases:
        return "nothing was found: there is no knowledge base to search"
    if not searched:
        return "nothing was found: the knowledge bases hold no chunk that is switched on"
    if engine == TAGS:
        return f"nothing was found: none of {searched:,} chunks has a tag that is asked for"
    if not asked.query.written and engine != VECTOR:
        return "nothing was found: the query has no word to look for"
    return f"nothing was found: none of {searched:,} chunks has a word of the query"


def _id_of(base: KnowledgeBase, number: int) -> str:
    return base.id or base.name or f"base-{number}"


def _retriever(bases: tuple[KnowledgeBase, ...], made: dict[str, Any]) -> KnowledgeRetriever:
    return KnowledgeRetriever(bases, **made)
