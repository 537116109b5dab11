"""What a search looks at, and what comes first: rows by their numbers, words by how rare they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.storage.search import SearchIndex
from ctxlab.storage.search.numbers import (
    LENGTHS,
    PLACES_SHIFT,
    first_place,
    free_place,
    length_of,
    millisecond_of,
    number_of,
    size_of,
)
from ctxlab.storage.search.query import Query


def talk(*said: str) -> ctxlab.Session:
    """A session whose messages say this, oldest first."""
    session = ctxlab.Session(id="s")
    for i, each in enumerate(said):
        session = session.append(each, id=f"n{i}", timestamp=f"2026-01-01T00:{i // 60:02}:{i % 60:02}Z")
    return session


def index_of(folder: Path, *said: str) -> SearchIndex:
    index = SearchIndex(folder / "search.db")
    index.put("session", talk(*said), "1")
    return index


def best(index: SearchIndex, query: str, mode: str = "or") -> list[str | None]:
    return [hit.node for hit in index.search(query, mode=mode, order="best")]  # type: ignore[arg-type]


def test_a_rare_word_weighs_more_than_a_common_one(tmp_path: Path) -> None:
    index = index_of(tmp_path, "a wick is there", *["a lamp is there"] * 9)

    assert best(index, "lamp wick")[0] == "n0"


def test_a_word_said_often_and_a_short_message_come_first(tmp_path: Path) -> None:
    long = "and so on and on " * 9
    index = index_of(tmp_path, f"one lamp {long}", "one lamp", "lamp on lamp", f"lamp on lamp {long}", "灯塔", "灯 灯")

    assert best(index, "lamp") == ["n2", "n1", "n3", "n0"]
    assert best(index, "lamp", "exact") == ["n2", "n1", "n3", "n0"]
    assert {*best(index, "灯")} == {"n4", "n5"}


def test_of_equal_messages_the_newest_comes_first(tmp_path: Path) -> None:
    assert best(index_of(tmp_path, *["a lamp"] * 4), "lamp") == ["n3", "n2", "n1", "n0"]


def test_scores_follow_an_index_that_grows(tmp_path: Path) -> None:
    index = index_of(tmp_path, "lamp", *["wick"] * 3)
    assert best(index, "lamp wick")[0] == "n0"

    index.put("session", talk("lamp", "wick", *["lamp"] * 30), "2")

    assert best(index, "lamp wick")[0] == "n1"


@pytest.mark.parametrize(
    ("others", "query"),
    [
        ("of {n}ax my elf ag", "f ag y"),
        ("the lamps {n} a lamp by the light", "amp lig"),
        ("keep the {n} old lamp and the light", "the lamp"),
        ("塔灯 {n} 灯 塔 lamp", "塔 lamp, 灯"),
    ],
)
def test_messages_with_the_same_letters_elsewhere_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: str, query: str
) -> None:
    index = index_of(tmp_path, f"of ag you saw{query}by", *[others.replace("{n}", f"w{n}") for n in range(60)])
    looked_at: list[object] = []
    finds: Callable[..., bool] = Query.finds
    monkeypatch.setattr(Query, "finds", lambda query, texts: looked_at.append(texts) or finds(query, texts))

    assert [hit.node for hit in index.search(query, mode="exact", limit=None)][-1] == "n0"
    assert len(looked_at) < 5


@given(st.integers(0, 1 << 50), st.integers(1, 1 << 30))
def test_a_number_tells_place_and_length(place: int, size: int) -> None:
    number = number_of(place, size)

    assert number // LENGTHS == place
    assert length_of(number) == LENGTHS - 1 or size / 1.3 < size_of(length_of(number)) < max(size, 16) * 1.3


def test_rows_of_a_full_millisecond_are_numbered_behind_all_that_are_there() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE rows(row INTEGER PRIMARY KEY)")

    def take(place: int) -> None:
        connection.execute("INSERT INTO rows VALUES(?)", (number_of(place, 100),))

    assert free_place(connection, first_place(7)) == first_place(7)
    take(first_place(7) + 3)
    assert free_place(connection, first_place(7)) == first_place(7) + 4
    take(first_place(8) - 1)
    take(first_place(8))
    assert free_place(connection, first_place(7)) == first_place(8) + 1
    assert millisecond_of((7 << PLACES_SHIFT) + 9) == 7


def test_more_rows_without_a_time_than_one_millisecond_holds_are_all_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab.storage.search.numbers.PLACES_SHIFT", 2)
    monkeypatch.setattr("ctxlab.storage.search.numbers.TIME_SHIFT", 8)
    with SearchIndex(tmp_path / "search.db") as index:
        for name in "abc":
            presets = tuple(ctxlab.MessageNode(id=f"{name}{n}", role="user", content=f"lamp {n}") for n in range(9))
            index.put("agent", ctxlab.Agent(id=name, preset_messages=presets), "1")

        assert index.search("lamp").total() == 27
        assert index.search("lamp", order="best").total() == 27
