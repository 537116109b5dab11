"""Thoughts and words of a reply: all of the text is in its parts, and while it comes nothing is taken back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import ThinkRule

BITS = [
    "<think>",
    "</think>",
    "<THINK >",
    "</think  >",
    "<thin",
    "<guguthink a='b'>",
    "</guguthink>",
    "<",
    ">",
    "</",
    "k>",
    "词",
    "words ",
    "\n",
]
TEXTS = st.lists(st.sampled_from(BITS), max_size=12).map("".join)


@given(TEXTS, st.booleans())
def test_the_parts_are_the_text(text: str, streaming: bool) -> None:
    parts = ctxlab.split_thoughts(text, streaming=streaming)

    assert "".join(text[part.start : part.end] for part in parts) == text
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert all(part.start < part.end and part.text in text for part in parts)


@given(TEXTS)
def test_what_was_words_or_thought_stays_so_whatever_comes(text: str) -> None:
    def said(part_kind: str, of: str, *, streaming: bool = True) -> str:
        return "".join(p.text for p in ctxlab.split_thoughts(of, streaming=streaming) if p.kind == part_kind)

    for kind in ("words", "thought"):
        before = ""
        for end in range(len(text) + 1):
            now = said(kind, text[:end])
            assert now.startswith(before)
            before = now
        assert said(kind, text, streaming=False).startswith(before)


def test_an_agent_s_rules_say_which_tags_count() -> None:
    rules = [ThinkRule(tag_name="plan", display_name="Plan", collapsed_by_default=False)]

    thought, words = ctxlab.split_thoughts("<plan>one</plan><think>two</think>", rules)

    assert (thought.text, thought.name, thought.closed, thought.collapsed) == ("one", "Plan", True, False)
    assert (words.kind, words.text) == ("words", "<think>two</think>")
    assert ctxlab.split_thoughts("<plan>one</plan>", ["plan"])[0].kind == "thought"


def test_a_thought_that_is_not_closed_goes_to_the_end() -> None:
    words, thought = ctxlab.split_thoughts("Well. <think>hm")

    assert (words.text, thought.text, thought.closed) == ("Well. ", "hm", False)


def test_the_beginning_of_a_tag_is_undecided_while_it_comes() -> None:
    words, rest = ctxlab.split_thoughts("Well. <thi", streaming=True)

    assert (words.kind, rest.kind, rest.text) == ("words", "undecided", "<thi")
    assert [part.kind for part in ctxlab.split_thoughts("Well. <thi")] == ["words"]
