"""The Python half of RuleView: what each rule did, in a text of one's own and in a run, and changes of rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, CtxlabError, RegexConfig, RegexPreset, RegexRule, Session, Trace
from ctxlab.documents.rules import DepthRange
from ctxlab.studies.run_effect import run_effect
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets.rule_view import RuleView
from ctxlab_widgets.rule_view.text_diff import MOST, diff_pieces, diff_through, smallest_diff
from tests.gallery.samples import harbour, rules
from tests.reports import left

SENT = {"request": True, "render": True}
ENDLESS = r"(a+)+\1$"
BAIT = "a" * 40 + "!"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return harbour()


def rule(regex: str, replacement: str = "", **fields: Any) -> RegexRule:
    return RegexRule(**{"id": regex, "regex": regex, "replacement": replacement, "apply_to": SENT} | fields)


def asked(widget: RuleView, **command: Any) -> RuleView:
    widget._handle_custom_msg(command, [])
    return widget


def view_of(widget: RuleView) -> dict[str, Any]:
    return json.loads(widget.view)


def states(widget: RuleView) -> list[tuple[str, str]]:
    return [(row["state"], row["outcome"]) for row in view_of(widget)["rules"]]


def last(widget: RuleView) -> str:
    return "".join(words for sign, words in view_of(widget)["last"]["pieces"] if sign in "=+")


def answer(widget: RuleView) -> str:
    return "".join(words for words, _ in view_of(widget)["answer"])


def test_every_rule_says_what_it_did_or_why_it_did_nothing() -> None:
    widget = RuleView(
        [
            rule("b", "B"),
            rule("x"),
            rule("c", enabled=False),
            rule("d", target_roles=("user",)),
            rule("e", apply_to={"render": True}),
            rule("(f"),
        ],
        "abcbd",
    )
    widget.set_test_input(role="assistant")

    assert states(widget) == [
        ("matched", "matched 2 times"),
        ("none", "nothing to change"),
        ("off", "switched off"),
        ("idle", "it is for user, not for assistant"),
        ("idle", "only for what is shown"),
        ("failed", "The pattern doesn't compile: Unterminated group."),
    ]
    assert (last(widget), answer(widget)) == ("aBcBd", "1 of 6 rules matched, in 2 places; 1 can't be used: (f")


def test_rules_run_one_after_the_other_each_on_what_is_left() -> None:
    widget = RuleView([rule("a", "b"), rule("b", "c")], "ab")

    first, second = view_of(widget)["rules"]

    assert first["pieces"] == [["-", "a"], ["+", "b"], ["=", "b"]]
    assert second["pieces"] == [["-", "b"], ["+", "c"], ["-", "b"], ["+", "c"]]
    assert str(widget.steps) == "cc"


def test_a_pattern_that_never_ends_fails_and_the_others_run() -> None:
    widget = RuleView([rule(ENDLESS), rule("!", "?")], BAIT)

    assert states(widget)[0] == ("failed", "It needs more than 50,002,050 backtracks in one text.")
    assert last(widget) == "a" * 40 + "?"


def test_a_rule_is_switched_and_edited_by_key_id_or_name_and_undone_step_by_step() -> None:
    widget = RuleView(RegexPreset(name="p", rules=(rule("a", "x", id="one", name="One"), rule("b", "y"))), "ab")

    widget.switch("global/0/1", on=False)
    widget.edit("one", replacement="z")
    widget.edit("One", pattern="A", flags="i")
    seen = [last(widget)]
    for _ in range(3):
        widget.undo()
        seen.append(last(widget))

    assert seen == ["zb", "zb", "xb", "xy"]
    with pytest.raises(CtxlabError, match="nothing was changed"):
        widget.undo()


def test_what_was_changed_is_there_to_be_kept() -> None:
    widget = RuleView(rule("a", "x"), "a")

    widget.edit("a", pattern="b", flags="gi")

    assert isinstance(widget.rules, RegexConfig)
    kept = widget.rules.presets[0].rules[0]
    assert (kept.regex, kept.flags, kept.replacement) == ("b", "gi", "x")
    assert str(ctxlab.regex_steps("Bb", widget.rules)) == "xx"


def test_flags_that_stand_in_the_pattern_are_changed_there() -> None:
    widget = RuleView(rule("/a/g", "x"), "Aa")

    widget.edit("/a/g", flags="gi")

    assert widget.rules.presets[0].rules[0].regex == "/a/gi"
    assert last(widget) == "xx"


@pytest.mark.parametrize("flags", ["q", "gg", "g i"])
def test_flags_that_dont_exist_are_refused_beside_the_field(flags: str) -> None:
    widget = RuleView(rule("a", "x"), "a")
    before = widget.rules

    asked(widget, command="edit", rule="a", field="flags", value=flags)

    assert widget.error
    assert (widget.wrong["rule"], widget.wrong["field"]) == ("global/0/0", "flags")
    assert widget.rules is before
    assert asked(widget, command="edit", rule="a", field="flags", value="g").wrong == {}


def test_what_is_taken_back_leaves_no_complaint() -> None:
    widget = RuleView(rule("a", "x"), "a")
    widget.edit("a", replacement="y")
    asked(widget, command="edit", rule="a", field="flags", value="q")
    assert widget.wrong

    widget.undo()

    assert widget.wrong == {}


def test_what_is_typed_in_one_go_is_undone_in_one_go() -> None:
    widget = RuleView(rule("a", "x", id="r"), "abc")
    for pattern in ("b", "bc", "c"):
        asked(widget, command="edit", rule="r", field="pattern", value=pattern, turn=1)
    asked(widget, command="edit", rule="r", field="pattern", value="abc", turn=2)

    seen = [last(widget)]
    for _ in range(2):
        asked(widget, command="undo")
        seen.append(last(widget))

    assert seen == ["x", "abx", "xbc"]


def test_rules_only_for_what_is_shown_are_tried_as_shown() -> None:
    widget = RuleView(RegexRule(regex="a", replacement="b"), "a")

    assert (widget.stage, last(widget)) == ("render", "b")


def test_the_text_role_depth_and_stage_can_be_said_from_python_and_from_the_page() -> None:
    deep = rule("a", "x", depth_range={"min": 2, "max": None})
    widget = RuleView(deep, "a")
    assert states(widget)[0][0] == "idle"

    widget.depth = 3
    assert last(widget) == "x"
    asked(widget, command="test", where={"depth": 1})
    assert last(widget) == "a"
    asked(widget, command="test", where={"depth": None, "text": "aa"})

    assert (widget.depth, widget.text, last(widget)) == (None, "aa", "xx")


def test_every_message_of_a_run_ends_as_it_did_in_the_run(trace: Trace) -> None:
    widget = RuleView(trace)
    step = trace.step("regex-processor")

    for draft in step.after.drafts:
        widget.choose(draft.key)
        assert (str(widget.steps), widget.role, view_of(widget)["own"]) == (str(draft.text), draft.role, True)
    table = {row["key"] for row in left(trace.result, "rule-hits")}
    offered = json.loads(widget.messages)["all"]
    assert {row["key"] for row in offered if row["rules"]} == table


def test_a_run_opens_at_the_first_rule_with_hits_and_the_first_message_that_it_changed(trace: Trace) -> None:
    widget = RuleView(trace)
    keys = [row["key"] for row in json.loads(widget.messages)["all"] if row["rules"]]

    assert (widget.message, widget.opened) == (keys[0], ["global/0/1"])
    assert {sign for sign, _ in view_of(widget)["last"]["pieces"]} == {"=", "-", "+"}


def test_the_sentence_and_the_strip_say_what_the_rules_did_to_the_run(trace: Trace) -> None:
    widget = RuleView(trace)
    step, counter = trace.step("regex-processor"), trace.services.tokenizer
    hits = json.loads(widget.hits)

    name = "旧的舞台说明缩短 · Shorten old stage directions"
    assert answer(widget) == f"1 rule changed 4 messages, −76 tokens: {name}"
    assert [name, "global/0/1"] in view_of(widget)["answer"]
    assert (hits["count"], hits["tokens"], len(hits["messages"])) == (4, -76, 4)
    for row in hits["messages"]:
        before, after = step.before.draft(row["key"]), step.after.draft(row["key"])
        assert counter.count_draft(after) - counter.count_draft(before) == row["tokens"]


def test_a_run_in_which_no_rule_changed_anything_says_so_and_shows_the_newest_message() -> None:
    session = Session(id="s").append("", role="system").append("one", id="a").append("two", role="assistant", id="b")
    widget = RuleView(ctxlab.build(session, rules=[rule("needle")]))

    assert (widget.message, widget.opened, answer(widget)) == ("node:b", [], "No rule changed a message")


def test_a_rule_is_shown_where_it_changed_a_message_and_a_message_by_its_key(trace: Trace) -> None:
    widget = RuleView(trace)

    widget.show_key("node:u12")
    assert (widget.message, widget.opened) == ("node:u12", [])
    widget.show_key("short-directions")
    assert (widget.message, widget.opened) == ("node:g1", ["global/0/1"])
    widget.show_key("node:a5")
    asked(widget, command="show_key", key="global/0/1")
    assert (widget.message, widget.opened) == ("node:a5", ["global/0/1"])
    widget.show_key("")
    assert widget.message == "node:g1"
    with pytest.raises(CtxlabError, match="no rule 'odd'"):
        widget.show_key("odd")


def test_a_change_says_what_it_did_to_the_run_and_undo_forgets_it(trace: Trace) -> None:
    widget = RuleView(trace)

    widget.switch("short-directions", on=False)
    assert widget.trace is not None
    assert widget.effect == {
        "label": "“旧的舞台说明缩短 · Shorten old stage directions” is off.",
        "text": str(run_effect(trace, widget.trace)),
    }
    assert answer(widget) == "No rule changed a message"
    widget.undo()

    assert (widget.effect, answer(widget)[:24]) == ({}, "1 rule changed 4 message")


def test_in_a_page_a_change_is_a_run_of_the_page_and_its_undo_takes_it_back(trace: Trace) -> None:
    widget, state = RuleView(trace), SharedState(trace, trace.start.input.session, ("rules", "steps"))
    widget.follow(state)

    asked(widget, command="switch", rule="global/0/1", on=False)
    assert state.trace is widget.trace is not trace
    state.trace = trace

    assert (widget.effect, view_of(widget)["rules"][1]["on"]) == ({}, True)
    with pytest.raises(CtxlabError, match="nothing was changed"):
        widget.undo()


def test_the_name_and_the_depths_of_a_rule_are_changed() -> None:
    widget = RuleView(rule("a", "x", id="r"), "a")

    asked(widget, command="edit", rule="r", field="name", value="Lamps")
    asked(widget, command="edit", rule="r", field="min_depth", value="2")
    asked(widget, command="edit", rule="r", field="max_depth", value="5")
    kept = widget.rules.presets[0].rules[0]
    assert (kept.name, kept.depth_range, last(widget)) == ("Lamps", DepthRange(min=2, max=5), "a")
    widget.edit("r", name="", min_depth="", max_depth="")
    kept = widget.rules.presets[0].rules[0]

    assert (kept.name, kept.depth_range, last(widget)) == (None, None, "x")


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("min_depth", "deep", "a whole number from 0"),
        ("min_depth", "-1", "a whole number from 0"),
        ("max_depth", "1.5", "a whole number from 0"),
        ("max_depth", "1", "no depth from 3 to 1"),
        ("flags", "gg", "stands there twice"),
    ],
)
def test_a_value_that_a_field_cannot_have_is_refused_beside_it(field: str, value: str, why: str) -> None:
    widget = RuleView(rule("a", "x", depth_range={"min": 3, "max": None}), "a")
    before = widget.rules

    asked(widget, command="edit", rule="a", field=field, value=value)

    assert why in widget.wrong["error"] == widget.error
    assert (widget.wrong["field"], widget.rules) == (field, before)


def test_what_is_selected_elsewhere_is_shown_and_what_is_chosen_here_is_selected(trace: Trace) -> None:
    widget = RuleView(trace)

    widget.selected = "node:g1"
    assert widget.message == "node:g1"
    widget.selected = "preset:none"
    assert widget.message == "node:g1"
    asked(widget, command="choose", message="node:a5")

    assert (widget.selected, widget.message) == ("node:a5", "node:a5")


def test_another_text_can_be_tried_on_a_runs_rules_and_the_message_come_back(trace: Trace) -> None:
    widget = RuleView(trace)
    own = widget.text

    widget.set_text("((OOC: brb)) hello")
    assert not view_of(widget)["own"]
    asked(widget, command="reset")

    assert (widget.text, view_of(widget)["own"]) == (own, True)


def test_a_change_in_a_run_builds_it_again_and_undo_gives_the_run_back(trace: Trace) -> None:
    widget = RuleView(trace)
    message = widget.message
    before = last(widget)

    asked(widget, command="switch", rule="global/0/1", on=False)
    assert widget.error == ""
    assert widget.trace is not trace
    assert widget.trace is not None
    assert str(widget.trace.step("regex-processor").after.draft(message).text) == last(widget) != before
    assert widget.rules.presets[0].rules[1].enabled is False
    widget.undo()

    assert widget.trace is trace
    assert last(widget) == before


def owned() -> tuple[Trace, Agent]:
    config = RegexConfig(presets=(RegexPreset(id="p", rules=(rule("lamp", "light", id="own"),)),))
    agent = Agent(id="a", name="Keeper", regex_config=config)
    session = Session(id="s").append("", role="system").append("the lamp", agent_id="a")
    return ctxlab.build(session, agent, agents=[agent]), agent


def test_an_agents_rule_is_changed_in_the_agent_of_the_run() -> None:
    trace, agent = owned()
    widget = RuleView(trace)
    (row,) = view_of(widget)["rules"]
    assert (row["layer"], row["holder"], last(widget)) == ("agent", "Keeper", "the light")

    widget.edit("own", replacement="fire")

    assert widget.trace is not None
    build_input = widget.trace.start.input
    assert build_input.agent is not agent
    assert build_input.agents == (build_input.agent,)
    assert (last(widget), widget.trace.messages[-1]["content"]) == ("the fire", "the fire")


def test_another_run_set_from_python_keeps_the_message_and_forgets_what_could_be_undone(trace: Trace) -> None:
    widget = RuleView(trace)
    widget.choose("node:a5")
    widget.switch("global/0/1", on=False)

    widget.trace = trace

    assert (widget.message, view_of(widget)["rules"][1]["on"]) == ("node:a5", True)
    with pytest.raises(CtxlabError, match="nothing was changed"):
        widget.undo()


def test_nothing_and_a_run_before_its_rules_say_what_is_missing() -> None:
    session = Session(id="s").append("", role="system").append("hi")

    assert RuleView().view == ""
    assert "still to come" in view_of(RuleView(ctxlab.debug(session).trace))["empty"]
    assert answer(RuleView(RegexConfig(), "a")) == "There are no rules"


def test_rules_of_the_run_before_cannot_be_changed_in_one_that_has_not_come_to_them(trace: Trace) -> None:
    widget = RuleView(trace)
    widget.trace = early = trace.upto(trace.steps[0].id)

    with pytest.raises(CtxlabError, match="no rule"):
        widget.switch("global/0/0", on=False)

    assert widget.trace is early


def test_of_a_long_run_the_changed_messages_and_the_newest_can_be_chosen() -> None:
    session = Session(id="s").append("", role="system")
    for i in range(1000):
        session = session.append("needle" if i == 3 else f"words {i}", role="user" if i % 2 else "assistant")
    trace = ctxlab.build(session, rules=[rule("needle", "pin")], budget_tokens=10**6)

    offered = json.loads(RuleView(trace).messages)

    assert offered["count"] > 990
    assert len(offered["all"]) == 201
    assert offered["all"][0]["rules"] == 1


def test_of_a_long_run_the_message_that_is_shown_is_among_those_to_choose() -> None:
    session = Session(id="s").append("", role="system")
    for i in range(1000):
        session = session.append(f"words {i}", role="user" if i % 2 else "assistant", id=f"m{i}")
    widget = RuleView(ctxlab.build(session, rules=[rule("needle", "pin")], budget_tokens=10**6))

    widget.selected = "node:m7"

    assert widget.message == "node:m7"
    assert json.loads(widget.messages)["all"][0]["words"] == "words 7"


@pytest.mark.parametrize(
    "wrong",
    [
        "undo",
        {"command": "undo"},
        {"command": "explode"},
        {"command": "switch", "rule": "global/9/9", "on": True},
        {"command": "edit", "rule": "a", "field": "id", "value": "b"},
        {"command": "edit", "rule": "a", "field": "pattern", "value": 3},
        {"command": "test", "where": {"text": 3}},
        {"command": "test", "where": {"text": None}},
        {"command": "test", "where": {"depth": -1}},
        {"command": "test", "where": {"depth": "deep"}},
        {"command": "test", "where": {"role": "king"}},
        {"command": "test", "where": {"stage": "never"}},
        {"command": "test", "where": {"colour": "red"}},
        {"command": "choose", "message": "node:none"},
        {"command": "reset"},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(wrong: object) -> None:
    widget = RuleView(rule("a", "b"), "a")
    before = widget.view

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert widget.view == before


def test_two_rules_of_one_name_are_told_apart_by_their_keys() -> None:
    widget = RuleView([rule("a", "x", id="", name="same"), rule("b", "y", id="", name="same")], "ab")

    with pytest.raises(CtxlabError, match="global/0/0, global/1/0"):
        widget.switch("same", on=False)
    widget.switch("global/1/0", on=False)

    assert last(widget) == "xb"


def test_the_rules_of_a_file_can_be_tried(trace: Trace) -> None:
    widget = RuleView(rules(), "*He waves for a very long time at the boat.* (（OOC: brb）) Hello")

    assert [row["name"] for row in view_of(widget)["rules"]] == [one.shown_name for one in rules()[0].rules]


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("Bob", "**Bob**", [("+", "**"), ("=", "Bob"), ("+", "**")]),
        ("(aside)", "aside", [("-", "("), ("=", "aside"), ("-", ")")]),
        ("colour", "color", [("=", "colo"), ("-", "u"), ("=", "r")]),
        ("e\u0301", "e\u0300", [("-", "e\u0301"), ("+", "e\u0300")]),
        (
            "\U0001f44d\U0001f3fb",
            "\U0001f44d\U0001f3ff",
            [("-", "\U0001f44d\U0001f3fb"), ("+", "\U0001f44d\U0001f3ff")],
        ),
        ("e", "e\u0301", [("-", "e"), ("+", "e\u0301")]),
        ("", "new", [("+", "new")]),
        ("old", "", [("-", "old")]),
    ],
)
def test_no_more_is_marked_than_differs(before: str, after: str, pieces: list[tuple[str, str]]) -> None:
    assert [piece for piece in smallest_diff(before, after) if piece[1]] == pieces


@given(
    st.text("abc", max_size=12),
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", "ab", "x*", "^", "$"]), st.sampled_from(["", "a", "bb", "[$&]", "c"])
        ),
        max_size=4,  # more make a text that is longer than what the page shows
    ),
)
@settings(deadline=None)
def test_what_came_and_went_through_several_rules_gives_both_texts_back(
    text: str, pairs: list[tuple[str, str]]
) -> None:
    steps = ctxlab.regex_steps(text, [rule(one, two, flags="g") for one, two in pairs])

    pieces = diff_through(text, [step.hits for step in steps], longest=10_000)

    assert "".join(words for sign, words in pieces if sign in "=-") == text
    assert "".join(words for sign, words in pieces if sign in "=+") == str(steps)


def test_what_one_rule_puts_in_and_the_next_takes_out_leaves_no_mark() -> None:
    steps = ctxlab.regex_steps("a b", [rule("b", "[b]"), rule(r"\[|\]")])

    assert diff_through("a b", [step.hits for step in steps], longest=99) == [("=", "a b")]


def test_a_long_result_is_cut_and_the_rest_counted() -> None:
    (step,) = ctxlab.regex_steps("aaaaa", rule("a$", "b"))

    assert diff_through("aaaaa", [step.hits], longest=3) == [("=", "aaa"), ("~", "3 characters more")]


@given(st.text("ab\u0301\u200d", max_size=8), st.text("ab\u0301\u200d", max_size=8))
def test_marks_give_both_texts_back(before: str, after: str) -> None:
    pieces = smallest_diff(before, after)

    assert "".join(words for sign, words in pieces if sign != "+") == before
    assert "".join(words for sign, words in pieces if sign != "-") == after


def test_of_very_many_places_the_first_are_marked_and_the_rest_counted() -> None:
    widget = RuleView(rule("a", "b"), "a" * 5000)

    pieces = view_of(widget)["rules"][0]["pieces"]

    assert sum(sign == "+" for sign, _ in pieces) == MOST
    assert pieces[-1] == ["~", "4,700 more places"]


def test_a_long_unchanged_stretch_is_shown_by_its_ends() -> None:
    (step,) = ctxlab.regex_steps("x" * 50_000 + "needle", rule("needle", "pin"))

    pieces = diff_pieces(str(step.before), step.hits)

    ends = "x" * 1000
    assert pieces == [("=", ends), ("~", "48,000 characters"), ("=", ends), ("-", "needle"), ("+", "pin")]
