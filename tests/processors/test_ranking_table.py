"""The table of a cut by ranks: every message that was ranked, best first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.ranking.words import words
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import BudgetTooSmall, Trace
from ctxlab.testing.fakes import WordTokenizer

TEXTS = [
    "the brass lamp",
    "a lamp",
    "the tide at four",
    "我们去年在灯塔看书",
    "灯塔",
    "ok",
    "fog and fog",
    "the brass lamp",
]
RANKING = ("bm25", "relevant", "recent-and-relevant", "summary-and-relevant", "adaptive")


def built(talk: list[str], budget: int, strategy: str, question: str) -> Trace:
    session = ctxlab.Session(id="s").append("", id="root")
    for n, text in enumerate(talk):
        session = session.append(text, role="assistant" if n % 2 else "user", id=f"n{n}")
    services = ctxlab.Services(tokenizer=WordTokenizer(message_tokens=2))
    options: dict[str, Any] = {"token-limiter.strategy": strategy}
    return ctxlab.build(session.append(question, id="now"), budget_tokens=budget, settings=options, services=services)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(TEXTS), max_size=8),
    st.integers(5, 60),
    st.sampled_from(RANKING),
    st.sampled_from(["Who has the brass lamp?", "灯塔在哪里？", "ok", "?"]),
)
def test_a_row_has_rank_score_words_and_fate_of_its_message(
    talk: list[str], budget: int, strategy: str, question: str
) -> None:
    try:
        trace = built(talk, budget, strategy, question)
    except BudgetTooSmall:
        return
    if not talk:
        return
    table = trace.table("ranking")
    step = trace.step("token-limiter")
    texts = {draft.key: str(draft.text) for draft in step.before.drafts}
    stayed = {draft.key for draft in step.after.drafts}
    reasons = dict(zip(trace.cuts().key, trace.cuts().reason, strict=True))

    assert sorted(table.message) == sorted(f"node:n{n}" for n in range(len(talk)))
    assert list(table["rank"]) == list(range(1, len(talk) + 1))
    assert list(table.score) == sorted(table.score, reverse=True)
    for row in table.itertuples():
        assert row.kept == (row.message in stayed)
        assert set(words(" ".join(row.words))) <= set(words(texts[row.message]))
        assert bool(row.words) == bool(set(words(question)) & set(words(texts[row.message])))
        assert row.kept or f"; it {row.reason}" in reasons[row.message]


def test_a_cut_without_ranks_has_no_such_table() -> None:
    with pytest.raises(CtxlabError, match=r"no step left 'ranking'; there are: budget"):
        built(TEXTS, 20, "sliding", "ok").table("ranking")
