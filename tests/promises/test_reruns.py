"""One run, three ways to it: built anew, run again with other settings, and stepped through with settings changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import Phase, assume, event, given, settings
from hypothesis import strategies as st

from ctxlab import GroupChat, LoreEntry, RegexRule, Worldbook
from ctxlab.api import build, debug
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError, WrongSetting
from ctxlab.pipeline import Debugger, Services, Trace
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import agents, dialects, rich_sessions, setting_changes, setting_names, spoken

BOOK = Worldbook(
    id="isle",
    entries={
        "0": LoreEntry(uid=0, key=("lamp",), content="The lamp calls the keeper."),
        "1": LoreEntry(uid=1, key=("keeper", "灯塔"), content="Old {{char}}.", position=4, depth=1),
        "2": LoreEntry(uid=2, constant=True, content="It rains.", probability=50),
    },
)
RULE = RegexRule.model_validate({"id": "aside", "name": "aside", "regex": r"\(\(.*?\)\)", "replacement": ""})
STEADY = {"regex-processor.timeout_seconds": 60}

Options = dict[str, Any]
Outcome = tuple[Any, ...]


@st.composite
def runs(draw: st.DrawFn) -> Options:
    """What `build` and `debug` are given, but for the settings."""
    return {
        "session": draw(rich_sessions()),
        "agent": draw(st.none() | agents(max_size=4)),
        "model": draw(st.sampled_from([None, "gpt-4o"])),
        "books": draw(st.sampled_from([(), (BOOK,)])),
        "rules": draw(st.sampled_from([(), (RULE,)])),
        "seed": draw(st.integers(0, 3)),
        "dialect": draw(st.none() | dialects),
        "turn": draw(st.sampled_from(["normal", "normal", "continue", "swipe", "impersonate", "quiet"])),
        "group": draw(st.none() | st.just(GroupChat(("Ann", "Bob"), ("Bob",)))),
        "services": Services(tokenizer=WordTokenizer(message_tokens=2, request_tokens=3)),
    }


def outcome(run: Callable[[], Trace]) -> Outcome:
    """What comes out of a run as data, or how it is refused."""
    try:
        trace = run()
    except CtxlabError as refusal:
        return type(refusal).__name__, str(refusal)
    return "done", trace.result.as_data(), trace.messages, [step.id for step in trace.steps]


def walk(debugger: Debugger, moves: list[bool]) -> None:
    """Forward and back, as far as it goes."""
    for forward in moves:
        try:
            if forward and not debugger.done:
                debugger.step()
            elif not forward and debugger.position:
                debugger.back()
        except CtxlabError:
            return


moves = st.lists(st.sampled_from([True, True, True, False]), max_size=14)
changes = st.lists(st.tuples(setting_changes(wrong=True), moves), min_size=1, max_size=3)


@settings(deadline=None, max_examples=200)
@given(runs(), setting_changes(), changes)
def test_c_fresh_rerun_and_debugger_give_one_result_or_one_refusal(
    options: Options, first: Options, later: list[tuple[Options, list[bool]]]
) -> None:
    chosen = {**STEADY, **first}
    assume(outcome(lambda: build(**options, settings=chosen))[0] == "done")
    trace, since = build(**options, settings=chosen), dict[str, Any]()
    debugger = debug(**options, settings=chosen)

    for change, way in later:
        walk(debugger, way)
        fresh = outcome(lambda: build(**options, settings={**chosen, **change}))  # noqa: B023
        event(fresh[0])
        assert outcome(lambda: trace.rerun({**since, **change})) == fresh  # noqa: B023
        assert outcome(lambda: stepped(debugger, change)) == fresh  # noqa: B023
        if fresh[0] != WrongSetting.__name__:
            chosen, since = {**chosen, **change}, {**since, **change}
        if fresh[0] == "done":
            trace, since = trace.rerun(since), {}


def stepped(debugger: Debugger, change: Options) -> Trace:
    """The run to its end with this change, by a debugger that stays where it is."""
    debugger.set(change)
    return debugger.fork().run()


@settings(deadline=None, max_examples=25, phases=[Phase.generate])
@given(st.lists(spoken, min_size=1, max_size=4), st.integers(10, 60), st.integers(0, 12))
def test_a8_what_build_refuses_as_over_the_budget_is_refused_by_rerun_and_debugger_too(
    said: list[str], budget: int, steps: int
) -> None:
    session = Session(id="s")
    for words in said:
        session = session.append(words)
    agent = Agent.model_validate({"id": "a", "presetMessages": [{"id": "p", "role": "system", "content": "x " * 100}]})
    services = Services(tokenizer=WordTokenizer(message_tokens=2, request_tokens=3))
    change = {"token-limiter.priority": 250, "token-limiter.budget_tokens": budget}
    debugger = debug(session, agent, services=services)
    walk(debugger, [True] * steps)

    fresh = outcome(lambda: build(session, agent, services=services, settings=change))

    assert fresh[0] != "done"
    assert outcome(lambda: build(session, agent, services=services).rerun(change)) == fresh
    assert outcome(lambda: stepped(debugger, change)) == fresh


@settings(deadline=None, max_examples=80)
@given(runs(), setting_changes(max_size=5))
def test_c_a_run_says_nothing_else_when_it_is_asked_again(options: Options, chosen: Options) -> None:
    once = outcome(lambda: build(**options, settings={**STEADY, **chosen}))
    session = Session.model_validate(options["session"].to_data())

    assert outcome(lambda: build(**{**options, "session": session}, settings={**STEADY, **chosen})) == once


def test_random_settings_reach_nearly_every_field() -> None:
    reached = setting_names()

    assert {
        "token-limiter.strategy",
        "token-limiter.budget_tokens",
        "merge-system.hoist",
        "session-loader.enabled",
    } <= {*reached}
    assert len(reached) >= 45
