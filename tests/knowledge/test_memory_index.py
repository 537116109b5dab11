"""The index in memory gives what a plain scan gives, while texts come and go."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import isclose, log1p

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.engines.ranking.words import words
from ctxlab.knowledge.index import IndexedText, MemoryIndex

WORDS = ["lighthouse", "tide", "gull", "灯塔", "潮汐", "boat", "rope"]
TEXTS = st.dictionaries(st.integers(0, 9).map(str), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=8)


def scanned(texts: dict[str, str], query: dict[str, float]) -> dict[str, float]:
    """BM25 as its formula says it."""
    split = {id: words(text) for id, text in texts.items()}
    mean = sum(map(len, split.values())) / len(split) if split else 1
    scores = dict.fromkeys(split, 0.0)
    for word, weight in query.items():
        having = [id for id, own in split.items() if word in own]
        rarity = log1p((len(split) - len(having) + 0.5) / (len(having) + 0.5))
        for id in having:
            times = split[id].count(word)
            damped = 1.2 * (0.25 + 0.75 * len(split[id]) / (mean or 1))
            scores[id] += weight * rarity * times * 2.2 / (times + damped)
    return {id: score for id, score in scores.items() if score}


@given(TEXTS, TEXTS, st.sets(st.integers(0, 9).map(str)), st.dictionaries(st.sampled_from(words(" ".join(WORDS))), st.floats(0.1, 1)))
def test_words_are_scored_as_by_a_scan_after_any_changes(
    first: dict[str, str], more: dict[str, str], gone: set[str], query: dict[str, float]
) -> None:
    index = MemoryIndex([IndexedText(*pair) for pair in first.items()])
    index.add([IndexedText(*pair) for pair in more.items()])
    index.remove(gone)
    left = {id: text for id, text in {**first, **more}.items() if id not in gone}

    found = index.search_words(query, limit=20)

    wanted = scanned(left, query)
    assert len(index) == len(left)
    assert {each.id for each in found} == wanted.keys()
    assert all(isclose(each.score, wanted[each.id]) for each in found)
    assert all(each.score == sum([share.score for share in each.words]) for each in found)
    assert [each.rank for each in found] == list(range(1, len(found) + 1))
    assert all(one.score > two.score or isclose(one.score, two.score) for one, two in zip(found, found[1:], strict=False))


def test_those_asked_for_by_id_come_behind_the_best_with_their_ranks() -> None:
    index = MemoryIndex([IndexedText(str(i), "tide " * (i + 1)) for i in range(6)])
    vectors = np.eye(6, dtype=np.float32)
    index.add_vectors([str(i) for i in range(6)], vectors)

    every = index.search_words({"tide": 1.0}, limit=6)
    some = index.search_words({"tide": 1.0}, limit=2, also=[every[4].id, "none"])
    alike = index.search_vector(vectors[3], limit=1, also=["5"])

    assert some == [*every[:2], every[4]]
    assert [(each.id, each.score) for each in alike] == [("3", 1.0), ("5", 0.0)]


def test_a_text_under_an_old_id_takes_its_place_and_waits_for_a_vector() -> None:
    index = MemoryIndex([IndexedText("a", "tide")])
    index.add_vectors(["a"], np.array([[1, 0]], np.float32))

    index.add([IndexedText("a", "gull")])

    assert not index.search_words({"tide": 1.0}, limit=5)
    assert not index.search_vector(np.array([1, 0], np.float32), limit=5)
    assert [each.id for each in index.without_vectors(5)] == ["a"]


def test_what_is_left_is_found_after_most_was_removed() -> None:
    index = MemoryIndex([IndexedText(str(i), f"tide n{i}") for i in range(2500)])
    index.add_vectors([str(i) for i in range(2500)], np.tile(np.array([1, 0], np.float32), (2500, 1)))

    index.remove([str(i) for i in range(2499)])

    assert [each.id for each in index.search_words({"tide": 1.0}, limit=5)] == ["2499"]
    assert [each.id for each in index.search_vector(np.array([1, 0], np.float32), limit=5)] == ["2499"]


def test_searches_while_texts_are_added_find_what_was_there() -> None:
    index = MemoryIndex([IndexedText("first", "lighthouse")])

    def add(number: int) -> None:
        index.add([IndexedText(f"{number}-{i}", f"tide {i}") for i in range(300)])

    with ThreadPoolExecutor(4) as pool:
        adding = [pool.submit(add, number) for number in range(4)]
        while not all(task.done() for task in adding):
            assert [each.id for each in index.search_words({"lighthous": 1.0}, limit=3)] == ["first"]
            assert len({each.id for each in index.search_words({"tide": 1.0}, limit=10)}) <= 10
        for task in adding:
            task.result()

    assert len(index.search_words({"tide": 1.0}, limit=5000)) == 1200
