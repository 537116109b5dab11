"""What cards and presets of SillyTavern are written in."""

from dataclasses import replace

import pytest

from ctxlab.context import BuildInput, Pending, Variables
from ctxlab.documents import Agent, Session
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.macros.sillytavern_time import humanized


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{{User}} {{CHAR}} {{ user }}", "Kim Nova Kim"),
        ("<USER> <bot> <Char> <GROUP> <p>", "Kim Nova Nova Nova <p>"),
        ("{{random:a, b ,c}}", "b"),
        (r"{{random:a\,b}}", "a,b"),
        ("{{random::a::b::c}} {{random a,b,c}} {{random:a::b::c}}", "b b b"),
        ("{{random:{{getvar::list}}}}", "two"),
        ("{{roll:1d6}} {{roll 20}} {{roll:2d6+3}} {{roll:d6-1}}", "4 11 11 3"),
        ("{{reverse:abc}} {{reverse:{{user}}}}", "cba miK"),
        ("a{{// a {{user}} } remark}}b", "ab"),
        ("{{noop}}{{original}}{{charPrompt}}", "the prompt"),
        ("{{isodate}} {{isotime}} {{time}}", "2025-11-07 14:30 2:30 PM"),
        ("{{datetimeformat DD.MM.YYYY [at] HH:mm}}", "07.11.2025 at 14:30"),
        ("{{time_UTC+8}} {{time_UTC-5}}", "10:30 PM 9:30 AM"),
        ("{{timeDiff::2025-01-01::2025-03-01}}", "2 months"),
        ("{{timeDiff::{{date}} {{time}}::2025-11-07 12:00}}", "2 hours"),
        ("{{group}} {{model}} {{maxPrompt}}", "Nova GPT-4o 8000"),
        ('{{banned "word"}}x', "x"),
        (" a \n\n{{trim}}\n b", " a  b"),
        ("{{outlet::x}}{{usr}}", "{{usr}}"),
        ("{{isotime}} {{getvar::{{getvar::ref}}}}", "14:30 7"),
    ],
)
def test_its_spellings_are_understood(said: str, expected: str, tavern: MacroEnv) -> None:
    env = replace(tavern, original="the prompt", variables=Variables({"list": "one,two,three", "ref": "n", "n": "007"}))

    assert str(expand(said, env)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{{setvar::x::1}}{{getvar::x}}", ""),
        ("{{setvar::x::1}}\n{{getvar::x}}", "\n1"),
        ("{{getvar::x}}{{incvar::x}} {{incvar::x}}", "1 2"),
        ("{{setvar::x::3}}{{addvar::x::4}}\n{{getvar::x}}", "\n7"),
        ("{{addvar::x::a}}{{addvar::x::b}}\n{{getvar::x}}", "\nab"),
        ("{{setvar::x::[]}}{{addvar::x::q}}\n{{getvar::x}}", '\n["q"]'),
        ("{{setglobalvar::x::2}}{{decglobalvar::x}}\n{{getglobalvar::x}}", "1\n1"),
        ("{{setvar::x::{{roll:1d6}}}}\n{{getvar::x}}", "\n4"),
    ],
)
def test_variables_are_gone_through_line_by_line(said: str, expected: str, tavern: MacroEnv) -> None:
    assert str(expand(said, tavern.with_variables(Variables()))) == expected


def test_in_our_dialect_its_spellings_are_text(env: MacroEnv) -> None:
    assert str(expand("<USER> {{USER}} {{roll:1d6}}", env)) == "<USER> {{USER}} {{roll:1d6}}"


def test_an_agent_may_speak_it() -> None:
    env = MacroEnv.of(BuildInput(Session(), agent=Agent(name="Nova", macro_dialect="sillytavern")))

    assert str(expand("<BOT>", env)) == "Nova"
    assert str(expand("<BOT>", env.speaking(None))) == "<BOT>"


def test_a_pick_stays_the_same_in_its_place(tavern: MacroEnv) -> None:
    said = "{{pick:a,b,c,d,e,f,g}} {{pick:a,b,c,d,e,f,g}} {{pick::a::b::c::d::e::f::g}}"

    first, again = str(expand(said, tavern)), str(expand(said, tavern.at("elsewhere")))

    assert first == again
    assert len(set(first.split())) > 1


def test_the_text_of_a_card_that_was_read_is_told(tavern: MacroEnv) -> None:
    card = {"sillytavern": {"spec": "chara_card_v2", "data": {"system_prompt": "Be {{char}}"}}}

    expansion = expand("{{charPrompt}}", replace(tavern, agent=Agent(name="Nova", carried=card)))

    assert str(expansion) == "Be Nova"


def test_idle_time_counts_from_the_users_message_before_the_newest(tavern: MacroEnv) -> None:
    session = Session(id="s").append("", role="system").append("hi", timestamp="2025-11-07T11:30:00Z")
    session = session.append("yes?", role="assistant", timestamp="2025-11-07T14:00:00Z")
    build_input = BuildInput(session, timestamp="2025-11-07T14:30:05Z", pending=Pending("still there?"))

    told = str(expand("{{idle_duration}} {{lastMessageId}}", MacroEnv.of(build_input).speaking("sillytavern")))

    assert told == "3 hours 2"
    assert str(expand("{{idle_duration}}", tavern)) == "just now"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "a few seconds"),
        (44, "a few seconds"),
        (60, "a minute"),
        (-300, "5 minutes"),
        (3600, "an hour"),
        (5 * 3600, "5 hours"),
        (86_400, "a day"),
        (20 * 86_400, "20 days"),
        (30 * 86_400, "a month"),
        (100 * 86_400, "3 months"),
        (365 * 86_400, "a year"),
        (1000 * 86_400, "3 years"),
    ],
)
def test_spans_of_time_are_told_in_round_words(seconds: int, expected: str) -> None:
    assert humanized(seconds) == expected


def test_brackets_that_are_not_closed_are_looked_through_once(tavern: MacroEnv) -> None:
    said = "{{datetimeformat::[at YYYY] " + "YYYY[" * 50_000 + "}}"

    assert str(expand(said, tavern)) == "at YYYY " + "2025[" * 50_000
