"""Lost rules against labels read by hand: no worse than docs/compressions.md says."""

from __future__ import annotations

import pytest

import ctxlab
from tests.recordings.compressions.labelled import RECORDINGS, Labelled, Score, real, score, scripted


def of(cases: list[Labelled], *, tuned: bool) -> Score:
    return score([case for case in cases if case.tuned is tuned])


def test_scripted_compressions_that_the_patterns_were_made_on() -> None:
    found = of([*scripted()], tuned=True)
    assert (found.true, found.claims, found.named, found.losses) == (5, 5, 5, 5)


def test_scripted_compressions_that_were_held_out() -> None:
    found = of([*scripted()], tuned=False)
    assert (found.true, found.claims, found.named, found.losses) == (8, 10, 8, 10)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")
def test_compressions_of_real_programs() -> None:
    cases = [*real()]
    made, held = of(cases, tuned=True), of(cases, tuned=False)
    assert (made.true, made.claims, made.named, made.losses) == (4, 4, 4, 4)
    assert (held.true, held.claims, held.named, held.losses) == (6, 6, 6, 8)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")
@pytest.mark.parametrize("file", ["chat-exports/claude_example.json", "traces-otel/all-spans.json"])
def test_other_branches_and_other_conversations_are_no_compressions(file: str) -> None:
    assert ctxlab.read_recording(RECORDINGS / file).compressions() == ()


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")
def test_every_claim_of_a_real_report_stands_where_it_says() -> None:
    for case in real():
        report = case.compression.report
        for fact in report.facts:
            assert report.text_of(fact.source or "")[fact.start : fact.end] == fact.text
            if fact.summary_start is not None:
                assert report.summary[fact.summary_start : fact.summary_end] == fact.summary_text
