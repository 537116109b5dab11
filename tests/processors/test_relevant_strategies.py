"""Cuts that look at the question, through the whole pipeline."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.ranking import Candidate, Ranking
from ctxlab.errors import CtxlabError
from ctxlab.testing.fakes import WordTokenizer

SERVICES = ctxlab.Services(tokenizer=WordTokenizer())
CHAT = [
    "we keep the brass key behind the kitchen clock",
    "fine weather today",
    "the ferry leaves at nine in the morning",
    "so it goes",
    "lunch was good",
    "see you later",
]


def chat(*texts: str, question: str = "where is the brass key") -> ctxlab.Session:
    said = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(texts)]
    return ctxlab.read_data([*said, {"role": "user", "content": question}]).pick()


def sent(strategy: str, budget: int, session: ctxlab.Session | None = None, **options: Any) -> list[str]:
    trace = cut(strategy, budget, session, **options)
    return [message["content"] for message in trace.messages]


def cut(strategy: str, budget: int, session: ctxlab.Session | None = None, **options: Any) -> ctxlab.Trace:
    chosen = {"token-limiter.strategy": strategy, "merge-consecutive.enabled": False, **options.pop("settings", {})}
    return ctxlab.build(session or chat(*CHAT), budget_tokens=budget, settings=chosen, services=SERVICES, **options)


def shortest(query: str, candidates: Sequence[Candidate]) -> list[float]:
    """Short messages first."""
    return [-float(len(each.text)) for each in candidates]


def test_what_the_question_asks_for_is_kept_in_the_order_of_the_conversation() -> None:
    assert sent("bm25", 19) == [CHAT[0], "where is the brass key"]
    assert CHAT[0] not in sent("sliding", 19)
    kept = sent("bm25", 34)
    assert kept == [text for text in [*CHAT, "where is the brass key"] if text in kept]
    assert len(kept) > 2


def test_a_pending_question_is_the_one_that_is_looked_at() -> None:
    assert CHAT[2] in sent("bm25", 20, pending="when does the ferry leave?")


def test_recent_and_relevant_keeps_the_newest_too() -> None:
    kept = sent("recent-and-relevant", 24, settings={"token-limiter.recent_share": 0.4})

    assert CHAT[0] in kept
    assert CHAT[5] in kept


def test_a_message_larger_than_the_room_does_not_end_the_cut() -> None:
    session = chat("brass key " * 50, *CHAT)

    assert CHAT[0] in sent("bm25", 19, session)


def test_a_ranker_of_ones_own_is_a_function() -> None:
    named = {"token-limiter.ranker": "shortest"}

    kept = sent("relevant", 17, settings=named, rankers=[shortest])

    assert kept == ["so it goes", "see you later", "where is the brass key"]
    life = cut("relevant", 17, settings=named, rankers=[shortest]).why("node:m0")
    assert "it has a score of -46 by 'shortest'" in str(life)


@pytest.mark.parametrize("strategy", ["bm25", "embeddings", "hybrid"])
def test_a_strategy_goes_by_the_ranker_of_its_name(strategy: str) -> None:
    def mine(query: str, candidates: Sequence[Candidate]) -> list[float]:
        return [float("ferry" in each.text) for each in candidates]

    mine.__name__ = strategy

    trace = cut(strategy, 18, rankers=[mine])

    assert CHAT[2] in [message["content"] for message in trace.messages]
    assert f"it has a score of 0 by '{strategy}'" in str(trace.why("node:m0"))


def test_a_given_ranker_takes_the_place_of_one_of_its_name() -> None:
    class Mine:
        name = "bm25"

        def rank(self, query: str, candidates: Sequence[Candidate]) -> Ranking:
            return Ranking([float("ferry" in each.text) for each in candidates], lambda i: "is mine")

    assert CHAT[2] in sent("bm25", 18, rankers=[Mine()])


@pytest.mark.parametrize(
    ("rankers", "name", "why"),
    [
        ([shortest], "shortst", "there is no ranker 'shortst'; did you mean 'shortest'?"),
        ([], "bm52", "there is no ranker 'bm52'; did you mean 'bm25'?"),
        ([lambda query, candidates: [1.0]], "<lambda>", "ranker '<lambda>' gave 1 scores for 6 messages"),
        ([lambda query, candidates: [float("nan")] * 6], "<lambda>", "gave a score that is no number"),
        ([shortest, shortest], "shortest", "two rankers are named 'shortest'; each needs a name of its own"),
        ([3], "3", "a value of type int is no ranker"),
    ],
)
def test_what_is_wrong_with_a_ranker_is_said(rankers: list[Any], name: str, why: str) -> None:
    with pytest.raises(CtxlabError, match=why.replace("?", r"\?")):
        cut("relevant", 16, rankers=rankers, settings={"token-limiter.ranker": name})


def test_runs_with_rankers_pickle() -> None:
    local = lambda query, candidates: [float("ferry" in each.text) for each in candidates]  # noqa: E731
    trace = cut("relevant", 18, rankers=[local], settings={"token-limiter.ranker": "<lambda>"})

    again = pickle.loads(pickle.dumps(trace)).rerun({"token-limiter.budget_tokens": 17})

    assert CHAT[2] in [message["content"] for message in again.messages]


def test_cuts_and_why_say_rank_score_and_words() -> None:
    trace = cut("bm25", 16, chat(*CHAT, question="when does the ferry leave, and where is the brass key"))

    reasons = dict(zip(trace.cuts().key, trace.cuts().reason, strict=True))
    assert any("by words of the question, with a score of" in reason for reason in reasons.values())
    for key, reason in reasons.items():
        assert reason in str(trace.why(str(key)))
        assert key not in set(trace.rerun(trace.why(str(key)).remedy).cuts().key)


def test_without_a_question_the_newest_are_kept() -> None:
    notes = [{"role": "assistant", "content": text} for text in CHAT]
    session = ctxlab.read_data([*notes]).pick()

    assert cut("bm25", 9, session).result.drafts[-1].key == cut("sliding", 9, session).result.drafts[-1].key


def test_a_pause_of_hours_begins_a_new_talk() -> None:
    seen: list[Candidate] = []

    def look(query: str, candidates: Sequence[Candidate]) -> list[float]:
        seen.extend(candidates)
        return [0.0] * len(candidates)

    session = ctxlab.Session(id="s")
    for n, time in enumerate(["2024-05-01T10:00:00Z", "2024-05-01T10:05:00", None, "2024-05-03T09:00:00Z"]):
        session = session.append(f"word {n}", id=f"m{n}", **({"timestamp": time} if time else {}))
    session = session.append("and now?", id="q")
    cut("relevant", 9, session, rankers=[look], settings={"token-limiter.ranker": "look"})

    assert [each.talk for each in seen] == [0, 0, 0, 1]
    assert [each.text for each in seen] == [f"word {n}" for n in range(4)]


@settings(deadline=None, max_examples=40)
@given(st.permutations(range(5)), st.integers(0, 4))
def test_a_message_with_the_rare_words_is_kept_before_those_without(places: list[int], at: int) -> None:
    texts = ["one small thing", "another good day", "it rained again", "we had some tea", "nothing much new"]
    row = [texts[i] for i in places]
    row[at] = "the heliotrope spanner fell"

    assert row[at] in sent("bm25", 13, chat(*row, question="who dropped the heliotrope spanner"))


def test_the_default_strategy_loads_nothing_for_ranking() -> None:
    code = (
        "import sys, ctxlab; ctxlab.build(ctxlab.example('coding'), budget_tokens=5000); "
        "print([m for m in ('numpy', 'rjieba', 'snowballstemmer', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
