"""What a program shows for a message, and a text rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, RegexConfig, RegexPreset, RegexRule, Session, UserProfile
from ctxlab.documents import ThinkRule
from ctxlab.documents.rules import AppliesTo, DepthRange
from ctxlab.errors import UnknownNode


def chat(*texts: str, **metadata: Any) -> Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]).pick()


def rule(regex: str, replacement: str = "", **fields: Any) -> RegexRule:
    return RegexRule(**{"id": regex, "regex": regex, "replacement": replacement, **fields})


def test_a_message_is_shown_by_the_rules_for_what_is_shown() -> None:
    rules = [rule("b", "c"), rule("a", "x", apply_to=AppliesTo(render=False, request=True))]

    shown = ctxlab.render(chat("hi", "ab"), rules=rules)

    assert str(shown) == "ac"
    assert shown.node.id == "m1"
    assert [(hit.rule, hit.count) for hit in shown.hits] == [("b", 1)]
    assert shown.text.at(1).was[0].text == "b"


def test_depth_is_counted_on_the_branch_that_is_open() -> None:
    rules = [rule("a", "old", depth_range=DepthRange(min=2)), rule("a", "new", depth_range=DepthRange(max=0))]
    session = chat("a", "a", "a")

    assert [str(ctxlab.render(session, f"m{i}", rules=rules)) for i in range(3)] == ["old", "a", "new"]


def test_a_rule_can_wait_until_the_message_is_complete() -> None:
    rules = [rule("a", "b", apply_in_streaming=False)]

    assert str(ctxlab.render(chat("a"), rules=rules, streaming=True)) == "a"
    assert str(ctxlab.render(chat("a"), rules=rules)) == "b"


def test_the_agent_that_wrote_a_message_brings_its_rules() -> None:
    hers = Agent(id="hers", regex_config=RegexConfig(presets=(RegexPreset(rules=(rule("a", "hers"),)),)))
    mine = Agent(id="mine", regex_config=RegexConfig(presets=(RegexPreset(rules=(rule("a", "mine"),)),)))
    session = chat("a").update("m0", metadata={"agentId": "hers"})

    assert str(ctxlab.render(session, agent=mine, agents=(hers,))) == "hers"
    assert str(ctxlab.render(session, agent=mine)) == "mine"


@pytest.mark.parametrize(
    ("text", "words", "inside", "closed"),
    [
        ("<think>plan</think>hi", "hi", ["plan"], [True]),
        ("a<THINK x='1'>p</think >b<guguthink>q", "ab", ["p", "q"], [True, False]),
        ("<thinking>no</thinking>", "<thinking>no</thinking>", [], []),
        ("<think>a</think>b<think c", "b<think c", ["a"], [True]),
    ],
)
def test_reasoning_is_folded(text: str, words: str, inside: list[str], closed: list[bool]) -> None:
    shown = ctxlab.render(chat("q", text))

    assert str(shown) == text
    assert str(shown.words) == words
    assert [block.text for block in shown.thinking] == inside
    assert [block.closed for block in shown.thinking] == closed


def test_tags_that_never_end_are_words() -> None:
    text = "<think>a</think>" + "<think " * 30_000

    shown = ctxlab.render(chat("q", text))

    assert str(shown.words) == "<think " * 30_000


def test_the_agent_says_which_tags_are_reasoning() -> None:
    agent = Agent(llm_think_rules=(ThinkRule(tag_name="plan", display_name="计划", collapsed_by_default=False),))

    (block,) = ctxlab.render(chat("q", "<plan>x</plan><think>y</think>"), agent=agent).thinking

    assert (block.tag, block.name, block.text, block.collapsed) == ("plan", "计划", "x", False)


def test_what_is_sent_keeps_its_reasoning() -> None:
    trace = ctxlab.build(chat("q", "<think>p</think>a"))

    assert trace.messages[1]["content"] == "<think>p</think>a"


def test_a_bad_rule_is_named() -> None:
    (note,) = ctxlab.render(chat("a"), rules=[rule("(")]).notes

    assert "rule '('" in note.text


def test_an_unknown_message_is_refused() -> None:
    with pytest.raises(UnknownNode, match="m9"):
        ctxlab.render(chat("a"), "m9")


def test_html_is_escaped_and_small() -> None:
    bad = "<script>alert(1)</script>"
    shown = ctxlab.render(chat("q", f"<think>{bad}</think>{bad}" + "&" * 100_000), rules=[rule("q", id=bad)])
    steps = ctxlab.regex_steps(bad * 5_000, [rule("a", bad * 100)] * 40, stage="render")

    for html in (shown._repr_html_(), steps._repr_html_()):
        assert "<script" not in html
        assert len(html.encode()) < 50_000


def test_steps_show_the_text_after_each_rule() -> None:
    rules = [rule("a", "b"), rule("b", "c"), rule("x", "y")]

    steps = ctxlab.regex_steps("ab", rules, stage="render")

    assert [str(step.after) for step in steps] == ["bb", "cc", "cc"]
    assert [step.outcome for step in steps] == ["1 changed", "2 changed", "nothing to change"]
    assert [(hit.start, hit.end, hit.found, hit.new) for hit in steps[1].hits] == [(0, 1, "b", "c"), (1, 2, "b", "c")]
    assert str(steps) == "cc"
    assert list(steps.frame()["hits"]) == [1, 2, 0]


@pytest.mark.parametrize(
    ("wrong", "outcome"),
    [
        (rule("a"), "passed by: it is not for the request stage"),
        (rule("a", enabled=False), "passed by: it is switched off"),
        (rule("a", apply_to=AppliesTo(request=True), target_roles=("user",)), "passed by: it is for user"),
        (rule("(", apply_to=AppliesTo(request=True)), "left out: it doesn't compile"),
        (
            rule("a", apply_to=AppliesTo(request=True), replacement_type="script", script_content="return 1"),
            "left out: scripts are not run",
        ),
    ],
)
def test_steps_say_why_a_rule_does_nothing(wrong: RegexRule, outcome: str) -> None:
    (step,) = ctxlab.regex_steps("a", wrong, role="assistant")

    assert step.outcome.startswith(outcome)
    assert str(step.after) == "a"


def test_steps_of_a_preset_that_is_off_say_so() -> None:
    (step,) = ctxlab.regex_steps("a", RegexPreset(enabled=False, rules=(rule("a"),)))

    assert step.idle == "its preset is switched off"


def test_steps_know_who_macros_stand_for() -> None:
    rules = rule("{{user}}", "{{char}}", substitution_mode="ESCAPED")

    steps = ctxlab.regex_steps("A.n Axn", rules, stage="render", user=UserProfile(name="A.n"), agent=Agent(name="$1"))

    assert str(steps) == "$1 Axn"


def test_steps_read_well_in_a_terminal() -> None:
    steps = ctxlab.regex_steps("ab", [rule("a", "x", name="Crosses"), rule("(", name="Broken")], stage="render")

    lines = repr(steps).splitlines()

    assert lines[:3] == ["before: 'ab'", "1. Crosses: 1 changed", "   'a' -> 'x'"]
    assert lines[3].startswith("2. Broken: left out: it doesn't compile")
    assert lines[4] == "after:  'xb'"
