"""The reference's order of evaluation: everything here differs from ours."""

import pytest

from ctxlab.context import Origin, Text, Variables
from ctxlab.engines.macros import MacroEnv, expand


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{{random::{{user}}::x}}", "{{user::x}}"),
        ("{{{user}}}", "{{{user}}}"),
        ("{{incvar::c}}{{incvar::c}}{{getvar::c}}", "1"),
        ("{{getvar::t}} / {{char}}", "hi {{user}} / Nova"),
        ("{{getvar::t}} / {{user}}", "hi Kim / Kim"),
        ("{{getvar::later}}", "2025-11-07"),
        ("{{setvar::n::007}}{{getvar::n}} {{setvar::m::}}{{getvar::m}}", "7 0"),
        ("{{getvar::dollar}}", "cost $5"),
        ("a {{getvar::before}} b", "a [a ] b"),
        (r"\{{user}} {{user}}", "{{user}} Kim"),
        ("__TRIM__ {{user}}", "Kim"),
        ("{{datetime_format::[Today is] YYYY}}", "[Todpmy i5] 2025"),
        ("{{datetime_locale::zh-TW}}", "2025年11月7日星期五 14:30"),
        ("{{datetime_locale::nope}}", "2025年11月7日星期五 14:30"),
        ("{{usr}}", "{{usr}}"),
    ],
)
def test_texts_come_out_as_there(said: str, expected: str, env: MacroEnv) -> None:
    values = {"t": "hi {{user}}", "later": "{{date_ymd}}", "dollar": "cost $$5", "before": "[$`]"}

    assert str(expand(said, env.with_variables(Variables(values)), compat="reference")) == expected


def test_what_is_wrong_stands_in_the_text(env: MacroEnv) -> None:
    expansion = expand("{{random}}", env, compat="reference")

    assert str(expansion) == "[error: random takes 1 or more arguments, not none]"
    assert expansion.count == 1


def test_a_macro_remembers_the_macros_it_was_made_of(env: MacroEnv) -> None:
    typed = Text.of("{{getvar::t}}{{user}}", Origin("preset", "p"))

    expanded = expand(typed, env, compat="reference").text

    assert str(expanded) == "hi KimKim"
    assert Origin("macro", "getvar") in expanded.origins()
    assert [older.text for older in expanded.at(3).was] == ["{{user}}"]
    assert expanded.at(3).was[0].origin == Origin("macro", "getvar")
