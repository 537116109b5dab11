"""Looking for many keys at once: what is found, and how much is looked at."""

from __future__ import annotations

from unittest.mock import patch

import ahocorasick_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.worldbook import key_search
from ctxlab.engines.worldbook.key_search import KeyHit, KeySearch, nested_words
from ctxlab.engines.worldbook.keys import Key, searchable

LETTERS = "aA b_龙"
KEYS = st.builds(Key, st.text(LETTERS, min_size=1, max_size=7), st.booleans(), st.booleans())


def naive(key: Key, texts: list[str]) -> KeyHit | None:
    """The first place of a key, looked for by itself."""
    word = searchable(key.text)
    for n, text in enumerate(texts):
        for start in range(len(text) - len(word) + 1):
            end = start + len(word)
            if searchable(text)[start:end] == word and key.is_bounded_at(text, start, end):
                return KeyHit(n, start, end)
    return None


@given(
    st.lists(KEYS, max_size=30, unique=True),
    st.lists(st.text(LETTERS, max_size=40), max_size=3),
    st.sampled_from([3, 8, 1000]),
    st.sampled_from([0, 1, 3]),
)
@settings(max_examples=200, deadline=None)
def test_all_keys_at_once_are_found_where_each_alone_is(
    keys: list[Key], texts: list[str], window: int, nested: int
) -> None:
    with patch.object(key_search, "WINDOW", window), patch.object(key_search, "MOST_NESTED", nested):
        found = KeySearch(tuple(keys)).words_in(texts, {})

    places = {i: naive(key, texts) for i, key in enumerate(keys)}
    assert found == {i: hit for i, hit in places.items() if hit is not None}


class CountedHits:
    """An automaton that counts the hits that it lists."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.inner = ahocorasick_rs.AhoCorasick(list(words), store_patterns=False)
        self.hits = 0

    def find_matches_as_indexes(self, text: str, *, overlapping: bool) -> list[tuple[int, int, int]]:
        found = self.inner.find_matches_as_indexes(text, overlapping=overlapping)
        self.hits += len(found)
        return found


@pytest.mark.parametrize("case_sensitive", [False, True])
@pytest.mark.parametrize("whole_words", [False, True])
@pytest.mark.parametrize("text", ["a" * 2_000, ("a" * 40 + " ") * 50], ids=["one word", "words"])
def test_keys_inside_of_keys_dont_multiply_the_hits(
    monkeypatch: pytest.MonkeyPatch, text: str, *, case_sensitive: bool, whole_words: bool
) -> None:
    made: list[CountedHits] = []
    monkeypatch.setattr(key_search, "_automaton", lambda words: made.append(CountedHits(words)) or made[-1])
    keys = tuple(Key("a" * length, case_sensitive, whole_words) for length in range(1, 301))

    found = KeySearch(keys).words_in([text], {})

    assert made[0].hits <= (key_search.MOST_NESTED + 1) * len(text)
    assert found == {i: hit for i, key in enumerate(keys) if (hit := naive(key, [text])) is not None}


def test_keys_that_differ_in_upper_and_lower_case_are_one_word_to_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    is_bounded_at = Key.is_bounded_at

    def counted(key: Key, text: str, start: int, end: int) -> bool:
        nonlocal asked
        asked += 1
        return is_bounded_at(key, text, start, end)

    monkeypatch.setattr(Key, "is_bounded_at", counted)
    spellings = ["".join(c.upper() if i >> j & 1 else c for j, c in enumerate("aaaaaa")) for i in range(64)]
    keys = tuple(Key(text, case, whole) for text in spellings for case in (False, True) for whole in (False, True))

    KeySearch(keys).words_in(["a" * 1_000], {})

    assert asked <= 3 * 1_000


def test_a_word_is_nested_when_many_others_are_its_ends() -> None:
    words = ["n", "on", "gon", "agon", "ragon", "dragon", "wagon", "river", "reddragon"]

    assert nested_words(words) == {"ragon", "dragon", "wagon", "reddragon"}
