"""Promises of branch analytics: every token is counted once, shares are shares, and flows are what ledgers say."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.pipeline import Trace
from ctxlab.studies.branches import SessionBranches
from ctxlab.studies.branches.near_equal import clusters, jaccard, shingles
from ctxlab.studies.branches.stretches import stretches
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import agents, budgets, sessions
from tests.promises.test_ledger import built, ways

DATA = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data"
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def counts_once(branches: SessionBranches, sessions: Sequence[ctxlab.Session]) -> None:
    nodes, lines, summary = branches.frame(), branches.branches(), branches.summary()
    for session, row in zip(sessions, summary.to_dict("records"), strict=True):
        mine = nodes[nodes["session"] == session.id]
        assert row["tokens"] == mine["tokens"].sum() == lines[lines["session"] == session.id]["tokens"].sum()
        assert row["active_tokens"] + row["disabled_tokens"] + row["abandoned_tokens"] == row["tokens"]
        assert row["active_tokens"] + row["disabled_tokens"] == mine[mine["on_active_path"]]["tokens"].sum()
        off = [key for key in mine["node"] if not session[key].enabled]
        assert row["disabled_tokens"] == mine[mine["on_active_path"] & mine["node"].isin(off)]["tokens"].sum()
        assert row["surviving_tokens"] <= row["active_tokens"]
        assert 0 <= row["abandoned_share"] <= 1
        assert row["leaves"] == mine["leaf"].sum() == len(lines[lines["session"] == session.id])
        assert row["messages"] == lines[lines["session"] == session.id]["messages"].sum()
        assert set(mine["node"]) == set(session.nodes)
    assert (lines["tokens"] + lines["shared_tokens"] == lines["path_tokens"]).all()
    assert 0 <= branches.abandoned_share <= 1
    assert branches.tokens == summary["tokens"].sum()


def rings_add_up(branches: SessionBranches, most: int) -> None:
    found = stretches(branches.trees, most)
    assert len(found) <= max(most, 1)
    assert sum(each.tokens for each in found) == branches.tokens
    for number, each in enumerate(found):
        below = sum(other.all_tokens for other in found if other.parent == number)
        assert each.all_tokens == each.tokens + below


@settings(FEW, max_examples=10)
@given(st.lists(sessions(max_size=12), min_size=1, max_size=3))
def test_a_message_that_branches_share_is_counted_once(found: list[ctxlab.Session]) -> None:
    named = [session.with_(id=f"s{number}") for number, session in enumerate(found)]

    branches = ctxlab.branches(named, tokenizer=WordTokenizer())

    counts_once(branches, named)
    for most in (4, 1000):
        rings_add_up(branches, most)


@pytest.mark.skipif(not (DATA / "oasst").is_dir(), reason="the folder of trees is not there (CTXLAB_SHARED)")
def test_in_real_trees_too() -> None:
    some = ctxlab.read(DATA / "oasst").sessions[:20]

    branches = ctxlab.branches(some)

    counts_once(branches, some)
    rings_add_up(branches, 40)
    assert branches.summary()["regenerations"].sum() > 0


def flow_is_the_ledger(traces: list[Trace]) -> None:
    flow = ctxlab.token_flow(traces)
    ledgers = [trace.ledger() for trace in traces]
    rows = flow.frame()

    cut: dict[str, int] = {}
    for ledger in ledgers:
        for step, tokens in ledger.groupby("step")["cut"].sum().items():
            cut[str(step)] = cut.get(str(step), 0) + int(tokens)
    first = sum(trace.tokens_of(trace.steps[0].before) for trace in traces if trace.steps)
    added = sum(int(ledger["added"].sum()) for ledger in ledgers)
    taken = sum(int(ledger["rewritten"].sum() + ledger["seams"].sum()) for ledger in ledgers)
    of_kind: dict[Any, int] = rows.groupby("kind")["tokens"].sum().to_dict()
    assert {step: n for step, n in cut.items() if n} == rows[rows["kind"] == "cut"].groupby("step")[
        "tokens"
    ].sum().to_dict()
    assert of_kind.get("sent", 0) == sum(trace.tokens for trace in traces)
    assert of_kind.get("rewritten", 0) == taken
    assert sum(flow.entered().values()) == first + added
    assert rows["share"].dropna().between(0, 1).all()


@FEW
@given(sessions(), agents(), budgets, ways)
def test_flows_are_what_the_ledgers_add_up_to(
    session: ctxlab.Session, agent: ctxlab.Agent, budget: int, way: dict[str, Any]
) -> None:
    traces = [built(session, agent), built(session, agent, budget_tokens=budget, settings=way)]

    flow_is_the_ledger(traces)


def test_flows_of_the_bundled_conversations_balance() -> None:
    flow_is_the_ledger([ctxlab.build(ctxlab.example(name), budget_tokens=2000) for name in ("harbour", "coding")])


WORDS = st.text("ab沈 ", min_size=0, max_size=30)


@FEW
@given(st.lists(WORDS, max_size=12), st.floats(0.3, 1))
def test_members_of_a_cluster_are_alike_and_equal_texts_are_together(texts: list[str], likeness: float) -> None:
    sets = [shingles(text) for text in texts]

    groups = clusters(sets, likeness)

    assert clusters(sets, likeness) == groups
    for group in groups:
        assert len(group) > 1
        for at in group:
            assert max(jaccard(sets[at], sets[other]) for other in group if other != at) >= likeness
    members = {at: number for number, group in enumerate(groups) for at in group}
    for at, text in enumerate(texts):
        if text and text in texts[:at]:
            assert members[at] == members[texts.index(text)]


@given(WORDS, WORDS)
def test_likeness_is_that_of_the_sets_of_characters_in_a_row(a: str, b: str) -> None:
    def rows(text: str) -> set[str]:
        return {text[i : i + 5] for i in range(max(1, len(text) - 4))} if text else set()

    whole = rows(a) | rows(b)

    assert jaccard(shingles(a), shingles(b)) == (len(rows(a) & rows(b)) / len(whole) if whole else 1)
