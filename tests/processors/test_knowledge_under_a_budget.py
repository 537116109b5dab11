"""The nearest change of a piece of knowledge under a budget: the run with it can be built, and the piece is sent."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.pipeline import BudgetTooSmall, Services
from ctxlab.testing.fakes import WordTokenizer

BASE = ctxlab.knowledge_base(
    "H", entries={f"zebra {n}": "zebra stripes are black " * 20 for n in range(6)}, engine="keyword"
)
CHAT = [{"role": "system", "content": "【kb::H::1】"}, {"role": "user", "content": "zebra"}]


@pytest.fixture
def trace() -> ctxlab.Trace:
    return ctxlab.build(CHAT, knowledge=[BASE], budget_tokens=250, services=Services(WordTokenizer()))


def test_every_nearest_change_can_be_built_and_brings_its_piece_in(trace: ctxlab.Trace) -> None:
    table = trace.table("knowledge")

    cut = table[~table["sent"]]
    assert len(cut) == 5
    for _, row in cut.iterrows():
        again = trace.rerun(row["nearest"]).table("knowledge").set_index("key")
        assert bool(again.loc[row["key"], "sent"])


def test_a_change_that_does_not_fit_says_which_budget_it_needs(trace: ctxlab.Trace) -> None:
    row = trace.table("knowledge").iloc[-1]

    least = row["nearest"]["token-limiter.budget_tokens"]
    assert row["remedy"] == f"limit 1 → 6; budget 250 → {least}"
    with pytest.raises(BudgetTooSmall) as caught:
        trace.rerun({**row["nearest"], "token-limiter.budget_tokens": least - 1})
    assert caught.value.least_budget == least


def test_a_change_that_fits_leaves_the_budget_alone(trace: ctxlab.Trace) -> None:
    row = trace.table("knowledge").iloc[1]

    assert row["remedy"] == "limit 1 → 2"
    assert list(row["nearest"]) == ["knowledge-processor.overrides"]


def test_without_a_placeholder_the_table_is_empty_with_its_columns(trace: ctxlab.Trace) -> None:
    table = ctxlab.build([{"role": "user", "content": "zebra"}], knowledge=[BASE]).table("knowledge")

    assert len(table) == 0
    assert list(table.columns) == list(trace.table("knowledge").columns)


def test_a_table_that_is_asked_for_again_builds_nothing(trace: ctxlab.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    first = trace.table("knowledge")
    first.iloc[-1]["nearest"].clear()  # what a reader does to a cell stays with that reader
    monkeypatch.setattr(ctxlab.Trace, "rerun", None)

    again = trace.table("knowledge")

    assert all(again[~again["sent"]]["nearest"])
    assert list(again["remedy"]) == list(first["remedy"])
