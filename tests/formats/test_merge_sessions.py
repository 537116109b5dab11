"""Taking sessions into a collection."""

from typing import Any

import pytest

from ctxlab.documents import Session
from ctxlab.errors import WriteError
from ctxlab.formats import CHINESE, merged_sessions

THERE = [Session(id=one, name=f"old {one}") for one in "ACZ"]
COMING = [Session(id=one, name=f"new {one}") for one in "ABC"]


def shown(sessions: Any) -> list[tuple[str, str]]:
    return [(session.id, session.name) for session in sessions]


def test_keep_gives_newcomers_a_new_id_and_says_that_they_are_copies() -> None:
    found = merged_sessions(THERE, COMING, on_conflict="keep")

    assert shown(found.sessions) == [
        ("A", "old A"),
        ("C", "old C"),
        ("Z", "old Z"),
        ("A~2", "new A (copy)"),
        ("B", "new B"),
        ("C~2", "new C (copy)"),
    ]
    assert (found.imported, found.renamed) == (("A~2", "B", "C~2"), {"A~2": "A", "C~2": "C"})
    assert (found.skipped, found.overwritten) == ((), ())


def test_overwrite_puts_newcomers_where_the_old_ones_were() -> None:
    found = merged_sessions(THERE, COMING, on_conflict="overwrite")

    assert shown(found.sessions) == [("A", "new A"), ("C", "new C"), ("Z", "old Z"), ("B", "new B")]
    assert (found.imported, found.overwritten, found.renamed) == (("A", "B", "C"), ("A", "C"), {})


def test_skip_leaves_the_old_ones() -> None:
    found = merged_sessions(THERE, COMING, on_conflict="skip")

    assert shown(found.sessions) == [("A", "old A"), ("C", "old C"), ("Z", "old Z"), ("B", "new B")]
    assert (found.imported, found.skipped) == (("B",), ("A", "C"))


def test_a_new_id_is_nobodys() -> None:
    coming = [Session(id="A"), Session(id="A~2"), Session(id="A")]

    found = merged_sessions([Session(id="A"), Session(id="A~3")], coming, on_conflict="keep")

    assert [session.id for session in found.sessions] == ["A", "A~3", "A~4", "A~2", "A~5"]


def test_newcomers_may_be_in_conflict_with_each_other() -> None:
    twice = [Session(id="A", name="one"), Session(id="A", name="two")]

    assert shown(merged_sessions([], twice, on_conflict="skip").sessions) == [("A", "one")]
    assert shown(merged_sessions([], twice, on_conflict="overwrite").sessions) == [("A", "two")]
    assert shown(merged_sessions([], twice, on_conflict="keep").sessions) == [("A", "one"), ("A~2", "two (copy)")]


def test_copies_can_be_called_so_in_chinese() -> None:
    found = merged_sessions(THERE, COMING[:1], on_conflict="keep", labels=CHINESE)

    assert found.sessions[-1].name == "new A（副本）"


def test_the_repr_counts() -> None:
    assert repr(merged_sessions(THERE, COMING, on_conflict="skip")) == (
        "ImportedSessions(4 sessions, 1 imported, 2 skipped, 0 renamed, 0 overwritten)"
    )


def test_an_unknown_strategy_names_those_there_are() -> None:
    strategy: Any = "skipp"

    with pytest.raises(WriteError, match=r"'skipp' is not known; did you mean 'skip'\?"):
        merged_sessions([], [], on_conflict=strategy)
