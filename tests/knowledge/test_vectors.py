"""Vectors: of unit length, remembered by embedder and text within bounds, refused where they aren't vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import CtxlabError
from ctxlab.knowledge.embedders.embedder import unit_rows
from ctxlab.knowledge.embedders.vector_cache import VectorCache
from tests.knowledge.fakes import BrokenEmbedder, LetterEmbedder


@settings(deadline=None)  # the first example loads numpy
@given(st.lists(st.text(max_size=4), max_size=8), st.integers(0, 3_000))
def test_the_cache_gives_what_the_embedder_gives_and_stays_within_its_bounds(texts: list[str], most: int) -> None:
    embedder, cache = LetterEmbedder(), VectorCache(most)

    for _ in range(2):
        vectors = cache.vectors(embedder, texts)
        assert len(vectors) == len(texts)
        assert not texts or np.allclose(vectors, embedder.embed(texts), atol=1e-6)
    assert 256 * len(cache) <= 2 * most


def test_a_text_is_embedded_once_for_each_embedder_and_two_of_a_name_are_two() -> None:
    cache = VectorCache()
    embedders = [LetterEmbedder(), LetterEmbedder(), LetterEmbedder(version="2"), LetterEmbedder("others")]

    for embedder in embedders:
        cache.vectors(embedder, ["a", "b", "a"])
        cache.vectors(embedder, ["b"])

    assert [embedder.asked for embedder in embedders] == [["a", "b"], ["a", "b"], ["a", "b"], ["a", "b"]]


def test_rows_get_unit_length_and_rows_of_zeros_stay() -> None:
    assert unit_rows([[3.0, 4.0], [0.0, 0.0]], 2, "x").tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, 0.0]]


@pytest.mark.parametrize(
    "gives", [None, [[1.0]], [[1.0], [1.0, 2.0]], [["a"], ["b"]], [[1.0], [float("nan")]], [[], []]]
)
def test_what_is_no_vector_a_text_is_refused_by_name(gives: object) -> None:
    with pytest.raises(CtxlabError, match="embedder 'broken' gave"):
        VectorCache().vectors(BrokenEmbedder(gives and np.array(gives, dtype=object)), ["one", "two"])
