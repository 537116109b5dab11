"""Searching knowledge: who asks for more gets the same hits first, and what is switched off is in no answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.knowledge.retrieval import engines, retriever
from tests.knowledge.fakes import LetterEmbedder

WORDS = ("tide", "boat", "rope", "灯塔", "港口", "lamp", "oil", "雾")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@st.composite
def bases(draw: st.DrawFn, id: str) -> ctxlab.KnowledgeBase:
    entries = [
        ctxlab.KnowledgeEntry(
            id=f"{id}{n}",
            content=draw(texts),
            enabled=draw(st.sampled_from([True, True, True, False])),
            tags=tuple(draw(st.lists(st.sampled_from(["灯塔", "boat"]), max_size=1))),
        )
        for n in range(draw(st.integers(1, 24)))
    ]
    return ctxlab.KnowledgeBase(id=id, name=id, entries=tuple(entries))


@given(
    held=st.one_of(st.tuples(bases("a")), st.tuples(bases("a"), bases("b"))),
    query=texts,
    engine=st.sampled_from(engines.ENGINES),
    limits=st.tuples(st.integers(1, 8), st.integers(0, 40)),
)
@settings(max_examples=80, deadline=None)
def test_a_larger_limit_gives_the_same_hits_first(
    held: tuple[ctxlab.KnowledgeBase, ...], query: str, engine: str, limits: tuple[int, int]
) -> None:
    few, more = limits[0], sum(limits)
    with pytest.MonkeyPatch.context() as patch:
        for module in (engines, retriever):
            patch.setattr(module, "DEPTH", 6)  # else only hundreds of pieces would be behind it
        found = ctxlab.KnowledgeRetriever(held, embedder=LetterEmbedder())
        first, all_of_them = [
            [(hit.base, hit.chunk) for hit in found.search([ctxlab.QueryPart(query)], engine=engine, limit=limit).hits]
            for limit in (few, more)
        ]

    assert all_of_them[: len(first)] == first
    assert len(first) == min(few, len(all_of_them))
    off = {(base.id, entry.id) for base in held for entry in base.entries if not entry.enabled}
    assert off.isdisjoint(all_of_them)
    assert off.isdisjoint((hit.base, hit.entry) for base in held for hit in found.entries(base.id))
