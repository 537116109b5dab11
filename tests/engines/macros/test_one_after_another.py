"""SillyTavern's older macro engine, as the program itself answers with the newer one switched off."""

from dataclasses import replace

import pytest

from ctxlab.context import Variables
from ctxlab.documents import Agent
from ctxlab.engines.macros import MacroEnv, expand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{user}} {{USER}} {{ user }} <bot>", "Kim Kim {{ user }} Nova"),
        ("{{setvar::x::3}}{{getvar::x}}|{{addvar::x::4}}{{getvar::x}}|{{incvar::x}}|{{decvar::x}}", "7|7|8|7"),
        ("{{getvar::x}}{{setvar::x::1}}\n{{incvar::x}}", "2\n2"),
        ("{{setvar::x::a::b}}[{{getvar::x}}]{{setvar::y:: p }}[{{getvar::y}}]", "[a::b][ p ]"),
        ("{{setvar::{{user}}::1}}{{getvar::Kim}}|{{getvar::{{user}}}}", "|}}"),
        ("{{reverse:abc}}|{{reverse::abc}}|{{reverse abc}}|{{reverse:{{user}}}}", "cba|cba:|{{reverse abc}}|miK"),
        ("{{// {{user}} }}|{{newline}}|{{newline::2}}|{{noop}}", "|\n|{{newline::2}}|"),
        ("a\n\n{{trim}}\n\nb {{trim}} c", "ab  c"),
        ("{{roll:1d1}} {{roll:d1+2}} [{{roll::1d1}}] {{random: a , a }} {{random a}}", "1 3 [] a {{random a}}"),
        ("{{if 1}}a{{/if}}{{.x = 1}}{{hasvar::x}}{{space}}", "{{if 1}}a{{/if}}{{.x = 1}}{{hasvar::x}}{{space}}"),
        (r"\{\{user\}\} \{{user}} {{{user}}}", r"\{\{user\}\} \Kim {Kim}"),
        ("{{unknown::{{user}}}}", "{{unknown::Kim}}"),
        ("{{persona}}", "Kim sails {{persona}}"),
        ("{{setvar::x::5}}{{description}}", "Nova: Dry.{{description}}"),
        ('{{time_UTC+2}} {{time::UTC+2}} {{datetimeformat YYYY}} {{banned "x"}}', "4:30 PM {{time::UTC+2}} 2025 "),
        ("{{timeDiff::2026-10-01::2026-10-04}} {{currentSwipeId}}", "3 days ago NaN"),
    ],
)
def test_one_name_after_another_is_replaced(text: str, expected: str, env: MacroEnv) -> None:
    card = "{{char}}: {{personality}}{{getvar::x}}{{description}}"
    old = replace(
        env, persona="{{user}} sails {{persona}}", description=card, personality="Dry.", agent=Agent(name="Nova")
    )
    old = replace(old, engine="sillytavern-old", variables=Variables(), timestamp="2025-11-07T14:30:05Z", zone="UTC")

    assert str(expand(text, old)) == expected
