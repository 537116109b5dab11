from collections.abc import Iterable

from ctxlab.context import Cause, Context, Draft, Origin, Request, Text
from ctxlab.documents import Session
from ctxlab.pipeline import diff

WHY = Cause("test", "rule")


def draft(id: str, said: str = "") -> Draft:
    return Draft(id, "user", (Text.of(said or f"text of {id}", Origin("node", id)),), Origin("node", id))


def context(drafts: Iterable[Draft]) -> Context:
    return Context(Request(Session(id="s")), tuple(drafts))


def rows(a: Context, b: Context) -> list[tuple[str, str]]:
    return [(row.key, row.kind) for row in diff(a, b)]


def test_equal_messages_are_the_same_whatever_object_they_are() -> None:
    a, b = context(map(draft, "abc")), context(map(draft, "abc"))

    assert not diff(a, b)
    assert diff(a, b).changes == ()
    assert rows(a, b) == [("a", "same"), ("b", "same"), ("c", "same")]


def test_what_only_one_side_has_stands_where_it_stands_there() -> None:
    a, b = context(map(draft, "abd")), context(map(draft, "acd"))

    assert rows(a, b) == [("a", "same"), ("b", "only in a"), ("c", "only in b"), ("d", "same")]
    assert repr(diff(a, b)) == "Diff(2 same, 1 only in a, 1 only in b)"


def test_what_is_gone_says_why() -> None:
    a = context(map(draft, "abc"))
    b = a.drop(["a"], WHY).merge(["b", "c"], " ", WHY)

    causes = {row.key: row.cause for row in diff(a, b)}

    assert causes["a"] == WHY
    assert str(causes["c"]) == "test / rule: it is part of b"
    assert {row.key: row.cause for row in diff(b, a)}["a"] == WHY


def test_a_change_is_the_smallest_stretch_that_differs() -> None:
    a, b = context([draft("a", "the cat sat")]), context([draft("a", "the dog sat")])

    (row,) = diff(a, b).changes

    assert row.text_change == (4, "cat", "dog")


def test_the_same_words_of_another_hand_are_a_change() -> None:
    a = context([draft("a", "hi")])
    b = context([draft("a", "hi").with_text(Text.of("hi", Origin("macro", "x")))])

    (row,) = diff(a, b).changes

    assert (row.kind, row.text_change) == ("changed", None)


def test_few_messages_move_not_many() -> None:
    a, b = context(map(draft, "abcd")), context(map(draft, "bcda"))

    assert [key for key, kind in rows(a, b) if kind == "moved"] == ["a"]
    assert [key for key, kind in rows(b, a) if kind == "moved"] == ["a"]


def test_a_swap_moves_the_same_one_from_either_side() -> None:
    a, b = context(map(draft, "ab")), context(map(draft, "ba"))

    assert dict(rows(a, b)) == dict(rows(b, a))


def test_a_diff_is_shown_as_a_small_table() -> None:
    a = context(draft(str(n), f"<{n}>") for n in range(200))
    b = context(draft(str(n), f"<{n}!>") for n in range(200))

    html = diff(a, b)._repr_html_()

    assert "and 140 more" in html
    assert "&lt;" not in html.partition("<table>")[0]
    assert "<0" not in html
    assert len(html) < 50_000
