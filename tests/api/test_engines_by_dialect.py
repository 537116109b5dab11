"""Greetings, rules and shown messages are expanded by the engine of the dialect that counts, as the prompt is."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, RegexRule, Session, UserProfile
from ctxlab.context import Origin
from ctxlab.engines.regexes.rule_selection import RuleSource
from ctxlab.formats.sillytavern.regex_scripts import preset_of

KIM = UserProfile(name="Kim")
ONLY_NEWER = "{{if 1}}{{char}}{{/if}}"
"""The engines before leave the condition as it is."""


def card(*greetings: str, **more: Any) -> Agent:
    rows = [{"id": f"g{n}", "role": "assistant", "content": text} for n, text in enumerate(greetings)]
    return Agent.model_validate({"id": "a", "name": "Nova", "macroDialect": "sillytavern", "greetings": rows, **more})


def script(find: str, replacement: str, **more: Any) -> Any:
    found = {"scriptName": "r", "findRegex": find, "replaceString": replacement, "placement": [1, 2], **more}
    return preset_of([found], name="r", id="r")[0]


def test_a_greeting_is_expanded_by_the_engine_of_its_agents_dialect() -> None:
    agent = card(f"{ONLY_NEWER} and {{{{user}}}}")

    assert ctxlab.begin(agent, user=KIM).leaf_node.content == "Nova and Kim"  # pyright: ignore[reportOptionalMemberAccess]
    older = ctxlab.begin(agent, user=KIM, dialect="sillytavern-1.12").leaf_node
    seeds = ctxlab.begin(agent, user=KIM, dialect="seed").leaf_node
    assert older is not None and seeds is not None
    assert "{{if 1}}" in older.content and "{{if 1}}" in seeds.content
    assert ctxlab.greeted(ctxlab.begin(agent), agent, user=KIM).leaf_node.content == "Nova and Kim"  # pyright: ignore[reportOptionalMemberAccess]


def test_a_build_that_begins_with_a_greeting_follows_its_own_dialect() -> None:
    library = ctxlab.Library(agents=(card(ONLY_NEWER),))

    assert ctxlab.build(library).messages[-1]["content"] == "Nova"
    assert ctxlab.build(library, dialect="seed").messages[-1]["content"] != "Nova"


def test_a_greeting_that_sets_variables_sets_them_in_each_build() -> None:
    agent = card(
        "{{setvar::tide::3}}The tide is {{getvar::tide}}.",
        presetMessages=[{"id": "m", "role": "system", "content": "Tide {{getvar::tide}}"}],
    )

    trace = ctxlab.build(ctxlab.begin(agent), agent)

    assert [message["content"] for message in trace.messages] == ["Tide 3", "The tide is 3."]
    assert trace.variables.session["tide"] == "3"


@pytest.mark.parametrize(("dialect", "shown"), [(None, "[Nova]"), ("sillytavern-1.19", "[Nova]")])
def test_a_rule_for_what_is_shown_is_expanded_by_the_dialects_engine(dialect: str | None, shown: str) -> None:
    session = Session(id="s").append("lamp", id="n")
    rules = [script("lamp", f"[{ONLY_NEWER}]", markdownOnly=True)]

    assert str(ctxlab.render(session, "n", card(), rules=rules, dialect=dialect)) == shown
    assert str(ctxlab.render(session, "n", card(), rules=rules, dialect="seed")) != shown


def test_a_script_that_changed_a_message_when_it_came_does_not_change_it_again_where_it_is_shown() -> None:
    session = Session(id="s").append("a lamp", id="n")
    rules = [script("lamp", "lamp lamp")]

    assert str(ctxlab.render(session, "n", card(), rules=rules)) == "a lamp"
    assert str(ctxlab.render(session, "n", card(), rules=rules, dialect="seed")) == "a lamp lamp"


def test_a_rule_tried_on_a_text_is_expanded_by_the_dialects_engine() -> None:
    rule = RegexRule.model_validate(
        {
            "id": "r",
            "regex": "lamp",
            "replacement": ONLY_NEWER,
            "macrosInReplacement": True,
            "applyTo": {"request": True},
        }
    )

    assert str(ctxlab.regex_steps("a lamp", rule, agent=card())) == "a Nova"
    assert str(ctxlab.regex_steps("a lamp", rule, agent=card(), dialect="seed")) != "a Nova"
    assert str(ctxlab.regex_steps("a lamp", rule, agent=Agent(name="Nova"), dialect="sillytavern-1.19")) == "a Nova"


def test_the_older_spelling_of_names_counts_in_rules_where_the_engine_knows_it() -> None:
    rules = [script("<USER>", "[$0 <BOT>]", substituteRegex=1, promptOnly=True)]
    session = Session(id="s").append("Kim rows")

    assert ctxlab.build(session, card(), user=KIM, rules=rules).messages[-1]["content"] == "[Kim Nova] rows"


def test_what_a_rule_view_shows_is_what_the_run_did() -> None:
    from ctxlab_widgets import RuleView

    session = Session(id="s").append("a lamp", id="n")
    rules = [script("lamp", ONLY_NEWER, promptOnly=True)]
    trace = ctxlab.build(session, card(), rules=rules)

    assert trace.messages[-1]["content"] == "a Nova"
    assert str(RuleView(trace)._steps()) == "a Nova"


def test_sources_of_a_ruleset_are_tried_by_the_engine_that_is_given() -> None:
    from ctxlab.context import BuildInput, Text
    from ctxlab.engines.regexes.rule_steps import regex_steps

    sources = [RuleSource("global", ctxlab.RegexConfig(presets=(script("lamp", ONLY_NEWER, promptOnly=True),)))]
    text = Text.of("a lamp", Origin("text"))

    assert str(regex_steps(text, sources, BuildInput(Session(id="s"), agent=card()), engine="sillytavern")) == "a Nova"
