"""LanceDB finds what the index in memory finds, and keeps it on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab.context.knowledge_hit import QueryPart
from tests.knowledge.fakes import LetterEmbedder

pytest.importorskip("lancedb", reason="LanceDB is not installed: pip install 'ctxlab[lancedb]'")

BASE = ctxlab.knowledge_base(
    "harbour", entries={"灯塔": "港口的灯塔建于1890年。", "it's": "The keeper's boat sank in a storm.", "Tides": "Tides turn."}
)


def found(retriever: ctxlab.KnowledgeRetriever, text: str, engine: str) -> list[str]:
    return [hit.title for hit in retriever.search([QueryPart(text)], engine=engine).hits]


def test_both_find_the_same_and_the_table_is_found_again(tmp_path: Path) -> None:
    embedder = LetterEmbedder()
    on_disk = ctxlab.KnowledgeRetriever(BASE, embedder=embedder, index=ctxlab.LanceBases(str(tmp_path)))
    in_memory = ctxlab.KnowledgeRetriever(BASE, embedder=embedder)

    for text in ("灯塔在哪里？", "boats in storms", "tide"):
        assert found(on_disk, text, "keyword") == found(in_memory, text, "keyword")
        assert found(on_disk, text, "vector") == found(in_memory, text, "vector")

    asked = len(embedder.asked)
    changed = BASE.with_(entries=(*BASE.entries[:2], ctxlab.KnowledgeEntry(id="new", key="New", content="A gull's cry")))
    later = ctxlab.KnowledgeRetriever(changed, embedder=embedder, index=ctxlab.LanceBases(str(tmp_path)))
    assert found(later, "gull", "keyword") == ["New"]
    assert found(later, "tide", "keyword") == []
    assert len(found(later, "gull", "vector")) == 3
    assert set(embedder.asked[asked:]) <= {"New\nA gull's cry", "gull"}
