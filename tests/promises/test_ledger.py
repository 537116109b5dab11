"""Promises of the ledger and of the strategies: every token is booked once, and a larger budget is no worse."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.api import build, debug, diff, read
from ctxlab.context import Cause, Context
from ctxlab.display.source_styles import ROOM
from ctxlab.documents import Agent, Session
from ctxlab.errors import ReadError
from ctxlab.pipeline import BudgetTooSmall, NothingToSend, Services, Trace, processor
from ctxlab.pipeline.explain.ledger import ledger_rows
from ctxlab.processors import default_pipeline
from ctxlab.studies import analysis_of, compare
from tests.promises.strategies import STRATEGIES, agents, budgets, draft_rows, sessions, tokenizers
from tests.promises.test_limiter import Row, formatters, keys, limited, limited_or_too_small, message

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
DATA = SHARED / "data"
MONOTONE = ("sliding", "whole-exchanges", "by-priority", "middle-out")
TOOLS = ({"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}},)

ways = st.builds(
    lambda formatting, strategy: {**formatting, "token-limiter.strategy": strategy},
    formatters,
    st.sampled_from(STRATEGIES),
)
assistants = st.builds(lambda agent, tools: agent.with_(tools=tools), agents(), st.sampled_from([(), TOOLS]))


def built(session: Session, agent: Agent, **options: Any) -> Trace:
    try:
        return build(session, agent, **options)
    except BudgetTooSmall:
        assume(False)
        raise


def holds(trace: Trace) -> None:
    """The ledger balances in every row and from step to step, and so does what is made of it."""
    rows = ledger_rows(trace)
    for row in rows:
        a = row.account
        assert a.came_in + a.added == a.kept + a.cut + a.rewritten + a.merged + a.seams
        assert min(a.came_in, a.added, a.kept, a.cut, a.merged) >= 0
    for step in trace.steps:
        mine = [row.account for row in rows if row.step == step.id]
        assert sum(a.came_in for a in mine) == trace.tokens_of(step.before)
        assert sum(a.goes_out for a in mine) == trace.tokens_of(step.after)
    prompt = trace.prompt
    spent = prompt.tokens_by_source
    assert prompt.tokens == trace.tokens == sum(n for source, n in spent.items() if source not in ROOM)
    assert sum(prompt.characters_by_source.values()) == sum(len(draft.text) for draft in trace.result.drafts)
    if prompt.budget is not None:
        assert sum(spent.values()) - spent.get("reserve", 0) == prompt.budget
    assert sum(piece.tokens for piece in analysis_of(trace).pieces()) == trace.tokens


@settings(deadline=None)
@given(sessions(), assistants, st.none() | budgets, ways, tokenizers)
def test_every_token_is_booked_once(
    session: Session, agent: Agent, budget: int | None, way: dict[str, Any], tokenizer: Any
) -> None:
    trace = built(session, agent, budget_tokens=budget, settings=way, services=Services(tokenizer=tokenizer))

    holds(trace)


@settings(deadline=None)
@given(sessions(), assistants, budgets, ways, tokenizers)
def test_the_frames_say_the_same(
    session: Session, agent: Agent, budget: int, way: dict[str, Any], tokenizer: Any
) -> None:
    trace = built(session, agent, budget_tokens=budget, settings=way, services=Services(tokenizer=tokenizer))

    ledger, cuts, spent = trace.ledger(), trace.cuts(), trace.budget()
    last = ledger[ledger["step"] == trace.steps[-1].id]
    parts = ledger[["kept", "cut", "rewritten", "merged", "seams"]].sum(axis=1)
    assert (ledger["in"] + ledger["added"] == parts).all()
    assert last["out"].sum() == trace.tokens
    assert list(cuts["key"]) == [draft.key for group in trace.result.dropped for draft in group.drafts]
    assert ledger["cut"].sum() == cuts["tokens"].sum()
    assert spent.drop(["reserve", "free"], errors="ignore").sum() == trace.tokens


@settings(deadline=None)
@given(sessions(), assistants, budgets, ways)
def test_what_is_compared_with_itself_is_empty(
    session: Session, agent: Agent, budget: int, way: dict[str, Any]
) -> None:
    trace = built(session, agent, budget_tokens=budget, settings=way)
    again = built(session, agent, budget_tokens=budget, settings=way)

    for other in (trace, again):
        found = compare({"one": trace, "two": other})
        assert not diff(trace, other)
        assert not found
        assert len(found.changes()) == 0
        assert (found.frame()["one"] == found.frame()["two"]).all()


@settings(deadline=None)
@given(sessions(), assistants, st.tuples(budgets, budgets), st.tuples(ways, ways))
def test_a_comparison_differs_exactly_where_the_results_do(
    session: Session, agent: Agent, limits: tuple[int, int], chosen: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    one, two = (
        built(session, agent, budget_tokens=budget, settings=way) for budget, way in zip(limits, chosen, strict=True)
    )

    found = compare({"one": one, "two": two})

    assert bool(found) == (wire(one) != wire(two))
    frame = found.frame()
    sent = [set(frame["key"][frame[name].isin(SENT)]) for name in ("one", "two")]
    for trace, keys_sent in zip((one, two), sent, strict=True):
        assert keys_sent == {part.key for draft in trace.result.drafts for part in draft.parts}


def wire(trace: Trace) -> list[dict[str, Any]]:
    """What is sent, without what it costs: two limits can end in the same messages."""
    return [{name: value for name, value in message.items() if name != "tokens"} for message in trace.messages]


SENT = ("kept", "moved", "shortened", "rewritten", "only here")


@settings(deadline=None)
@given(draft_rows(), budgets, st.integers(0, 40), st.sampled_from(MONOTONE))
def test_a_larger_budget_never_keeps_less(drafts: Row, budget: int, more: int, strategy: str) -> None:
    small = limited_or_too_small(drafts, budget, strategy=strategy).result
    large = limited(drafts, budget + more, strategy=strategy).result

    assert set(keys(small.drafts)) <= set(keys(large.drafts))


@pytest.mark.parametrize(
    ("strategy", "words", "budget"),
    [
        (
            "head-and-tail",
            [4, 1, 6, 2, 6, 5],
            20,
        ),  # one more old message fits into the head, two new ones don't any more
        (
            "block",
            [5, 6, 2, 3, 3, 5],
            18,
        ),  # it is full one message later, and drops down to its share nearer to the end
    ],
)
def test_of_two_strategies_a_larger_budget_may_keep_less(strategy: str, words: list[int], budget: int) -> None:
    drafts = tuple(message(f"n{i}", " ".join(["word"] * n), "assistant") for i, n in enumerate(words))

    small, large = (limited(drafts, tokens, strategy=strategy) for tokens in (budget, budget + 1))

    assert len(large.result.drafts) < len(small.result.drafts)


@settings(deadline=None)
@given(draft_rows(), budgets, st.sampled_from(STRATEGIES))
def test_what_all_fits_into_is_left_alone(drafts: Row, budget: int, strategy: str) -> None:
    enough = limited_or_too_small(drafts, budget, strategy="sliding")
    assume(not enough.result.dropped)

    assert keys(limited(drafts, budget, strategy=strategy).result.drafts) == keys(enough.result.drafts)


@settings(deadline=None)
@given(draft_rows(), budgets, st.sampled_from(STRATEGIES))
def test_limiting_twice_cuts_nothing_more(drafts: Row, budget: int, strategy: str) -> None:
    once = limited_or_too_small(drafts, budget, strategy=strategy).result

    assert limited(once.drafts, budget, strategy=strategy).result.drafts is once.drafts


def test_tool_definitions_go_through_every_step() -> None:
    trace = build(Session(id="s").append("", role="system").append("hi"), Agent(id="a", tools=TOOLS))

    rows = trace.ledger().query("rule == 'tool definitions'")

    assert list(rows["step"]) == [step.id for step in trace.steps]
    assert (rows["in"] == rows["out"]).all()
    holds(trace)


def test_what_a_person_takes_out_is_booked_as_cut_by_hand() -> None:
    debugger = debug(Session(id="s").append("", role="system").append("one two").append("three"))
    debugger.run_until("injection-assembler")
    debugger.edit(lambda ctx: replace(ctx, drafts=ctx.drafts[1:]))
    trace = debugger.run()

    rows = trace.ledger().query("rule == 'by hand'")

    assert rows["cut"].sum() == rows["in"].sum() > 0
    holds(trace)
    assert not compare({"one": trace, "two": trace})


@processor(id="join-and-drop", priority=450)
def join_and_drop(ctx: Context, services: Services) -> Context:
    merged = ctx.merge([draft.key for draft in ctx.drafts], " and ", Cause("join-and-drop", "join", "it joins"))
    return merged.drop([merged.drafts[0].key], Cause("join-and-drop", "drop", "all of it"))


def test_what_is_joined_and_dropped_in_one_step_is_booked_once() -> None:
    session = Session(id="s").append("", role="system").append("one two").append("three")

    pipeline = default_pipeline().with_processor(join_and_drop).with_setting("request-gate.enabled", False)
    trace = build(session, pipeline=pipeline)

    row = trace.ledger().query("rule == 'drop'").iloc[0]
    assert row["cut"] + row["seams"] == row["in"]
    holds(trace)
    assert list(compare({"all": build(session), "none": trace}).frame()["none"]) == ["cut", "cut"]


def uncut(folder: str, pattern: str) -> list[Trace]:
    """Every conversation of a folder that can be read, with the agent that it names, nothing cut."""
    found: list[Trace] = []
    for path in sorted((DATA / folder).glob(pattern)):
        try:
            imported = read(path)
        except ReadError:
            continue
        for session in imported.sessions:
            try:
                found += [build(session, agents=imported.agents)] if session.nodes else []
            except NothingToSend:  # a log that breaks off at its first tool call
                continue
    return found


@pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")
@pytest.mark.parametrize(
    "folder", ["claude-code-log", "locomo", "memorybank", "oasst", "sharegpt", "swe-agent", "tau-bench"]
)
def test_every_real_conversation_balances_with_every_strategy(folder: str) -> None:
    traces = uncut(folder, "**/*.*")

    assert traces
    for i, trace in enumerate(traces):
        holds(trace)
        # The long ones with all strategies, of many short ones each with another.
        strategies = STRATEGIES if len(traces) < 20 else [STRATEGIES[i % len(STRATEGIES)]]
        for strategy in strategies:
            half = {"token-limiter.strategy": strategy, "token-limiter.budget_tokens": max(1, trace.tokens // 2)}
            try:
                cut = trace.rerun({**half, "token-limiter.retained_characters": 20})
            except BudgetTooSmall:
                continue
            holds(cut)
            assert cut.tokens <= trace.tokens // 2
            assert not compare({"one": cut, "two": cut})
