"""Extractive summaries: exact budgets, sentences in order, and what is worth a place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.compression import extractive_summary, sentences

CHATTER = ["Hi! How are you today?", "Fine, thanks. And you?", "好的，谢谢你。", "Yes. No. Well, ok."]
HARBOUR = [
    "The lighthouse keeper Anna repaired the brass lamp in the old tower.",
    "灯塔的看守人在旧塔楼里修好了黄铜灯，然后写进了日志。",
    "The pilot boat leaves the harbour at four with the tide and returns with the mail.",
]


def _characters(text: str) -> int:
    return len(text)


MANY = [*HARBOUR, *CHATTER] * 3
counters: st.SearchStrategy[Callable[[str], int]] = st.sampled_from(
    [_characters, lambda text: len(text.split()), lambda text: len(text) // 4 + 5, lambda text: 3 * len(text)]
)
texts = st.lists(st.lists(st.sampled_from([*CHATTER, *HARBOUR, "x = 1", ""]), max_size=3).map(" ".join), max_size=6)


@settings(deadline=None)
@given(texts, st.integers(-1, 400), counters, st.sampled_from(["", "Who repaired the lamp?", "谁修好了灯？"]))
def test_a_summary_is_sentences_of_the_messages_in_order_and_within_the_budget(
    messages: list[str], budget: int, count: Callable[[str], int], query: str
) -> None:
    summary = extractive_summary(messages, budget, count, query)

    assert summary.tokens == (count(summary.text) if summary.sentences else 0)
    assert summary.tokens <= max(budget, 0)
    places = [(each.message, each.start, each.end) for each in summary.sentences]
    assert places == sorted(set(places))
    for each in summary.sentences:
        assert messages[each.message][each.start : each.end] == each.text
        assert (each.start, each.end) in set(sentences(messages[each.message]))
    assert len({each.text for each in summary.sentences}) == len(summary.sentences)


def test_what_is_said_goes_before_small_talk() -> None:
    chosen = extractive_summary([*CHATTER, *HARBOUR], 200, len).sentences

    assert {each.text for each in chosen} <= set(HARBOUR)
    assert len(chosen) > 1


def test_nothing_is_said_twice_while_there_is_something_else() -> None:
    again = HARBOUR[0].replace("repaired", "then repaired")
    room = len(HARBOUR[0]) + len(HARBOUR[2]) + 20

    chosen = [each.text for each in extractive_summary([HARBOUR[0], again, HARBOUR[2]], room, len).sentences]

    assert HARBOUR[2] in chosen


@pytest.mark.parametrize(("query", "place"), [("When does the pilot boat leave?", 2), ("看守人修好了什么？", 1)])
def test_a_question_draws_what_answers_it(query: str, place: int) -> None:
    (chosen,) = extractive_summary(HARBOUR, max(map(len, HARBOUR)), len, query).sentences[:1]

    assert chosen.message == place


def test_a_layout_counts_with_its_own_words() -> None:
    def framed(chosen: object) -> str:
        return f"[{chosen}]"

    summary = extractive_summary(HARBOUR, 20, len, layout=framed)

    assert (summary.sentences, summary.text, summary.tokens) == ((), "", 0)


def test_every_process_chooses_alike() -> None:
    code = f"from ctxlab.engines.compression import extractive_summary as s; print(s({MANY!r}, 150, len))"
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )

    assert other.stdout.decode().splitlines() == str(extractive_summary(MANY, 150, len)).splitlines()
