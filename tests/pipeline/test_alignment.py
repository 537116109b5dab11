"""One alignment for prompts, lists and merges: as much as possible is the same, whatever came, went or moved."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.pipeline import alignment
from ctxlab.pipeline.alignment import Change, aligned, texts_alike

ROWS = st.lists(st.sampled_from("ab好cdef"), max_size=14)


def longest(a: list[str], b: list[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def first(old: str, new: str) -> Change | None:
    return aligned(old, new).first_change(lambda i, j: 0.0)


@given(ROWS, ROWS)
def test_as_many_things_as_can_be_are_the_same(a: list[str], b: list[str]) -> None:
    pairs = aligned(a, b).pairs
    assert len(pairs) == longest(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in itertools.pairwise(pairs))


def test_large_stretches_are_cut_at_what_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "LARGEST", 200)
    old = [n if n % 3 else "continue" for n in range(60)]
    new = [*old[5:40], "new", *old[40:]]
    assert len(aligned(old, new).pairs) == 55


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("abc", "xabc", Change("added", 0, 0)),
        ("abc", "bcd", Change("gone", 0, 0)),
        ("abcd", "acdb", Change("moved", 1, 3)),
        ("abcd", "adbc", Change("moved", 3, 1)),
        ("abc", "axc", Change("changed", 1, 1)),
        ("oaobo", "aoboco", Change("gone", 0, 0)),
        ("oab", "abco", Change("gone", 0, 0)),
        ("aa", "a", Change("gone", 1, 1)),
    ],
)
def test_the_first_change_is_what_happened(old: str, new: str, kind: Change) -> None:
    assert first(old, new) == kind


def test_equal_rows_have_no_change() -> None:
    assert first("abc", "abc") is None
    assert [*aligned("abc", "abc").blocks()] == []


def test_thousands_of_equal_things_are_aligned() -> None:
    dice = Random(1)
    old = [dice.choice(("ok", "继续", str(n))) for n in range(4000)]
    new = [*old[7:2000], "x", *old[2000:], "ok", "y"]
    assert len(aligned(old, new).pairs) == 3993


def test_a_text_with_more_words_is_alike_at_any_length() -> None:
    assert texts_alike("ok", "ok, and then some more words") >= 0.5
    assert texts_alike("灯塔在哪里？", "船在哪里？") >= 0.5
    assert texts_alike("", "words") == 0
