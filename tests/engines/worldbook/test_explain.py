"""How a scan tells what it found: its words, its books, its table."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.documents import LoreEntry, Worldbook
from ctxlab.errors import CtxlabError
from tests.engines.worldbook.conftest import Scanned


@pytest.mark.parametrize(
    ("chat", "reason"),
    [
        ({}, "it is for Mira, sailor, and there is no character"),
        ({"names": ("Shen", "shen")}, "its character filter leaves out Shen"),
        ({"tags": ("cook",)}, "its character filter leaves out the character"),
    ],
)
def test_a_character_filter_says_whom_it_leaves_out(scanned: Scanned, chat: dict[str, object], reason: str) -> None:
    entry = {"key": ["x"], "characterFilter": {"names": ["Mira"], "tags": ["sailor"]}}

    (found,) = scanned("x", entry, chat=chat).decisions

    assert (found.gate, found.reason) == ("character-filter", reason)


@pytest.mark.parametrize(
    ("texts", "entry", "reason"),
    [
        (["a"], {"delay": 2}, "it waits for 2 messages, there is 1"),
        ([], {"delay": 1}, "it waits for 1 message, there are 0"),
        (["a", "b"], {"cooldown": 3}, "it fired 1 message ago and cools down for 3"),
        (["a", "b", "c"], {"cooldown": 3}, "it fired 2 messages ago and cools down for 3"),
    ],
)
def test_one_message_is_no_plural(scanned: Scanned, texts: list[str], entry: dict[str, object], reason: str) -> None:
    chat = {"activations": {"lore:b/0": "m0"}, "path": tuple(f"m{i}" for i in range(len(texts)))}

    (found,) = scanned(*texts, {"key": ["a"], **entry}, chat=chat).decisions

    assert found.reason == reason


def test_the_changed_book_is_among_the_books(scanned: Scanned) -> None:
    scan = scanned("a Dragon", {"key": ["dragon"], "caseSensitive": True}, {"key": ["a"]})

    again = scan.with_change("lore:b/0")

    assert again["lore:b/0"].fired
    assert again.books[0].entry(0).case_sensitive is False
    assert again.books[0] == scan.books[0].with_entry(0, **scan["lore:b/0"].nearest.entry)


def test_rows_begin_with_what_fires(scanned: Scanned) -> None:
    scan = scanned("x", {"key": ["nobody"]}, {"key": ["x"]})

    assert [one.key for one in scan.decisions] == ["lore:b/0", "lore:b/1"]
    assert [row["key"] for row in scan.rows()] == list(scan.frame()["key"]) == ["lore:b/1", "lore:b/0"]


def test_the_table_is_escaped_small_and_begins_at_the_left(scanned: Scanned) -> None:
    scan = scanned("x", *({"key": ["<x>"], "comment": "<b>" + "&" * 500} for _ in range(400)))

    shown = scan._repr_html_()

    assert "<b>&" not in shown
    assert "<td>" not in shown
    assert len(shown.encode()) < 50_000
    assert "more entries" in shown


def test_an_unknown_key_names_a_few(scanned: Scanned) -> None:
    scan = scanned("x", *({"key": ["x"]} for _ in range(100)))

    with pytest.raises(CtxlabError, match="and 92 more"):
        scan["?"]


STICKY = {"activations": {"lore:b/2": "m0"}, "path": ("m0", "m1")}


@pytest.mark.parametrize("compat", ["sillytavern", "reference"])
def test_who_is_told_how_to_win_a_group_wins_it_even_from_one_that_is_sticky(scanned: Scanned, compat: str) -> None:
    entries = [{"group": "g"}, {"key": ["x"], "group": "g", "groupWeight": 0}, {"group": "g", "sticky": 5}]

    scan = scanned("x", "y", *entries, chat=STICKY, dice={"lore-group:g": 0.6}, compat=compat)

    assert [one.fired for one in scan.decisions] == [False, False, True]
    assert [scan.with_change(key)[key].fired for key in ("lore:b/0", "lore:b/1")] == [True, True]


def test_of_a_large_group_everyone_is_told_how_to_win(scanned: Scanned) -> None:
    scan = scanned("x", *[{"key": ["x"], "group": "g"}] * 60, {"key": ["y"], "group": "g"}, dice={"lore-group:g": 0})

    assert scan["lore:b/0"].fired
    for key in ("lore:b/1", "lore:b/60"):
        assert scan[key].nearest.entry == {"groupOverride": True}
        assert scan.with_change(key)[key].fired


def test_words_that_are_offered_leave_nothing_to_the_dice() -> None:
    book = Worldbook(id="b", entries={"0": LoreEntry(uid=0, key=("bell",), content="It rings.", probability=50)})

    decision = ctxlab.lore_scan(book, "nothing")["lore:b/0"]

    assert decision.nearest.as_data() == {"message": "bell", "entry": {"probability": 100}}


def test_a_book_that_allows_no_tokens_sets_no_limit() -> None:
    book = Worldbook(id="b", token_budget=0, entries={"0": LoreEntry(uid=0, key=("bell",), content="It rings.")})

    assert ctxlab.lore_scan(book, "the bell")["lore:b/0"].fired
