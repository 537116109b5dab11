"""Whose words are whose in a merged message."""

from __future__ import annotations

import re

import pytest

from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Session
from ctxlab.prompt.merged_parts import pieces

WHY = Cause("merge", "rule", "why")


def draft(id: str, said: str) -> Draft:
    origin = Origin("node", id)
    return Draft(id, "user", (Text.of(said, origin),), origin)


def merged(*said: str, separator: str = " | ") -> Draft:
    drafts = [draft(str(n), text) for n, text in enumerate(said)]
    return Context(BuildInput(Session(id="s")), tuple(drafts)).merge([d.key for d in drafts], separator, WHY).drafts[0]


@pytest.mark.parametrize("separator", [" | ", ""])
@pytest.mark.parametrize(
    "said",
    [("one", "two", "three"), ("one", "", "three"), ("", "two", ""), ("", "", "x"), ("x", "", ""), ("", "")],
)
def test_every_part_has_its_own_words_where_they_stand(said: tuple[str, ...], separator: str) -> None:
    whole = merged(*said, separator=separator)

    found = pieces(whole)

    assert [piece.part.key for piece in found] == [str(n) for n in range(len(said))]
    assert [str(piece.text) for piece in found] == list(said)
    assert [str(whole.text)[piece.start : piece.end] for piece in found] == list(said)


def test_parts_and_seams_are_all_of_the_text() -> None:
    whole = merged("one", "", "three", "", "")

    assert "".join(piece.seam + str(piece.text) for piece in pieces(whole)) == str(whole.text)


def test_a_message_that_is_not_merged_is_one_piece() -> None:
    (piece,) = pieces(draft("a", "one"))

    assert (piece.part.key, str(piece.text), piece.start, piece.seam) == ("a", "one", 0, "")


def test_words_merged_twice_are_those_of_the_first_messages() -> None:
    drafts = (draft("a", "one"), draft("b", "two"), draft("c", "three"))
    ctx = Context(BuildInput(Session(id="s")), drafts).merge(["b", "c"], "+", WHY).merge(["a", "b"], "-", WHY)

    assert [(piece.seam, str(piece.text)) for piece in pieces(ctx.drafts[0])] == [
        ("", "one"),
        ("-", "two"),
        ("+", "three"),
    ]


def test_a_seam_that_was_rewritten_leaves_the_parts_to_their_origins() -> None:
    whole = merged("one", "two", "three")
    whole = whole.edit_text(lambda text: text.sub(re.compile(r"e \| t"), "_", cause=Cause("plugin", "rule", "why")))

    assert [(piece.seam, str(piece.text)) for piece in pieces(whole)] == [("", "on_"), ("", "wo"), (" | ", "three")]


def test_what_replaced_words_stays_with_their_part() -> None:
    whole = merged("one", "two")
    whole = whole.edit_text(lambda text: text.sub(re.compile("two"), "2", cause=WHY, origin=Origin("macro", "x")))

    assert [str(piece.text) for piece in pieces(whole)] == ["one", "2"]
