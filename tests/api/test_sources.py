"""What callers give where a session, an agent, books, rules or a message is wanted: what is meant is taken."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Agent, Library, RegexConfig, RegexPreset, RegexRule, Session, Worldbook
from ctxlab.errors import CtxlabError, ReadError, WrongArgument, WrongSetting

DATASETS = Path(__file__).parents[2] / "datasets"
CHAT, LORE, RULES = (
    DATASETS / name for name in ("harbour_roleplay.session.json", "harbour_lore.json", "harbour_rules.json")
)
SPEAKER = DATASETS / "harbour_roleplay.agent.json"
SESSION = Session(id="s").append("Hi there", id="a")
BOOK = Worldbook.model_validate({"name": "b", "entries": {"0": {"uid": 0, "key": ["Hi"], "content": "A harbour."}}})
RULE = RegexRule(id="r", regex="Hi", replacement="Ho", apply_to={"request": True})  # type: ignore[arg-type]
SET = RegexPreset(id="p", rules=(RULE,))


def words(trace: ctxlab.Trace) -> list[str]:
    return [message["content"] for message in trace.messages]


# --- taken as it is meant


@pytest.mark.parametrize("path", [str(CHAT), CHAT])
def test_a_path_is_read_where_a_session_is_wanted(path: str | Path) -> None:
    assert words(ctxlab.build(path)) == words(ctxlab.build(ctxlab.read(CHAT)))


@pytest.mark.parametrize("path", [str(SPEAKER), SPEAKER])
def test_a_path_is_read_where_an_agent_is_wanted(path: str | Path) -> None:
    assert words(ctxlab.build(CHAT, path)) == words(ctxlab.build(CHAT, ctxlab.load_agent(SPEAKER)))


@pytest.mark.parametrize(
    "messages", [[{"role": "user", "content": "Hi"}], {"messages": [{"role": "user", "content": "Hi"}]}]
)
def test_messages_are_read_where_a_session_is_wanted(messages: Any) -> None:
    assert words(ctxlab.build(messages)) == ["Hi"]


@pytest.mark.parametrize("books", [BOOK, [BOOK], Library(books=(BOOK,)), [Library(books=(BOOK,))]])
def test_books_are_one_several_or_those_of_a_library(books: Any) -> None:
    assert ctxlab.build(SESSION, books=books).start.input.books == (BOOK,)


@pytest.mark.parametrize("rules", [RULE, [RULE], SET, [SET], RegexConfig(presets=(SET,)), Library(rules=(SET,))])
def test_rules_are_one_several_a_set_or_those_of_a_library(rules: Any) -> None:
    assert words(ctxlab.build(SESSION, rules=rules)) == ["Ho there"]


def test_books_and_rules_may_be_paths() -> None:
    trace = ctxlab.build(SESSION, books=LORE, rules=[RULES])

    assert trace.start.input.books == ctxlab.read(LORE).books
    assert trace.start.input.rules.presets == ctxlab.read(RULES).rules


def test_a_message_does_where_its_id_is_wanted() -> None:
    longer = SESSION.append("Yes", id="b")

    assert words(ctxlab.build(longer, leaf=longer.node("a"))) == ["Hi there"]


def test_a_run_is_built_again_with_what_a_path_names() -> None:
    trace = ctxlab.rebuild(ctxlab.build(SESSION), session=CHAT, agent=SPEAKER, books=LORE)

    assert trace.start.input.session == ctxlab.load(CHAT)
    assert trace.start.input.agent == ctxlab.load_agent(SPEAKER)


# --- what is typed


@pytest.mark.parametrize("typed", ["{{char}}, is it late?", "{{random::a::b}}{{setvar::k::v}}", "no macro"])
def test_macros_in_what_is_typed_are_expanded_as_when_it_is_sent(typed: str) -> None:
    agent = Agent(id="g", name="Guide")
    expansion = ctxlab.expand_input(typed, SESSION, agent)

    trace = ctxlab.build(SESSION, agent, pending=typed)

    given = ctxlab.build(SESSION, agent, pending=expansion.pending, variables=expansion.variables)
    assert words(trace) == words(given)
    assert dict(trace.variables.session) == dict(given.variables.session)
    assert words(ctxlab.build(SESSION, agent, pending=expansion)) == words(given)


def test_a_pending_message_is_taken_as_it_is() -> None:
    assert "{{char}}" in words(ctxlab.build(SESSION, pending=ctxlab.Pending("{{char}}")))[-1]


# --- refused in one line


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (["Hello, is it late?"], {}, "build: session takes .* got the text 'Hello, is it late\\?', which is no file"),
        ([None], {}, "build: session takes a Session, .* got None; ctxlab.load"),
        ([[[1]]], {}, r"build: session\[0\] takes a dict by names, got a list of 1"),
        ([SESSION, "Guide"], {}, "build: agent takes .* got the text 'Guide', which is no file"),
        ([SESSION, SESSION], {}, "build: agent takes .*; did you mean session=\\?"),
        ([SESSION], {"books": [BOOK, 3]}, r"build: books\[1\] takes a Worldbook, .* got the int 3"),
        ([SESSION], {"books": Library()}, "build: books: Library\\(empty\\) holds no worldbook"),
        ([SESSION], {"rules": [None]}, r"build: rules\[0\] takes .*RegexRule.* got None"),
        ([SESSION], {"leaf": 3}, "build: leaf takes a str, .* got the int 3"),
        ([SESSION], {"pending": 5}, "build: pending takes a str, .* got the int 5"),
        ([SESSION], {"budget": 1800}, "build: no argument is called 'budget'; did you mean 'budget_tokens'\\?"),
        ([SESSION], {"settings": {3: 4}}, "build: settings takes a dict by names or None, got a dict of 1"),
    ],
)
def test_everything_else_is_refused_in_one_line(arguments: list[Any], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WrongArgument, match=f"^{sentence}") as refused:
        ctxlab.build(*arguments, **options)

    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named_as_a_file() -> None:
    with pytest.raises(ReadError, match=re.escape("nowhere.json")):
        ctxlab.build(Path("nowhere.json"))


def test_runs_are_compared_by_name() -> None:
    trace = ctxlab.build(SESSION)

    with pytest.raises(WrongArgument, match=r"^compare: traces\[0\] takes a NamedRun, got Trace.*; give each a name"):
        ctxlab.compare([trace, trace])  # type: ignore[arg-type]


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(WrongArgument, match=r"a step is a Processor, .* got the str 'foo'"):
        ctxlab.default_pipeline().with_processor("foo")


def test_values_are_refused_in_one_line() -> None:
    with pytest.raises(WrongArgument, match=r"^RegexRule: regex can't be 3: Input should be a valid string$"):
        RegexRule(regex=3)  # type: ignore[arg-type]
    with pytest.raises(WrongArgument, match=r"^Session: fields are given by name, such as id="):
        Session("s")  # type: ignore[call-arg]


def test_a_step_without_a_setting_is_told_the_settings_it_has() -> None:
    with pytest.raises(WrongSetting, match=r"'token-limiter' names no setting; write .* with one of: budget_tokens, "):
        ctxlab.build(SESSION, settings={"token-limiter": {"budget_tokens": 5}})
    with pytest.raises(WrongSetting, match=r"'strategy' names no step; did you mean 'token-limiter\.strategy'"):
        ctxlab.build(SESSION, settings={"strategy": "block"})


# --- ids and keys


def test_a_messages_id_alone_is_its_key_where_no_other_message_has_it() -> None:
    trace = ctxlab.build(SESSION)

    assert trace.why("a").key == "node:a"
    with pytest.raises(CtxlabError, match="no node 'node:a'; did you mean 'a'"):
        ctxlab.build(SESSION, leaf="node:a")


def test_an_id_of_two_messages_names_both() -> None:
    agent = Agent.model_validate({"id": "g", "presetMessages": [{"role": "system", "content": "x"}]})
    trace = ctxlab.build(Session(id="s").append("Hi", id="0"), agent)

    with pytest.raises(CtxlabError, match=r"did you mean .*'(node|preset):0' or '(node|preset):0'"):
        trace.why("0")


# --- files that say what nobody reads


def test_misspelt_fields_earn_a_note_and_are_kept() -> None:
    data = {"id": "r", "regex": "a", "replacment": "b", "applyTo": {"request": True, "rendr": False}, "mine": 1}
    rule = RegexRule.model_validate(data)

    notes = [note.text for note in ctxlab.build(SESSION, rules=rule).result.notes]

    assert [text for text in notes if "has no field" in text] == [
        "rule 'r' has no field 'replacment'; did you mean 'replacement'; it is kept, and not used",
        "rule 'r', apply_to, has no field 'rendr'; did you mean 'render'; it is kept, and not used",
    ]
    assert json.loads(rule.to_json()) == data


def test_a_preset_whose_place_is_misspelt_earns_a_note() -> None:
    preset = {"role": "system", "content": "x", "injectionStrategy": {"type": "dpeth", "depth": 1, "ordr": 3}}
    agent = Agent.model_validate({"id": "g", "presetMessages": [preset]})

    notes = [note.text for note in ctxlab.build(SESSION, agent).result.notes]

    assert any("injectionStrategy.type 'dpeth' is not known; did you mean 'depth'" in text for text in notes)
    assert any("injectionStrategy has no field 'ordr'; did you mean 'order'" in text for text in notes)
    assert agent.to_data()["presetMessages"] == [preset]


def test_a_rule_that_says_nothing_of_what_it_changes_is_noted_where_it_changes_nothing() -> None:
    silent, explicit = RegexRule(id="r", regex="Hi"), RegexRule(id="r", regex="Hi", apply_to={"render": True})  # type: ignore[arg-type]

    noted = [note.text for note in ctxlab.build(SESSION, rules=silent).result.notes]

    assert any("rule 'r' changes what is shown, not what is sent" in text for text in noted)
    assert not ctxlab.build(SESSION, rules=explicit).result.notes


def test_a_rule_of_another_stage_is_tried_too() -> None:
    step = ctxlab.regex_steps("((", RegexRule(regex="("))[0]

    assert step.outcome.startswith("passed by: it is not for the request stage; left out: ")
    assert step.problem and not step.hits
    assert "apply_to={'request': True}" in step.remarks[0]
