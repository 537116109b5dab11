"""SillyTavern's newer macro engine, as the program itself answers."""

from dataclasses import replace

import pytest

from ctxlab.context import Cause, Origin, Text, Variables
from ctxlab.documents import Agent
from ctxlab.engines.macros import MacroEnv, expand, problems
from ctxlab.engines.macros.registry import NEWER


@pytest.fixture
def newer(env: MacroEnv) -> MacroEnv:
    agent = Agent.model_validate(
        {
            "name": "Nova",
            "greetings": [{"id": "1", "content": "Hi {{user}}."}, {"id": "2", "content": "Ho {{description}}."}],
            "depthPrompt": "Deep in {{char}}.",
        }
    )
    env = replace(env, persona="{{user}} sails. {{persona}}", description=" {{char}}: {{personality}}{{getvar::x}} ")
    return replace(env, engine="sillytavern", agent=agent, variables=Variables())


def said(text: str, env: MacroEnv) -> str:
    return str(expand(text, env))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ user }} {{USER}} {{user.name}} {{user,}} <BOT>", "Kim Kim Kim Kim Nova"),
        ("{{user::x}} {{user x}} {{user-name}}", "{{user::x}} {{user x}} {{user-name}}"),
        ("{{}} {{ }} {user}", "{{}} {{ }} {user}"),
        ("{{{user}}} {{{{user}}}} {{user {{char}}", "{Kim} {{Kim}} {{user Nova"),
        ("{{unknown::{{user}}}} {{ {{char}} }}", "{{unknown::Kim}} {{ Nova }}"),
        (r"\{\{user\}\} \{{user}} \{x\}", r"{{user}} \Kim {x}"),
        ("{{reverse::a:b}} {{reverse:a::b}} {{reverse a::b}} {{reverse::a::b}}", "b:a b::a b::a {{reverse::a::b}}"),
        ("{{reverse::{{reverse::ab}}c}}", "cab"),
        ("{{#user}} {{!user}} {{/char}}", "Kim Kim {{/char}}"),
        ("a\n\n{{trim}}\n\nb {{trim}} c", "ab  c"),
        ("{{trim}} in {{/trim}}|{{space}}|{{space::2}}|{{newline::2}}|{{noop}}", "in| |  |\n\n|"),
        ("{{// a {{user}} }}{{//}}b{{///}}{{comment::c}}|", "|"),
        ("{{newline::x}}{{getvar}}{{setvar x 3}}", "{{newline::x}}{{getvar}}{{setvar x 3}}"),
        ("{{roll:d1+2}} {{roll::3}} [{{roll:x}}]", "3 2 []"),
        ("{{random}}|{{random: a , a }}|{{random::a::a}}|{{pick::b}}", "|a|a|b"),
        ("{{persona}}", "Kim sails. "),
        ("{{setvar::x::5}}{{description}}", "Nova: 5"),
        ("{{greeting}} {{greeting::1}} {{greeting::2}} {{charDepthPrompt}}", "Hi Kim. Ho .  Deep in Nova."),
        ("{{chatStart}} {{reasoningPrefix}} {{isMobile}}", "*** <think> false"),
        ("{{hasExtension::Regex}} {{hasExtension::x}}", "true false"),
        ("{{original}}|{{instructInput}}|{{input}}", "{{original}}||"),
    ],
)
def test_macros_are_read_from_left_to_right(text: str, expected: str, newer: MacroEnv) -> None:
    assert said(text, newer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{if 1}}yes{{/if}}{{if 0}}a{{else}}no{{/if}}{{if !off}}!{{/if}}", "yesno!"),
        ("{{if user}}name{{/if}}{{if nobody}}words{{/if}}{{if {{noop}}}}x{{else}}none{{/if}}", "namewordsnone"),
        ("{{if .x}}a{{else}}b{{/if}}{{.x = 1}}{{if .x}}a{{else}}b{{/if}}{{if !.x}}a{{else}}b{{/if}}", "bab"),
        ("{{if::1::a{{else}}b}}{{if::0::a{{else}} b }}|", "ab|"),
        ("A\n{{if 1}}\n  in\n    ner\n{{/if}}\nB", "A\nin\n  ner\nB"),
        ("{{#if 1}}\n  kept\n{{/if}}|", "\n  kept\n|"),
        ("{{if 1}}{{if 0}}a{{else}}b{{/if}}{{else}}c{{/if}}", "b"),
        ("{{if 0}}{{setvar::s::1}}{{else}}{{/if}}[{{getvar::s}}]", "[]"),
        ("{{if 1}}a {{if 2}}b{{/if}}", "{{if 1}}a b"),
        ("{{if 1}}a{{/if}}{{/if}}{{else}}", "a{{/if}}"),
    ],
)
def test_conditions_choose(text: str, expected: str, newer: MacroEnv) -> None:
    assert said(text, newer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{setvar::t}}\n  {{user}}\n   b\n{{/setvar}}[{{getvar::t}}]", "[Kim\n b]"),
        ("{{setvar::a}}{{setvar::b::1}}y{{/setvar}}{{getvar::a}}{{getvar::b}}", "y1"),
        ("{{reverse}}ab{{user}}{{/reverse}}", "miKba"),
        (
            "{{user}}a{{char}}{{/user}} {{reverse::a}}b{{/reverse}}",
            "{{user}}aNova{{/user}} {{reverse::a}}b{{/reverse}}",
        ),
        ("{{unknown}}a{{user}}{{/unknown}}|{{unknown}}{{/unknown}}", "{{unknown}}aKim}}|{{unknown}}"),
        ("{{reverse}}{{if 1}}abc{{/reverse}}{{/if}}", "cba}}1 fi{{{{/if}}"),
    ],
)
def test_the_last_argument_may_stand_before_an_end(text: str, expected: str, newer: MacroEnv) -> None:
    assert said(text, newer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{setvar::x::3}}{{getvar::x}}|{{addvar::x::4}}{{getvar::x}}|{{incvar::x}}|{{decvar::x}}", "3|7|8|7"),
        ("{{setvar::x::007}}{{getvar::x}} {{setvar::y:: a }}[{{getvar::y}}]", "7 [a]"),
        ("{{hasvar::x}}{{setvar::x::}}{{varexists::x}}{{flushvar::x}}{{hasvar::x}}", "falsetruefalse"),
        ("{{setvarkey::o::a::1}}{{getvar::o}}{{getvarkey::o::a}}{{getvarindex::o::b}}", '{"a":"1"}1'),
        ("{{setvarkey::l::1::a}}{{getvar::l}}{{addvar::l::b}}{{getvar::l}}", '[null,"a"][null,"a","b"]'),
        ("{{setvar::::v}}", "{{setvar::::v}}"),
        ("{{.n = 4}}{{.n}} {{.n += 2}}{{.n}} {{.n++}} {{.n -= 10}}{{.n}} {{.n--}}", "4 6 7 -3 -4"),
        ("{{$g ??= 1}}{{$g}} {{.z ?? none}} {{.z || d}} {{.z ||= e}}{{.z}}", "11 none d ee"),
        ("{{.n = 5}}{{.n == 5}}{{.n == 5.0}}{{.n != 5}}{{.n > 4}}{{.n <= 4}}", "truefalsefalsetruefalse"),
        ("{{.n = a b}}{{ . n }} {{.n = {{user}}}}{{.n}} {{.a-b = 1}}{{.a-b}}", "a b Kim 1"),
        ("{{.x *= 3}} {{.1x}} {{.x ? 1 : 2}} {{++.x}}", "{{.x *= 3}} {{.1x}} {{.x ? 1 : 2}} {{++.x}}"),
    ],
)
def test_variables_are_there_at_once(text: str, expected: str, newer: MacroEnv) -> None:
    assert said(text, newer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{time}} {{time::UTC-5}} {{time_UTC+2}} {{time::x}}", "2:30 PM 9:30 AM 4:30 PM 2:30 PM"),
        ("{{date}}, {{weekday}}, {{isodate}} {{isotime}}", "November 7, 2025, Friday, 2025-11-07 14:30"),
        ("{{datetimeformat::dddd, Do MMMM [at] LT, W}}", "Friday, 7th November at 2:30 PM, 45"),
        ("{{timeDiff::2026-10-01::2026-10-04}}|{{timeDiff::2026-10-04::2026-10-01}}", "3 days ago|in 3 days"),
        ("{{timeDiff::x::y}}", "Invalid date"),
    ],
)
def test_time_is_that_of_the_request(text: str, expected: str, newer: MacroEnv) -> None:
    assert said(text, replace(newer, timestamp="2025-11-07T14:30:05Z", zone="UTC")) == expected


def test_sizes_names_and_the_kind_of_turn_are_the_environments(newer: MacroEnv) -> None:
    env = replace(newer, context_tokens=8192, reply_tokens=300, turn="swipe", group=("Nova", "Ola"), muted=("Ola",))
    text = "{{maxContext}} {{maxResponse}} {{maxPrompt}} {{lastGenerationType}} {{group}} {{groupNotMuted}} {{notChar}}"

    assert said(text, env) == "8192 300 7892 swipe Nova, Ola Nova Ola"
    assert said("{{maxPrompt}}{{notChar}}", replace(newer, context_tokens=None)) == "Kim"
    assert said("{{systemPrompt}}", replace(newer, facts={"systemPrompt": "Be {{char}}."})) == "Be {{char}}."


def test_what_is_in_a_condition_stays_its_authors(newer: MacroEnv) -> None:
    typed = Text.of("{{if 1}} Dear {{user}} {{else}}You{{/if}}!", Origin("preset", "p"))

    done = expand(typed, newer).text

    assert str(done) == "Dear Kim!"
    assert [(span.text, span.origin.kind, span.origin.ref) for span in done.spans if span.text] == [
        ("Dear ", "preset", "p"),
        ("Kim", "macro", "user"),
        ("!", "preset", "p"),
    ]
    causes = [span.cause for span in done.spans if span.cause]
    assert {cause.rule for cause in causes} == {"if", "user"}
    assert causes[0] == Cause("macros", "if", "stood at character 0", words="macro {{if}}, which stood at character 0")


def test_a_step_signs_what_it_rewrites(newer: MacroEnv) -> None:
    done = expand(Text.of("I am {{user}}.", Origin("node", "m1")), newer, processor="my-step").text

    assert [(s.cause.processor, s.cause.rule) for s in done.spans if s.cause] == [("my-step", "macro user")]
    assert "".join(w.text for s in done.spans for w in s.was) == "{{user}}"


def test_what_stays_is_told(newer: MacroEnv) -> None:
    notes = [note.text for note in expand("{{usr}} {{user::x}} {{if 1}}", newer).notes]

    assert notes == [
        "1:1: macro 'usr' is not known and stays; did you mean 'user'?",
        "1:9: macro 'user' stays: takes no arguments, not 1",
        "1:21: macro 'if' stays: takes 2 arguments, not 1",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{usr}}", ["1:1: macro 'usr' is not known and stays; did you mean 'user'?"]),
        ("a\n{{if 1}}b", ["2:1: macro 'if' takes 2 arguments, not 1, or the last one before {{/if}}"]),
        ("b{{/if}}", ["1:2: {{/if}} ends nothing and stays"]),
        ("{{setvar::x}}a{{/setvar}}{{.x += 1}}{{if .x}}b{{/if}}{{random}}", []),
        ("{{random}}a{{/random}}", ["1:1: macro 'random' takes its options inside its braces"]),
        ("{{reverse::{{user}}", ["1:1: macro 'reverse' is not closed and stays; end it with }}"]),
    ],
)
def test_problems_are_found_before_it_is_sent(text: str, told: list[str]) -> None:
    assert [str(problem) for problem in problems(text, NEWER)] == told
