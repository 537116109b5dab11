"""Laws of the scorers: shares are shares, what is kept counts as kept, and no conversation breaks one."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import common_prefix_tokens
from ctxlab.studies.scorers import EVIDENCE, KEPT_TOKENS, MUST_KEEP, PREFIX, SCORERS, PrefixCost, PrefixStability
from ctxlab.studies.study import Case, ScoredRun
from tests.promises.strategies import sessions, tokenizers

EVERY = (*SCORERS, PrefixCost("anthropic", turns=3), PrefixCost("openai", "gpt-5.2", turns=3))
settings_of_a_run = st.fixed_dictionaries(
    {"token-limiter.strategy": st.sampled_from(["sliding", "head-and-tail", "middle-out", "block", "by-priority"])},
    optional={"token-limiter.retained_characters": st.integers(0, 8), "merge-consecutive.enabled": st.booleans()},
)


def run_of(case: Case, budget: int | None, changes: dict[str, Any], tokenizer: Any) -> ScoredRun | None:
    """The run of a case as a study has it; None where it can't be built."""

    def build(**options: Any) -> Trace:
        services = ctxlab.Services(tokenizer=tokenizer)
        return ctxlab.build(case.session, budget_tokens=budget, settings=changes, services=services, **options)

    try:
        return ScoredRun(case, build(pending=case.question), lambda leaf: build(leaf=leaf))
    except CtxlabError:
        return None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    session: Session = draw(sessions())
    named = st.lists(st.sampled_from(sorted(session.nodes)), max_size=3, unique=True)
    question = draw(st.sampled_from([None, "Well?", "必须吗？"]))
    words = draw(st.lists(st.sampled_from(["ship", "re:sh.p", "好", "re:[好的]+", ""]), max_size=2))
    return Case("c", "s", session, question, evidence=tuple(draw(named)), must_keep=tuple(words))


@settings(max_examples=60, deadline=None)  # prices are looked up for every turn
@given(cases(), st.none() | st.integers(1, 120), settings_of_a_run, tokenizers)
def test_no_conversation_breaks_a_scorer_and_shares_are_shares(
    case: Case, budget: int | None, changes: dict[str, Any], tokenizer: Any
) -> None:
    run = run_of(case, budget, changes, tokenizer)
    if run is None:
        return
    for scorer in EVERY:
        scores = scorer.score(run)

        assert list(scores) == [column.name for column in scorer.columns]
        for column in scorer.columns:
            value = scores[column.name]
            if column.unit == "text":
                assert value is None or isinstance(value, str)
            elif value is not None:
                assert isinstance(value, int | float)
                assert math.isfinite(value)
                assert value >= 0
                assert column.unit != "share" or value <= 1, column


@given(sessions(), tokenizers)
def test_where_nothing_is_cut_all_that_was_sent_is_whole(session: Session, tokenizer: Any) -> None:
    run = run_of(Case("c", "s", session), None, {}, tokenizer)
    if run is None:
        return
    sent = [part.origin.ref for draft in run.trace.result.drafts for part in draft.parts if part.origin.kind == "node"]
    case = Case("c", "s", session, evidence=tuple(sent))

    assert EVIDENCE.score(ScoredRun(case, run.trace, run.at))["share_of_evidence"] == (1.0 if sent else None)


@given(sessions(branches=False), st.integers(1, 120), st.integers(0, 60), tokenizers)
def test_more_room_keeps_no_less(session: Session, budget: int, more: int, tokenizer: Any) -> None:
    case = Case("c", "s", session)
    small, large = (run_of(case, room, {}, tokenizer) for room in (budget, budget + more))
    if small is None or large is None:
        return
    kept = [KEPT_TOKENS.score(run)["kept_tokens"] for run in (small, large)]

    assert kept[0] <= kept[1]  # type: ignore[operator]


def has_no_tools(session: Session) -> bool:
    """Half a pair is mended, with the budget or without, and costs less then."""
    return not any(node.role == "tool" or node.sent_fields.calls for node in session.nodes.values())


@given(sessions(max_size=5).filter(has_no_tools), st.none() | st.integers(1, 120), tokenizers)
def test_what_is_kept_and_what_is_cut_is_what_there_was(session: Session, budget: int | None, tokenizer: Any) -> None:
    run, whole = (run_of(Case("c", "s", session), room, {}, tokenizer) for room in (budget, None))
    if run is None or whole is None:
        return
    scores, all_of_it = KEPT_TOKENS.score(run), KEPT_TOKENS.score(whole)

    assert scores["kept_tokens"] + scores["cut_tokens"] == all_of_it["kept_tokens"] + all_of_it["cut_tokens"]  # type: ignore[operator]


@given(sessions(), st.none() | st.integers(1, 120), settings_of_a_run, tokenizers)
def test_a_prompt_shares_all_of_itself_with_itself(
    session: Session, budget: int | None, changes: dict[str, Any], tokenizer: Any
) -> None:
    first, second = (run_of(Case("c", "s", session), budget, changes, tokenizer) for _ in range(2))
    if first is None or second is None:
        return

    assert common_prefix_tokens(first.trace, second.trace) == second.trace.tokens


@given(sessions(branches=False, max_size=6))
def test_a_growing_prompt_of_which_nothing_goes_begins_as_the_one_before(session: Session) -> None:
    session = session.append("one", id="q1").append("two", role="assistant", id="r1").append("three", id="q2")
    run = run_of(Case("c", "s", session), None, {"merge-consecutive.enabled": False}, ctxlab_tokenizer())
    assert run is not None
    before = run.at("q1")

    assert common_prefix_tokens(before, run.trace) == before.tokens


def ctxlab_tokenizer() -> Any:
    from ctxlab.testing.fakes import WordTokenizer

    return WordTokenizer(message_tokens=3)


@given(sessions(), st.text(st.sampled_from("ab.*+?()[]{}|^$好的 "), min_size=1, max_size=12))
def test_a_text_is_found_where_it_stands_and_its_letters_are_no_pattern(session: Session, words: str) -> None:
    session = session.append(f"x{words}y")
    (node,) = (node for node in session.nodes.values() if node.id == session.active_leaf_id)
    run = run_of(Case("c", "s", session, must_keep=(words, node.content)), None, {}, ctxlab_tokenizer())
    assert run is not None

    assert MUST_KEEP.score(run)["must_keep_all"] == 1


@pytest.mark.parametrize("turns", [1, 0, -1, True, "3", None])
def test_turns_below_two_are_refused(turns: Any) -> None:
    with pytest.raises(ctxlab.errors.WrongArgument, match="2 or more"):
        PrefixStability(turns)
    assert PREFIX.turns >= 2
