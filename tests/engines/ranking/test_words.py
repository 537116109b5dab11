"""Words of a text as rankers compare them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.ranking.word_index import WordIndex
from ctxlab.engines.ranking.words import LONGEST, TermCache, Terms, term_counts, term_frequencies, words

HOSTILE = ["a" * 1_000_000, "中" * 1_000_000, "\0" * 1_000_000, "\ud800" * 1_000_000, "e\u0301\u0316" * 300_000]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She adopted; adopting, ADOPTS", ["adopt", "adopt", "adopt"]),
        ("What did you do with the keys?", ["key"]),
        ("Caroline's agencies", ["carolin", "agenc"]),
        ("ＡＢＣ １２３", ["abc", "123"]),
        ("Café, cafe\u0301 and cafe", ["cafe", "cafe", "cafe"]),
        ("1,000 and 1000 and 3.14", ["1000", "1000", "3.14"]),
        ("我们去年在北京大学看书", ["去年", "北京", "大学", "北京大学", "看书", *"年北京大学看书"]),
        ("买了iPhone15手机", ["买", "iphone15", "手机", "手", "机"]),
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("?! \0 \ud800 ’'", []),
        ("", []),
    ],
)
def test_words_are_compared_by_their_stems(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[0]))
def test_a_million_characters_are_few_words(text: str) -> None:
    found = term_counts(text)

    assert len(found.counts) <= 10
    assert all(len(word) <= 2_000 for word in found.counts)
    assert found.length == 0 or not text.isascii() or max(map(len, found.counts)) <= LONGEST


@settings(deadline=None)
@given(st.text(st.sampled_from("aA é中文书.1,'’カ\ud800\0 "), max_size=40))
def test_counts_are_those_of_the_words(text: str) -> None:
    (found,) = term_frequencies([text])

    assert found.counts == Counter(words(text))
    assert found.length == len(words(text))


def test_a_text_is_taken_apart_once_while_it_is_asked_for() -> None:
    taken: list[str] = []

    def take_apart(text: str) -> Terms:
        taken.append(text)
        return Terms({text: 1}, 1, b"", b"")

    cache = TermCache(take_apart, max_texts=2)
    for text in ["a", "b", "a", "c", "a", "d", "a"]:
        cache(text)
    assert taken == ["a", "b", "c", "d"]
    for text in ["e", "f", "g", "a"]:
        cache(text)
    assert taken[-1] == "a"


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("key door 城堡 "), max_size=12), max_size=6), st.lists(st.sampled_from("kdx")))
def test_an_index_gives_what_looking_through_gives(texts: list[str], letters: list[str]) -> None:
    index = WordIndex(texts)
    asked = ["key", "door", "城堡", *letters]

    looked_through, indexed = index.having(asked), index.having(["x", *asked])

    assert list(looked_through) == [word for word in dict.fromkeys(asked) if any(word in words(text) for text in texts)]
    for word, found in looked_through.items():
        counts = [words(text).count(word) for text in texts]
        assert dict(zip(found.at.tolist(), found.times.tolist(), strict=True)) == {
            i: n for i, n in enumerate(counts) if n
        }
        again = WordIndex(texts)
        again.having([])
        assert [each.tolist() for each in again.having([word])[word]] == [each.tolist() for each in found]
    assert looked_through.keys() <= indexed.keys()
