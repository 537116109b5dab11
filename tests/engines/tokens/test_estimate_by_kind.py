"""Estimates by the kinds of text: a mean that is near, a safe side that is rarely under, in linear time."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens import Tokenizer, tokenizer_named
from ctxlab.engines.tokens.estimate_by_kind import KINDS, MEAN, SAFE, estimate_by_kind, features_of

FOLDER = os.environ.get("CTXLAB_VOCABULARIES", "")
"""A folder with a `tokenizer.json` or `tekken.json` for each vocabulary."""


@given(text=st.text(max_size=80))
def test_each_character_is_of_one_kind_and_the_safe_side_is_never_below_the_mean(text: str) -> None:
    found = estimate_by_kind(text)

    assert (found.mean == 0) == (text == "")
    assert found.mean <= found.safe
    assert {kind.rstrip("+") for kind in features_of(text)} <= {*KINDS, "capitals", "threes"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("blanks", "newlines")])
def test_every_kind_has_a_price(kind: str) -> None:
    assert MEAN.get(kind, 0) + MEAN.get(f"{kind}+", 0) > 0
    assert SAFE.get(kind, 0) + SAFE.get(f"{kind}+", 0) > 0


def test_estimates_of_made_texts_are_near_an_exact_count() -> None:
    """o200k is one of the vocabularies that the prices were fitted to, and the one that is always at hand."""
    pytest.importorskip("scipy", reason="the script that makes the texts needs it")
    from tests.engines.tokens.fit_estimate import made

    exact = Tokenizer.of_encoding("o200k_base")
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for number, (kind, text) in enumerate(made(11)):
        if number % 5 == 0:
            found = estimate_by_kind(text)
            sums[kind] = [a + b for a, b in zip(sums[kind], (exact.count(text), *found), strict=True)]

    assert len(sums) > 8
    for kind, (true, mean, safe) in sums.items():
        assert 0.7 * true <= mean <= 1.6 * true, kind
        assert true <= safe, kind


@pytest.mark.skipif(not FOLDER, reason="CTXLAB_VOCABULARIES names no folder with vocabularies")
def test_the_safe_side_of_each_kind_is_over_every_vocabulary() -> None:
    from tests.engines.tokens.fit_estimate import counters, made

    for name, count in counters(Path(FOLDER)).items():
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for kind, text in made(11):
            sums[kind] = [sums[kind][0] + count(text), sums[kind][1] + estimate_by_kind(text).safe]
        assert {kind for kind, (true, safe) in sums.items() if safe < 0.95 * true} == set(), name


def test_a_run_counts_by_kind_where_it_is_told_to() -> None:
    log = "\n".join(f"2026-11-{n % 28 + 1:02d} t={n * 7.31:.3f} id={n * 2654435761 % 2**32:08x}" for n in range(60))
    chat = [{"role": "user", "content": log}]
    old, mean, safe = (
        ctxlab.build(chat, model="qwen3-32b", tokenizer=name).tokens
        for name in ("estimator", "by-kind", "by-kind-safe")
    )

    assert old < mean < safe
    assert tokenizer_named("by-kind").estimated
