"""Tags that write: what is understood, and what is passed over."""

from typing import Any

import pytest

from ctxlab.engines.variables import MISSING, tags_in


@pytest.mark.parametrize(
    ("text", "path", "op", "value"),
    [
        ('<svar name="gold" op="+" value="5" />', "gold", "+", 5),
        ("<svar path='a.b' value='x'/>", "a.b", "=", "x"),
        ('<svar name="gold" op="sub" value="0x10">', "gold", "sub", 16),
        ("<svar name=gold value=1e2/>", "gold", "=", 100),
        ('<svar name="who" value="Sir Bob" />', "who", "=", "Sir Bob"),
        ('<svar name="who" value="a > b" />', "who", "=", "a > b"),
        ('<svar name="who" value="it\'s me" />', "who", "=", "it's me"),
        ('<svar name="who" value="" />', "who", "=", ""),
        ("<svar name='bag' value='[\"a\", \"b\"]' />", "bag", "=", ["a", "b"]),
        ('<svar name="bag" value="{"a": "b c", "d": [1]}" />', "bag", "=", {"a": "b c", "d": [1]}),
        ('<svar name="bag" value="[1, oops" />', "bag", "=", "[1, oops"),
        ('<svar name="体力" value="“满”" />', "体力", "=", "“满”"),
        ('<svar\n  name="gold"\n  value="3"\n/>', "gold", "=", 3),
        ('<svar name="gold" note value="3">', "gold", "=", 3),
    ],
)
def test_a_tag_says_what_to_write_where(text: str, path: str, op: str, value: Any) -> None:
    (tag,) = tags_in(f"so {text} it is").found

    assert (tag.path, tag.op, tag.value) == (path, op, value)
    assert (tag.start, tag.end) == (3, 3 + len(text))


def test_a_tag_without_a_value_has_none() -> None:
    (tag,) = tags_in('<svar name="gold" />').found

    assert tag.value is MISSING


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('well <svar name="gold" value="5', "the tag at character 5 doesn't end, or a quote in it doesn't"),
        ('<svar value="5" />', "the tag at character 0 names no variable"),
    ],
)
def test_what_is_no_tag_is_told(text: str, problem: str) -> None:
    tags = tags_in(text)

    assert (tags.found, tags.problems) == ((), (problem,))


@pytest.mark.parametrize("text", ["<svars name='a' value='1'/>", "<SVAR name='a' value='1'/>", "svar name='a'"])
def test_other_tags_are_not_meant(text: str) -> None:
    assert tags_in(text).found == tags_in(text).problems == ()


def test_a_broken_tag_does_not_swallow_the_next() -> None:
    (tag,) = tags_in('<svar name="a value=1> <svar name="b" value="2"/>').found

    assert tag.path == "b"


def test_the_reference_ends_a_value_at_a_blank() -> None:
    (tag,) = tags_in('<svar name="who" value="Sir Bob" />', compat="reference").found

    assert tag.value == "Sir"


def test_tags_of_a_text_are_read_once() -> None:
    text = 'again <svar name="gold" value="5" />'

    assert tags_in(text) is tags_in(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<svar  name=a   value=5/>", {"a": 5}),
        ("<svar name=a value=5 / >", {"a": 5}),
        ("<svar name=a value='5'name=b/>", {"b": 5}),
        ("<svar\nname=a value=x=y//>", {"a": "x=y/"}),
    ],
)
def test_the_reference_takes_attributes_as_they_come(text: str, found: dict[str, Any]) -> None:
    assert {tag.path: tag.value for tag in tags_in(text, compat="reference").found} == found


@pytest.mark.parametrize("text", ["<svar" + " " * 100_000, "<svar " * 20_000, "<svar " + "a" * 100_000 + ">"])
def test_tags_that_do_not_end_are_read_once_in_the_references_way_too(text: str) -> None:
    tags = tags_in(text, compat="reference")

    assert not tags.found
    assert tags.problems
