"""Counts by characters, and tokenizers by name."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens import CharacterTokenizer, tokenizer_named
from ctxlab.errors import WrongSetting


@given(st.text(max_size=60), st.integers(1, 9), st.integers(0, 9))
def test_a_message_costs_its_characters_and_its_overhead_and_nothing_else(text: str, n: int, more: int) -> None:
    counter, origin = CharacterTokenizer(n, more), ctxlab.Origin("node", "a")
    draft = ctxlab.Draft("k", "user", (ctxlab.Text.of(text, origin),), origin)

    assert counter.count_draft(draft) == max(1, (len(text) + n - 1) // n) + more
    assert counter.count_tools([{"name": "x"}]) == counter.request_tokens == 0
    assert pickle.loads(pickle.dumps(counter)) == counter == tokenizer_named(f"chars{n}+{more}")


def test_the_prompt_of_a_run_is_counted_by_it() -> None:
    session = ctxlab.Session(id="s").append("12345").append("1", role="assistant").append("灯塔灯塔灯")

    trace = ctxlab.build(session, tokenizer=tokenizer_named("chars4+4"))

    assert [message["tokens"] for message in trace.messages] == [6, 5, 6]
    assert (trace.tokens, trace.estimated) == (17, True)
    assert ctxlab.build(session, tokenizer=tokenizer_named("o200k_base")).estimated is False


@given(st.text(max_size=60), st.integers(0, 9))
def test_an_encoding_with_tokens_a_message_counts_the_text_and_nothing_else(text: str, more: int) -> None:
    counter, origin = tokenizer_named(f"o200k_base+{more}"), ctxlab.Origin("node", "a")
    draft = ctxlab.Draft("k", "user", (ctxlab.Text.of(text, origin),), origin, speaker="Ann", reasoning="Hm.")

    assert counter.count_draft(draft) == tokenizer_named("o200k_base").count(text) + more
    assert counter.count_tools([{"name": "x"}]) == counter.request_tokens == 0
    assert pickle.loads(pickle.dumps(counter)).count_draft(draft) == counter.count_draft(draft)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "chars",
        "chars4",
        "chars0+4",
        "chars4+",
        "chars-1+4",
        "chars4+4 ",
        "o200k",
        "gpt-4o",
        "gpt-4o+4",
        "estimator+",
    ],
)
def test_a_name_of_no_tokenizer_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(WrongSetting, match="there is no tokenizer"):
        tokenizer_named(name)
