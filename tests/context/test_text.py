import re

import pytest

from ctxlab.context import EMPTY, Cause, Edit, Origin, Span, Text

TYPED = Origin("node", "n1")
RULE = Cause("regex", "names", "real names go")


def hello() -> Text:
    return Text.of("hello Bob", TYPED)


def test_an_edit_remembers_what_it_replaced() -> None:
    text = hello().splice([Edit(6, 9, "Ann", RULE)])

    assert str(text) == "hello Ann"
    span = text.at(6)
    assert (span.text, span.origin, span.cause) == ("Ann", TYPED, RULE)
    assert [older.text for older in span.was] == ["Bob"]


def test_a_replacement_of_another_hand_names_it() -> None:
    text = hello().splice([Edit(6, 9, "Ann", RULE, Origin("macro", "user"))])

    assert text.at(6).origin == Origin("macro", "user")
    assert text.origins() == {TYPED, Origin("macro", "user")}


def test_what_is_inserted_belongs_to_the_step() -> None:
    text = hello().splice([Edit(5, 5, " dear", RULE)])

    assert str(text) == "hello dear Bob"
    assert text.at(6).origin == Origin("made", "regex")
    assert text.at(6).was == ()


def test_a_deletion_leaves_a_mark_without_characters() -> None:
    text = hello().splice([Edit(5, 9, "", RULE)])

    assert str(text) == "hello"
    assert text.spans[-1].text == ""
    assert text.spans[-1].was[0].text == " Bob"


def test_a_deletion_of_everything_still_knows_who_wrote_it() -> None:
    text = hello().splice([Edit(0, 9, "", RULE)])

    assert not text
    assert text.origins() == {TYPED}


def test_a_mark_at_the_front_stays_with_the_front() -> None:
    text = Text.of("xhello", TYPED).splice([Edit(0, 1, "", RULE)])

    assert text.cut(0, 2).spans[0].was[0].text == "x"
    assert text.cut(2, 5).origins() == {TYPED}


def test_an_edit_may_bring_a_text_with_its_own_stories() -> None:
    quoted = Text.of("a", Origin("lore", "1")) + Text.of("b", Origin("lore", "2"))

    text = hello().splice([Edit(0, 5, quoted, RULE)])

    assert str(text) == "ab Bob"
    assert [span.origin.ref for span in text.spans] == ["1", "2", "n1"]
    assert text.spans[0].was[0].text == "hello"


@pytest.mark.parametrize("nothing", ["", EMPTY])
def test_putting_nothing_in_changes_nothing(nothing: str | Text) -> None:
    text = hello()

    assert text.splice([Edit(5, 5, nothing, RULE)]) is text


def test_neighbours_of_one_story_are_one_span() -> None:
    text = Text.of("a", TYPED) + Text.of("b", TYPED) + Text.of("c", Origin("node", "n2"))

    assert [span.text for span in text.spans] == ["ab", "c"]


def test_a_text_cut_apart_and_joined_has_its_spans_again() -> None:
    text = hello().splice([Edit(6, 9, "Ann", RULE)])

    joined = text.cut(0, 7) + text.cut(7, 9)

    assert len(joined.spans) == len(text.spans)


def test_joining_puts_the_separator_between() -> None:
    comma = Text.of(", ", Origin("separator", "list"))

    text = Text.join(comma, [Text.of("a", TYPED), EMPTY, Text.of("b", TYPED)])

    assert str(text) == "a, , b"
    assert [span.origin.kind for span in text.spans] == ["node", "separator", "node"]


def test_a_character_that_is_not_there_is_an_error() -> None:
    with pytest.raises(IndexError, match="character 9 of a text of 9"):
        hello().at(9)


def test_a_text_of_one_span_is_its_string_itself() -> None:
    words = "some words"

    assert str(Text.of(words, TYPED)) is words


def test_a_text_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        hello().spans = ()


def test_one_line_shows_a_long_text() -> None:
    assert repr(Text.of("word " * 100, TYPED)) == "Text('word word word word word word word wo...', 1 spans)"


def test_edits_pile_up_and_each_is_remembered() -> None:
    text = hello().sub(re.compile("Bob"), "Ann", cause=RULE).sub(re.compile("Ann"), "Cleo", cause=Cause("regex", "2"))

    span = text.at(6)
    assert (span.text, span.was[0].text, span.was[0].was[0].text) == ("Cleo", "Ann", "Bob")


def test_a_span_as_data_is_the_whole_story() -> None:
    text = hello().splice([Edit(0, 9, "bye", RULE)])

    assert text.as_data() == [
        {
            "text": "bye",
            "origin": {"kind": "node", "id": "n1"},
            "cause": {"processor": "regex", "rule": "names", "reason": "real names go"},
            "was": [{"text": "hello Bob", "origin": {"kind": "node", "id": "n1"}, "cause": None, "was": []}],
        }
    ]


def test_spans_that_say_nothing_are_left_out() -> None:
    assert [span.text for span in Text([Span("", TYPED), Span("a", TYPED)]).spans] == ["a"]
