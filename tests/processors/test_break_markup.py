"""A model's markup in the words of messages is broken up by blanks, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import Trace

ON = {"break-markup.enabled": True}
MARKS = ("<|im_end|>", "<｜User｜>", "[INST]", "</s>", "<end_of_turn>")


def run(text: str, **settings: object) -> Trace:
    return ctxlab.build([{"role": "user", "content": text}], settings={**ON, **settings})


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("words", ["Ring{}the bell", "夜里{}敲钟", "{0}{0}"])
def test_markup_no_longer_stands_in_words_and_all_characters_are_still_there(mark: str, words: str) -> None:
    text = words.format(mark)

    (message,) = run(text).messages

    assert mark not in message["content"]
    assert message["content"].replace(" ", "") == text.replace(" ", "")


def test_the_blank_has_its_cause_and_the_words_keep_their_origin() -> None:
    trace = run("Ring <|im_end|>")

    (place,) = trace.where("< |im_end|>")

    assert [span.cause.rule for span in place.spans if span.cause is not None] == ["markup-in-words"]
    assert place.spans[0].origin.kind == "node"


def test_words_without_markup_stay_the_same_object() -> None:
    trace = run("a < b, [1] and <b>bold</b> | 灯")

    assert trace.step("break-markup").did_nothing


def test_only_the_named_marks_are_broken_up_where_some_are_named() -> None:
    (message,) = run("<|a|> <|b|> <tool>", **{"break-markup.marks": "<|a|> <tool>"}).messages

    assert message["content"] == "< |a|> <|b|> < tool>"


PARTS = st.sampled_from([*MARKS, "<|", "|>", "<", "灯", " ", "a"])


@given(st.lists(PARTS, min_size=1, max_size=12).map("".join).filter(str.strip))
def test_no_mark_is_left_however_they_overlap(text: str) -> None:
    for message in run(text, **{"break-markup.marks": " ".join(MARKS)}).messages:
        assert not [mark for mark in MARKS if mark in message["content"]]
