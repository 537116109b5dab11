"""A cut that pins what the user wants of every answer, and takes the rest by what it says for its length."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.testing.fakes import WordTokenizer

RULE, LIKES = "Always answer in French.", "I prefer tea to coffee."
LONG = "the brass key is one of many old things that we spoke of on that long day by the sea " * 3
TALK = [RULE, "Bien.", "we keep the brass key behind the clock", LONG, LIKES, "Very well.", "then we sailed", "yes"]


def cut(budget: int, question: str = "where is the brass key", **options: Any) -> ctxlab.Trace:
    said = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(TALK)]
    session = ctxlab.read_data([*said, {"role": "user", "content": question}]).pick()
    chosen = {"token-limiter.strategy": "adaptive", "merge-consecutive.enabled": False}
    chosen |= {f"token-limiter.{name}": value for name, value in options.items()}
    return ctxlab.build(
        session, budget_tokens=budget, settings=chosen, services=ctxlab.Services(tokenizer=WordTokenizer())
    )


def sent(trace: ctxlab.Trace) -> list[str]:
    return [message["content"] for message in trace.messages][:-1]


def test_rules_and_preferences_stay_whatever_is_asked() -> None:
    trace = cut(28, pins_share=0.7)

    assert RULE in sent(trace)
    assert LIKES in sent(trace)
    table = trace.table("ranking").set_index("message")
    assert table.kept_as["node:m0"] == f"rule: {RULE}"
    assert table.kept_as["node:m4"] == "preference: I prefer"
    assert set(table.kept_as.drop(["node:m0", "node:m4"])) == {""}


def test_without_their_share_pins_are_kept_by_rank_alone() -> None:
    trace = cut(20, pins_share=0.0)

    assert RULE not in sent(trace)
    assert TALK[2] in sent(trace)
    assert not any(trace.table("ranking").kept_as)


def test_a_long_answer_that_says_the_same_goes_before_a_short_message() -> None:
    trace = cut(60, pins_share=0.0)

    assert TALK[2] in sent(trace)
    assert LONG not in sent(trace)
    assert "by words of the question against its length" in str(trace.why("node:m3"))


@pytest.mark.parametrize("question", ["In which order did we speak of it?", "请把我们说过的总结一下"])
def test_a_question_about_all_of_it_is_answered_by_what_the_user_said(question: str) -> None:
    trace = cut(42, question)

    assert [text for text in sent(trace) if text in TALK[::2]] == TALK[::2]
    assert not any(trace.table("ranking").kept_as)
    assert "as the question asks" in str(trace.why("node:m3"))


BEAM = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data/beam/100K"


@pytest.mark.slow
@pytest.mark.skipif(not BEAM.is_dir(), reason=f"{BEAM} isn't there")
def test_evidence_of_long_answers_is_kept_as_the_page_says() -> None:
    cases = ctxlab.retention_cases(BEAM)
    study = ctxlab.Study(cases, ["adaptive"], [4096], scorers=["evidence"], **ctxlab.RETENTION.study_options())
    frame = study.run(progress=False).frame()

    assert len(frame) == 179
    assert round(100 * frame.all_evidence.mean(), 1) == 65.4
    assert frame[frame.kind == "instruction-following"].all_evidence.mean() == 1.0
