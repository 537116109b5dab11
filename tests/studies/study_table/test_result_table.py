"""The table of a study's result, and the page that is written from the cells that a study kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.studies.scorers.evidence_retention import EVIDENCE
from ctxlab.studies.study import ScoredRun
from ctxlab.studies.study.frame_facts import ATTRS, FrameFacts
from ctxlab.studies.study_table.figure_parts import row_name
from tests.bench.truncation_study import PAGE, filled, scores_with_figures
from tests.studies.synthetic_study import study_frame

NAMES = st.sampled_from(["scores", "tokenizer", "left_out", "name", "title", "unit", "better"])
VARIANTS = ["sliding", "middle-out", "head-and-tail"]


def cases() -> Iterator[ctxlab.Case]:
    """Questions about two conversations, whose evidence is a message each."""
    for number in range(2):
        session = ctxlab.Session(id=f"s{number}")
        for i in range(12):
            role = ("user", "assistant")[i % 2]
            session = session.append(f"word {i} " * (3 + i % 4), role=role, id=f"m{i}")  # pyright: ignore
        for question in range(3):
            evidence = (f"m{(5 * question + number) % 12}",)
            name = f"talk{number}"
            yield ctxlab.Case(f"{name}-{question}", name, session, question="what?", evidence=evidence)


@pytest.fixture(scope="module")
def result() -> ctxlab.StudyResult:
    study = ctxlab.Study(list(cases()), VARIANTS, [100, 150], scorers=[EVIDENCE], tokenizer="chars4+4")
    return study.run(progress=False)


def test_a_result_s_table_knows_tokenizer_order_and_first_score(result: ctxlab.StudyResult) -> None:
    table = result.table()

    assert table.score == "all_evidence"
    assert [row_name(row) for row in table.rows] == VARIANTS * 2
    assert any("tokens counted with chars4+4" in note for note in table.notes)
    assert table.frame()["mean_tokens"].notna().all()


def test_a_frame_knows_units_and_tokenizer_also_when_it_is_read_back(tmp_path: Path) -> None:
    study = ctxlab.Study(list(cases()), VARIANTS, [100, 150], scorers=[EVIDENCE, cents], tokenizer="chars4+4")
    frame = study.run(tmp_path / "kept", progress=False).frame()

    for each in (frame, pd.read_parquet(tmp_path / "kept" / "cells.parquet"), frame[frame["budget"] == 100]):
        table = ctxlab.study_table(each, "share_of_evidence")
        assert table.is_share and table.better == "higher"
        assert any("tokens counted with chars4+4" in note for note in table.notes)
        assert not ctxlab.study_table(each, "cents").is_share
        assert ctxlab.study_table(each, "evidence_age_messages").unit == "messages"


def cents(run: ScoredRun) -> float:
    return run.trace.tokens / 1_000


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(NAMES, x)))
def test_attrs_of_anybody_s_are_read_or_left(attrs: object) -> None:
    facts = FrameFacts.of_attrs({ATTRS: attrs})

    assert FrameFacts.of_attrs(facts.as_attrs()) == facts


def test_a_result_s_figures_are_those_of_its_table(result: ctxlab.StudyResult) -> None:
    assert result.figure("share_of_evidence", against="messages").layout.xaxis.title.text == "mean messages"
    assert {trace.mode for trace in result.pareto(budget=100).data} >= {"markers"}


def test_a_score_that_the_study_does_not_have_is_refused_by_name(result: ctxlab.StudyResult) -> None:
    with pytest.raises(WrongArgument, match="no score 'all_evidense'; did you mean 'all_evidence'"):
        result.table("all_evidense")
    with pytest.raises(WrongArgument, match="no scores that are numbers"):
        ctxlab.Study(list(cases())[:1], ["sliding"]).run(progress=False).table()


def test_the_page_is_filled_and_filled_again_alike() -> None:
    page, frame = PAGE.read_text(), study_frame()

    once = filled(page, frame, tokenizer="chars4+4", left_out=["446 questions"], pictures="pictures")

    assert scores_with_figures(page) == ["all_evidence"]
    assert "| lexical |" in once and "446 questions" in once and "truncation_study-all\\_evidence" not in once
    assert filled(once, frame, tokenizer="chars4+4", left_out=["446 questions"], pictures="pictures") == once


def test_a_result_without_scorers_is_drawn_by_the_share_of_messages_sent() -> None:
    figure = ctxlab.Study(list(cases())[:2], VARIANTS, [100, 150]).run(progress=False).figure()

    assert figure.layout.yaxis.title.text == "share of messages sent"


def test_the_figure_of_a_survey_has_intervals_of_its_conversations() -> None:
    talks = [ctxlab.Session(id=f"t{n}").append("hello " * 9).append("word " * 5 * (n + 1)) for n in range(4)]

    result = ctxlab.survey(talks, strategies=["sliding"], budgets=[40, 400], tokenizer="chars4+4", progress=False)
    line = result.figure().data[0]

    frame = result.frame()
    frame = frame.assign(share=frame["messages"] / (frame["messages"] + frame["cut_messages"]))
    for i, budget in enumerate(result.budgets):
        own = ctxlab.mean_score(frame[frame["budget"] == budget], "share", unit="share")
        assert own.interval is not None
        ends = (line.y[i] - line.error_y.arrayminus[i], line.y[i], line.y[i] + line.error_y.array[i])
        assert ends == pytest.approx((own.interval.low, own.mean, own.interval.high))
