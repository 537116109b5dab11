"""A run held against another: the code that is given makes it, and the tokens of the effect add up."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Trace
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.studies.run_changes import run_changes
from ctxlab.studies.run_effect import RunEffect, run_effect

Change = Callable[[Trace], Trace]


@cache
def harbour() -> Trace:
    return ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)


def with_setting(**values: Any) -> Change:
    return lambda run: run.rerun({name.replace("__", "."): value for name, value in values.items()})


def at_leaf(leaf: str) -> Change:
    return lambda run: ctxlab.rebuild(run, leaf=leaf)


def with_verb(verb: str, *args: str, **kwargs: Any) -> Change:
    return lambda run: ctxlab.rebuild(run, session=getattr(run.start.input.session, verb)(*args, **kwargs))


def with_place(index: int, **place: Any) -> Change:
    def change(run: Trace) -> Trace:
        assert run.start.input.agent is not None
        return ctxlab.rebuild(run, agent=run.start.input.agent.place_preset(index, **place))

    return change


def with_preset(index: int, **fields: Any) -> Change:
    def change(run: Trace) -> Trace:
        agent = run.start.input.agent
        assert agent is not None
        presets = list(agent.preset_messages)
        presets[index] = presets[index].with_(**fields)
        return ctxlab.rebuild(run, agent=agent.with_(preset_messages=presets))

    return change


def with_entry(number: int, **fields: Any) -> Change:
    def change(run: Trace) -> Trace:
        book = run.start.input.books[0]
        name = list(book.entries)[number % len(book.entries)]
        return ctxlab.rebuild(run, books=[book.with_entry(name, **fields), *run.start.input.books[1:]])

    return change


def with_rule(number: int, **fields: Any) -> Change:
    def change(run: Trace) -> Trace:
        config = run.start.input.rules
        preset = config.presets[0]
        rules = list(preset.rules)
        rules[number] = rules[number].with_(**fields)
        return ctxlab.rebuild(run, rules=config.with_(presets=[preset.with_(rules=rules), *config.presets[1:]]))

    return change


CHANGES: dict[str, Change] = {
    "budget": with_setting(**{"token-limiter__budget_tokens": 2100}),
    "strategy": with_setting(**{"token-limiter__strategy": "middle-out"}),
    "several settings": with_setting(**{"worldbook-processor__scan_depth": 3, "token-limiter__budget_tokens": 1500}),
    "system messages as user": with_setting(**{"convert-system__enabled": True}),
    "nothing merged": with_setting(**{"merge-consecutive__enabled": False}),
    "another separator": with_setting(**{"merge-consecutive__separator": "\n\n***\n\n"}),
    "turns alternate": with_setting(**{"ensure-alternating__enabled": True}),
    "a step off": with_setting(**{"worldbook-processor__enabled": False}),
    "a branch": at_leaf("a9"),
    "a depth": with_place(11, depth=1),
    "a depth and an order": with_place(11, depth=2, order=7),
    "several depths": with_place(11, depth="3, 10~5"),
    "a preset off": with_preset(3, is_enabled=False),
    "a preset's words": with_preset(5, content="Keep the lamp trimmed."),
    "an entry's depth": with_entry(2, depth=2),
    "an entry's order and depth": with_entry(3, depth=1, order=4),
    "an entry off": with_entry(0, disable=True),
    "a rule off": with_rule(0, enabled=False),
    "an edit": with_verb("update", "a9b", content="He says nothing."),
    "a message off": with_verb("disable", "a10"),
    "messages off": with_verb("disable", "a7", below=True),
    "a graft": with_verb("graft", "a10", "a8b"),
    "a move": with_verb("move", "a10", "a8b"),
    "a message deleted": with_verb("delete", "a12"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_code_of_a_change_makes_the_run_that_it_is_of(name: str) -> None:
    after = CHANGES[name](harbour())

    changes = run_changes(harbour(), after)

    assert changes.label
    made = executed(changes.python)
    assert list(made.messages) == list(after.messages)
    assert not run_changes(made, after)


def executed(code: str) -> Trace:
    names: dict[str, Any] = {"ctxlab": ctxlab, "run": harbour()}
    exec(code, names)
    return names["run"]


def test_a_run_that_is_the_same_has_no_changes_and_no_effect() -> None:
    again = harbour().rerun({"token-limiter.budget_tokens": 1800})

    assert not run_changes(harbour(), again)
    assert run_changes(harbour(), again).label == ""
    assert not run_effect(harbour(), again)


@given(names=st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=3, unique=True))
@settings(max_examples=25, deadline=None)
def test_the_tokens_of_an_effect_add_up_and_its_rows_are_what_differs(names: list[str]) -> None:
    after = harbour()
    for name in names:
        try:
            after = CHANGES[name](after)
        except ctxlab.CtxlabError:
            continue  # such as an edit of a message that another change took away

    effect = run_effect(harbour(), after)

    rows = [*effect.came, *effect.went, *effect.changed]
    assert sum(row.tokens for row in rows) + effect.joins == effect.tokens == after.tokens - harbour().tokens
    was, now = sent(harbour()), sent(after)
    assert {row.key for row in effect.came} == now - was
    assert {row.key for row in effect.went} == was - now
    assert effect.same == len(was & now) - len(effect.changed) - len(effect.joined)
    if not (rows or effect.joined or effect.moved):
        assert payload(after) == payload(harbour())
    assert says_the_truth(effect)


def says_the_truth(effect: RunEffect) -> bool:
    words = str(effect)
    return all((f"{kind}: " in words) is bool(getattr(effect, kind)) for kind in ("came", "went", "changed", "moved"))


def payload(trace: Trace) -> list[tuple[str, Any]]:
    return [(message["role"], message["content"]) for message in trace.messages]


def sent(trace: Trace) -> set[str]:
    return {part.key for draft in trace.result.drafts for part in draft.parts}


@pytest.mark.parametrize(
    "strategy", ["sliding", "whole-exchanges", "middle-out", "head-and-tail", "by-priority", "block"]
)
def test_every_dropped_message_has_one_cause_and_tokens_are_said_of_the_border_alone(strategy: str) -> None:
    trace = harbour().rerun({"token-limiter.strategy": strategy})

    causes = cut_causes(trace)

    dropped = {draft.key for group in trace.result.dropped for draft in group.drafts}
    assert dropped <= set(causes)
    for group in trace.result.dropped:
        if group.needed is None:
            continue
        for draft in group.drafts:
            own = causes[draft.key].startswith(f"{strategy}: needed ")
            assert not own or draft.key in group.border


@pytest.mark.parametrize(
    ("step", "key"), [("token-limiter", "node:u13"), ("merge-consecutive", "node:u10"), (None, "")]
)
def test_the_code_of_an_edit_by_hand_makes_it_again(step: str | None, key: str) -> None:
    debugger = ctxlab.Debugger(harbour())
    debugger.run_until(step)
    debugger.reword(key or debugger.context.drafts[-1].key, "Other words.")
    after = debugger.finished()

    changes = run_changes(harbour(), after)

    assert changes.label.endswith("edited by hand")
    assert list(executed(changes.python).messages) == list(after.messages)
    back = run_changes(after, harbour())
    assert back.label.endswith("taken back")


def test_a_setting_and_an_edit_are_two_changes() -> None:
    debugger = ctxlab.Debugger(harbour())
    debugger.run_until("token-limiter")
    debugger.reword("node:u13", "Other words.")
    after = debugger.finished().rerun({"worldbook-processor.scan_depth": 3})

    changes = run_changes(harbour(), after)

    assert [change.label for change in changes] == ["scan depth 3", "u13 edited by hand"]


def test_an_edit_of_a_merged_message_is_no_same_message() -> None:
    debugger = ctxlab.Debugger(harbour())
    debugger.run()
    debugger.reword(debugger.context.drafts[0].key, "SHORT")

    effect = run_effect(harbour(), debugger.finished())

    assert effect.changed
    assert "the same messages are sent" not in str(effect)


def test_other_joins_are_told_apart_from_other_words() -> None:
    apart = run_effect(harbour(), CHANGES["nothing merged"](harbour()))
    as_user = run_effect(harbour(), CHANGES["system messages as user"](harbour()))

    assert apart.joined
    assert not apart.changed
    assert as_user.changed


def test_of_very_many_messages_only_a_few_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    session = ctxlab.Session(id="long").append("", role="system", id="root")
    for i in range(300):
        session = session.append("words", role="user" if i % 2 else "assistant", id=f"m{i}")
    # Off are all but one in the middle: no single verb does that.
    other = session.disable("m0", below=True).enable("m150")
    before, after = ctxlab.build(session), ctxlab.build(other)
    tried: list[str] = []
    for verb in ("enable", "disable"):
        real = getattr(ctxlab.Session, verb)
        monkeypatch.setattr(
            ctxlab.Session, verb, lambda *args, real=real, **kwargs: (tried.append(args[1]), real(*args, **kwargs))[1]
        )

    assert run_changes(before, after).python == ""
    assert len(tried) <= 40
