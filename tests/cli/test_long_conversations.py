"""A conversation of which most is cut: what is cut is not counted by the way."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.engines.tokens import Tokenizer
from ctxlab.pipeline.explain import affordable_counts


@pytest.fixture
def long_run(monkeypatch: pytest.MonkeyPatch) -> tuple[ctxlab.Trace, list[str]]:
    """A run of forty messages of which most are cut, displays that count a hundred characters, and what is counted."""
    monkeypatch.setattr(affordable_counts, "MOST_CHARACTERS", 100)
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    session = ctxlab.Session(id="long")
    for i in range(40):
        session = session.append(f"number {i} of forty words", role=("user", "assistant")[i % 2])
    services: Any = ctxlab.Services(tokenizer=Tokenizer.counting("words", count))
    return ctxlab.build(session, services=services, budget_tokens=20), counted


def test_totals_of_what_is_cut_are_left_out(long_run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from ctxlab.cli.output.run_text import Steps
    from ctxlab.cli.output.terminal import Screen

    trace, counted = long_run
    Steps(Screen(), trace).all(trace)

    shown = capsys.readouterr().out
    assert "messages, not counted: " in shown
    assert "`ctxlab ledger` counts all of it" in shown
    assert "number 0 of forty words" not in counted
    assert "–" in trace._repr_html_()
    assert "number 0 of forty words" not in counted


def test_who_asks_gets_them(long_run: Any) -> None:
    trace, counted = long_run

    assert trace.cuts()["tokens"].sum() == 5 * len(trace.cuts())
    assert "number 0 of forty words" in counted


def test_totals_of_what_is_sent_are_never_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affordable_counts, "MOST_CHARACTERS", 10)
    trace = ctxlab.build(ctxlab.Session(id="s").append("many more than ten characters"))

    counts = affordable_counts.AffordableCounts(trace)

    assert counts.context_tokens(trace.result.drafts) == trace.tokens
