"""What the scorers say of builds that are small enough to be counted by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Session
from ctxlab.errors import WrongArgument
from ctxlab.studies.cases import RETENTION
from ctxlab.studies.scorers import (
    EVIDENCE,
    EVIDENCE_PLACE,
    INSTRUCTIONS,
    KEPT_TOKENS,
    MUST_KEEP,
    PREFIX,
    SCORERS,
    TOOL_PAIRS,
    PrefixCost,
    Repetition,
    function_scorer,
)
from ctxlab.studies.scorers.registry import scorer_named, scorers
from ctxlab.studies.study import Case, ScoredRun
from ctxlab.testing.fakes import WordTokenizer

Scores = dict[str, Any]


def talk(*lines: str, stamps: tuple[str, ...] = ()) -> Session:
    """A conversation of user and assistant in turn; the ids are m0, m1, ..."""
    session = Session(id="s")
    for n, line in enumerate(lines):
        time = {"timestamp": stamps[n]} if stamps else {}
        session = session.append(line, role=("user", "assistant")[n % 2], id=f"m{n}", **time)
    return session


def run(case: Case, *, budget: int | None = None, tokenizer: Any = None, **settings: Any) -> ScoredRun:
    changes = {**RETENTION.settings, **{name.replace("__", "."): value for name, value in settings.items()}}
    services = ctxlab.Services(tokenizer=tokenizer or WordTokenizer())

    def build(**options: Any) -> ctxlab.Trace:
        return ctxlab.build(case.session, budget_tokens=budget, settings=changes, services=services, **options)

    return ScoredRun(case, build(pending=case.question), lambda leaf: build(leaf=leaf))


def case(session: Session, **fields: Any) -> Case:
    return Case("c", "s", session, **fields)


def test_every_scorer_is_there_by_its_name() -> None:
    assert [scorer_named(scorer.name) for scorer in SCORERS] == list(SCORERS)
    assert set(scorers().by_name) >= {"evidence", "kept-tokens", "prefix", "prefix-cost", "must-keep", "tool-pairs"}


def test_a_function_is_a_scorer_whose_version_changes_with_its_words() -> None:
    def words(run: ScoredRun) -> float:
        return float(run.trace.tokens)

    first = function_scorer(words)

    def words(run: ScoredRun) -> float:
        return float(run.trace.tokens) + 1

    assert first.score(run(case(talk("a b c")))) == {"words": 3}
    assert first.version != function_scorer(words).version


# --- evidence


def test_evidence_is_whole_or_it_is_not() -> None:
    session = talk("one two three four five six seven", "b", "c")

    scores = EVIDENCE.score(run(case(session, evidence=("m0", "m2")), budget=5))
    shortened = EVIDENCE.score(
        run(case(session, evidence=("m0",)), budget=6, **{"token-limiter__retained_characters": 7})
    )

    assert (scores["all_evidence"], scores["share_of_evidence"]) == (0, 0.5)
    assert scores["evidence_share_of_tokens"] == 0.5
    assert shortened["all_evidence"] == 0


def test_evidence_that_is_merged_into_another_message_is_whole() -> None:
    session = talk("one", "two").append("three", role="assistant", id="m2")

    merged = run(case(session, evidence=("m1", "m2")), **{"merge-consecutive__enabled": True})

    assert len(merged.trace.result.drafts) == 2
    assert EVIDENCE.score(merged)["all_evidence"] == 1


def test_words_that_another_message_quotes_are_not_its_evidence() -> None:
    session = talk("the key is blue", "you said: the key is blue")

    scores = EVIDENCE.score(run(case(session, question="which?", evidence=("m0",)), budget=8))

    assert scores["all_evidence"] == 0


def test_the_age_of_evidence_is_that_of_its_oldest_message() -> None:
    stamps = ("2026-01-01T10:00", "2026-01-01T10:05", "2026-01-03T10:00", "2026-01-03T10:01")
    session = talk("a", "b", "c", "d", stamps=stamps)

    scores = EVIDENCE.score(run(case(session, question="?", evidence=("m3", "m1"))))

    assert (scores["evidence_age_messages"], scores["evidence_age_talks"]) == (2, 1)
    assert EVIDENCE.score(run(case(talk("a", "b"), evidence=("m0",))))["evidence_age_talks"] is None


@pytest.mark.parametrize(("at", "place"), [(0, "head"), (4, "middle"), (8, "tail")])
def test_the_place_of_evidence_is_its_third_of_the_prompt(at: int, place: str) -> None:
    session = talk(*[f"w{n} w w" for n in range(9)])

    scores = EVIDENCE_PLACE.score(run(case(session, evidence=(f"m{at}",))))

    assert [name for name, share in scores.items() if share] == [f"evidence_in_{place}"]
    assert scores[f"evidence_in_{place}"] == 1


def test_kept_and_cut_tokens_are_those_of_the_history() -> None:
    session = talk("one two three", "four five", "six")

    scores = KEPT_TOKENS.score(run(case(session, question="what is it?"), budget=6))

    assert scores == {"kept_tokens": 3, "cut_tokens": 3, "kept_share": 0.5}


# --- facts, instructions, tools, repetition


def test_facts_are_texts_and_patterns_and_the_question_does_not_count() -> None:
    session = talk("My phone is 555-1234.", "Fine.")

    kept = MUST_KEEP.score(run(case(session, question="Momo?", must_keep=("Fine.", r"re:\d{3}-\d{4}", "Momo"))))

    assert kept == {"must_keep_all": 0, "must_keep_share": 2 / 3}


def test_facts_are_found_in_everything_that_is_sent_as_text() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"who": "anya_5901 \\"A\\""}'}}
    ]
    session = ctxlab.read_data(
        [
            {"role": "user", "content": "Book it."},
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
            {"role": "user", "content": "Thanks."},
        ]
    ).pick()

    def kept(*wanted: str) -> Any:
        return MUST_KEEP.score(run(case(session, must_keep=wanted)))["must_keep_share"]

    assert kept("anya_5901", '"A"', r're:"who": *"anya', "book", "done") == 1
    assert kept("c2", "anya_5902") == 0


@pytest.mark.parametrize("pattern", ["re:(", "re:[a"])
def test_a_pattern_that_does_not_compile_is_named(pattern: str) -> None:
    with pytest.raises(WrongArgument, match=re.escape(f"pattern {pattern!r}")):
        MUST_KEEP.score(run(case(talk("x"), must_keep=(pattern,))))


@pytest.mark.parametrize(
    ("first", "demands"),
    [
        ("You must answer in French. I like tea.", 1),
        ("不要提到价格。今天天气好。必须用中文回答！", 2),
        ("I like tea.", 0),
        ("Never lie; always cite.", 2),
    ],
)
def test_demands_of_the_first_messages_survive_while_they_are_whole(first: str, demands: int) -> None:
    session = talk(first, "Well.", "Go on, you must!", "Yes.")

    whole = INSTRUCTIONS.score(run(case(session, question="?")))
    cut = INSTRUCTIONS.score(run(case(session, question="?"), budget=3))

    assert whole == {"instructions": demands, "instructions_kept": 1 if demands else None}
    assert cut == {"instructions": demands, "instructions_kept": 0 if demands else None}


def test_pairs_of_tools_stay_pairs() -> None:
    calls = {"toolCallsRequested": [{"requestId": "t", "toolName": "look", "args": {}}]}
    result = {"toolCall": {"requestId": "t", "toolName": "look"}}
    session = talk("look").append("", role="assistant", metadata=calls).append("a", role="tool", metadata=result)

    assert TOOL_PAIRS.score(run(case(session))) == {"tool_pairs_sound": 1, "tool_halves": 0, "tool_pairs": 1}
    assert TOOL_PAIRS.score(run(case(talk("hi"))))["tool_pairs_sound"] is None


@pytest.mark.parametrize(
    ("lines", "share"),
    [(("a b c", "a b c"), 0.5), (("a b c", "d e f"), 0), (("你好吗", "你好吗"), 0.5), (("a",), None)],
)
def test_repetition_is_the_share_of_runs_of_words_said_before(lines: tuple[str, ...], share: float | None) -> None:
    assert Repetition(3).score(run(case(talk(*lines)))) == {"repetition": share}


# --- prefixes


def test_a_prompt_that_grows_begins_as_the_one_before() -> None:
    session = talk(*["one two"] * 5)

    scores = PREFIX.score(run(case(session)))

    assert scores == {"prefix_share": pytest.approx((2 / 6 + 6 / 10) / 2), "prefix_tokens": 4, "new_tokens": 4}


def test_a_sliding_window_that_is_full_begins_anew_each_turn() -> None:
    session = talk(*[f"w{n} w" for n in range(9)])

    assert PREFIX.score(run(case(session), budget=4))["prefix_share"] < 0.5


def test_one_turn_has_no_prefix() -> None:
    assert set(PREFIX.score(run(case(talk("a")))).values()) == {None}


def long_talk(minutes: int) -> Session:
    stamps = tuple(f"2026-01-01T{n * minutes // 60:02}:{n * minutes % 60:02}:00Z" for n in range(9))
    return talk(*["word " * 700] * 9, stamps=stamps)


def cost(session: Session, provider: str, **options: Any) -> Scores:
    scored = run(case(session), tokenizer=WordTokenizer())
    scores = PrefixCost(provider, **options).score(scored)
    return {name.removeprefix(f"{provider.replace('-', '_')}_"): value for name, value in scores.items()}


@pytest.mark.parametrize("provider", ["openai", "anthropic", "deepseek"])
def test_what_is_in_the_cache_is_cheaper_while_it_is_kept(provider: str) -> None:
    warm, cold = cost(long_talk(1), provider), cost(long_talk(150), provider)

    assert warm["cached_tokens"] > 0
    assert cold["cached_tokens"] == 0
    assert warm["input_usd"] < cold["input_usd"]
    assert warm["cached_tokens"] + warm["uncached_tokens"] == cold["uncached_tokens"]


def test_an_automatic_cache_holds_whole_blocks_of_what_is_long_enough() -> None:
    session = talk(*["word " * 600] * 3)

    found = cost(session, "openai", model="gpt-4o")

    assert found["cached_tokens"] == 0, "600 tokens are below the least prefix"
    assert cost(talk(*["word " * 1100] * 3), "openai", model="gpt-4o")["cached_tokens"] == 1100 - 1100 % 128


def test_an_unknown_provider_is_refused_when_the_scorer_is_made() -> None:
    with pytest.raises(WrongArgument, match="no provider"):
        PrefixCost("antropic")


def test_columns_of_several_vendors_are_apart() -> None:
    names = [column.name for each in ("openai", "anthropic") for column in PrefixCost(each).columns]

    assert len(set(names)) == len(names) == 6
