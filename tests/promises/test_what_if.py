"""What-ifs in bulk say nothing that a build of its own doesn't say: each turn, change, place and removal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, LoreEntry, Session, Trace, Worldbook
from ctxlab.api.what_if import _start
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services
from ctxlab.pipeline.shared_beginning import prefix_tokens
from ctxlab.processors import default_pipeline
from ctxlab.studies.turns import turns_of
from ctxlab.studies.what_if.configuration import Configuration
from ctxlab.studies.what_if.context_change import context_change
from ctxlab.studies.what_if.delta_debugging import ddmin
from ctxlab.studies.what_if.removals import Removals, run_on
from ctxlab.studies.what_if.sent_pieces import pieces_of
from ctxlab.studies.what_if.turn_builds import TurnBuilds
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import dialects, sessions, spoken

SERVICES = Services(tokenizer=WordTokenizer(message_tokens=2, request_tokens=3))
AGENT = Agent.model_validate(
    {
        "id": "a",
        "name": "A",
        "presetMessages": [
            {"id": "p0", "role": "system", "content": "You keep a lighthouse."},
            {"id": "p1", "role": "system", "content": "Be brief.", "injectionStrategy": {"type": "depth", "depth": 2}},
            {"id": "p2", "role": "user", "content": "They said: {{lastMessage}}"},
        ],
    }
)
BOOK = Worldbook(
    id="b",
    entries={
        str(entry.uid): entry
        for entry in (
            LoreEntry(uid=0, key=("ship",), content="It is called no ship at all.", sticky=2, cooldown=2),
            LoreEntry(uid=1, key=("好",), content="yes yes yes", position=4, depth=1),
            LoreEntry(uid=2, key=("nowhere to be seen",), content="never"),
        )
    },
)
OPTIONS: dict[str, Any] = {"books": [BOOK], "services": SERVICES}
SOME = settings(max_examples=25, deadline=None)
FEW = settings(max_examples=8, deadline=None)
budgets = st.none() | st.integers(20, 90)
limits = st.builds(lambda budget, dialect: {"budget": budget, "dialect": dialect}, budgets, dialects)
"""A budget and a dialect: what is said holds in all of them."""


@st.composite
def talks(draw: st.DrawFn) -> Session:
    """Questions and answers without anything unusual, the last question asked twice."""
    session = Session(id="t")
    for n, words in enumerate(draw(st.lists(spoken, min_size=3, max_size=9))):
        session = session.append(words, role=("user", "assistant")[n % 2], id=f"t{n}")
    return session.branch_from_edit("t2", draw(spoken)) if draw(st.booleans()) else session


branching = sessions(max_size=6) | talks() | talks()


def configured(budget: int | None, dialect: str = "seed", **more: Any) -> dict[str, Any]:
    limit = {"budget_tokens": budget} if budget else {}
    return {"agent": AGENT, "dialect": dialect, **OPTIONS, **limit, **more}


def built(session: Session, options: dict[str, Any], **more: Any) -> Trace | str:
    given = {**options, **more}
    try:
        return ctxlab.build(session, given.pop("agent"), **given)
    except CtxlabError as problem:
        return f"{type(problem).__name__}: {problem}"


def as_data(change: Any) -> dict[str, Any]:
    return {name: getattr(change, name) for name in change.__slots__}


@SOME
@given(branching, budgets, dialects, st.booleans())
def test_a_build_at_a_turn_is_the_build_of_that_leaf(
    session: Session, budget: int | None, dialect: str, lore: bool
) -> None:
    options = configured(budget, dialect) if lore else {**configured(budget, dialect), "books": []}
    given_settings = {"token-limiter.budget_tokens": budget} if budget else {}
    options.pop("budget_tokens", None)
    work = TurnBuilds(session, Configuration({**options, "pipeline": default_pipeline()}, given_settings), _start)

    for turn in turns_of(session, "all"):
        alone = built(session, options, leaf=turn, settings=given_settings)
        try:
            shared: Trace | str = work.at(turn, {})
        except CtxlabError as problem:
            shared = f"{type(problem).__name__}: {problem}"
        if isinstance(alone, str) or isinstance(shared, str):
            assert shared == alone
        else:
            assert shared.result.as_data() == alone.result.as_data()
            assert shared.messages == alone.messages
            assert [step.id for step in shared.steps] == [step.id for step in alone.steps]


@SOME
@given(branching, limits, limits, st.sampled_from(["sliding", "middle-out"]), st.booleans())
def test_a_replayed_turn_is_the_difference_of_two_builds(
    session: Session, first: Any, second: Any, strategy: str, other_agent: bool
) -> None:
    before = configured(**first)
    after = configured(**second, settings={"token-limiter.strategy": strategy})
    after = {**after, "agent": AGENT.with_(name="B")} if other_agent else after

    found = ctxlab.replay(session, before, after)

    known: list[Any] = [{}, {}]
    above: list[Trace | str] = []
    for turn in found:
        runs = [
            built(session, each, leaf=turn.node, activations=k) for each, k in zip((before, after), known, strict=True)
        ]
        assert as_data(turn.change) == as_data(context_change(*runs))
        for earlier, run, share in zip(above, runs, (turn.before_prefix, turn.after_prefix), strict=False):
            if isinstance(earlier, Trace) and isinstance(run, Trace):
                tokens = prefix_tokens(earlier.result.drafts, run.result.drafts, run.services.tokenizer)
                assert share == tokens / (run.tokens - run.request_tokens)
            else:
                assert share is None
        known = [run.activations if isinstance(run, Trace) else k for run, k in zip(runs, known, strict=True)]
        above = runs


@SOME
@given(branching, limits)
def test_nothing_changes_between_a_configuration_and_itself(session: Session, limit: Any) -> None:
    found = ctxlab.replay(session, configured(**limit), configured(**limit), turns="all")

    assert not found
    assert len(found.worst()) == 0
    assert {str(turn.change) for turn in found} <= {"no effect"}


@FEW
@given(branching, limits)
def test_each_row_of_an_ablation_is_the_build_with_that_change_alone(session: Session, limit: Any) -> None:
    options = configured(**limit)
    trace = built(session, options)
    if isinstance(trace, str):
        with pytest.raises(CtxlabError):
            ctxlab.ablate(session, **options)
        return

    found = ctxlab.ablate(session, **options)

    sizes = [row.size for row in found]
    assert sizes == sorted(sizes, reverse=True)
    idle = [row for row in found if not row.effect and row.change.settings]
    for row in [row for row in found if row not in idle] + idle[::9]:
        change = row.change
        if change.kind in ("step", "setting"):
            other = built(session, options, settings={change.name: change.after})
        elif change.kind == "preset":
            presets = list(AGENT.preset_messages)
            number = int(change.name.removeprefix("preset:"))
            presets[number] = presets[number].with_(is_enabled=False)
            other = built(session, options, agent=AGENT.with_(preset_messages=tuple(presets)))
        else:
            other = built(session, options, books=[BOOK.with_entry(change.name, disable=True)])
        assert str(row.effect) == str(context_change(trace, other)), change


@SOME
@given(branching, limits, st.integers(0, 4), st.sampled_from(["preset:0", "preset:1", "lore:b/1"]))
def test_each_row_of_a_sweep_is_the_build_with_it_there(session: Session, limit: Any, depth: int, key: str) -> None:
    options = configured(**limit)
    trace = built(session, options)
    if isinstance(trace, str):
        return

    (row,) = ctxlab.sweep(session, what=key, depths=[depth], **options)

    if key.startswith("preset"):
        placed = {"agent": AGENT.place_preset(int(key[-1]), depth=depth)}
        presets = list(AGENT.preset_messages)
        presets[int(key[-1])] = presets[int(key[-1])].with_(is_enabled=False)
        gone: dict[str, Any] = {"agent": AGENT.with_(preset_messages=tuple(presets))}
    else:
        placed = {"books": [BOOK.with_entry(key, position=4, depth=depth)]}
        gone = {"books": [BOOK.with_entry(key, disable=True)]}
    other, without = built(session, {**options, **placed}), built(session, {**options, **gone})
    if isinstance(other, str):
        assert row.error == other
        return
    assert row.tokens == other.tokens
    if not isinstance(without, str):
        sent = pieces_of(other.result.drafts)
        assert set(row.pushed_out) == {each for each in pieces_of(without.result.drafts) if each not in sent}


@SOME
@given(branching, limits, st.data())
def test_a_minimised_context_keeps_all_and_loses_something_with_each_further_removal(
    session: Session, limit: Any, data: st.DataObject
) -> None:
    trace = built(session, configured(**limit))
    if isinstance(trace, str) or not trace.result.drafts:
        return
    sent = pieces_of(trace.result.drafts)
    keeps = data.draw(st.lists(st.sampled_from(sorted(sent)), min_size=1, max_size=3, unique=True))
    keeps = [key for key in keeps if not key.startswith("made:")] or ["re:."]

    found = ctxlab.minimise(trace, keeps=keeps)

    now = pieces_of(found.trace.result.drafts)
    assert all(now[key].text == sent[key].text for key in keeps if key in sent)
    assert found.trace.tokens <= trace.tokens or not found.removed
    there = {key for piece in found.pieces for key in piece.keys}
    everything = {key for unit in _all_keys(trace) for key in unit}
    removals = Removals(trace)
    for piece in found.pieces:
        assert piece.needed_for
        gone = (everything - there) | set(piece.keys)
        try:
            smaller: Any = pieces_of(run_on(trace, removals.without(gone)).result.drafts)
        except CtxlabError:
            continue
        lost = [key for key in keeps if key in sent and (key not in smaller or smaller[key].text != sent[key].text)]
        assert lost or (keeps == ["re:."] and not any(each.text for each in smaller.values()))


def _all_keys(trace: Trace) -> list[tuple[str, ...]]:
    from ctxlab.studies.what_if.minimise import _units

    return _units(trace)


@given(st.lists(st.integers(0, 40), unique=True, max_size=20), st.lists(st.frozensets(st.integers(0, 40)), max_size=4))
def test_delta_debugging_ends_where_nothing_more_can_be_taken(items: list[int], wanted: list[frozenset[int]]) -> None:
    """Not only where more is always better: a set may hold by one reason, and its part by another."""
    reasons = [*(each & set(items) for each in wanted), frozenset(items)]
    parity = len(reasons[0]) % 2

    def holds(some: Any) -> bool:
        return any(reason <= set(some) for reason in reasons[:-1]) or list(some) == items or len(some) % 5 == 3 + parity

    found = ddmin(items, holds)

    assert holds(found)
    assert [each for each in items if each in found] == found
    assert all(not holds([each for each in found if each != gone]) for gone in found)


@SOME
@given(branching, dialects)
def test_what_is_taken_out_leaves_all_other_keys_as_they_are(session: Session, dialect: str) -> None:
    trace = built(session, configured(None, dialect))
    assert isinstance(trace, Trace)
    alone = run_on(trace, Removals(trace).without(["preset:0"]))

    before, after = pieces_of(trace.result.drafts), pieces_of(alone.result.drafts)
    assert set(after) == set(before) - {"preset:0"}
    assert replace(Removals(trace).without([])) is not None
