"""Texts that are made to break things: they end, they are told of, and nothing is lost."""

import sys

import pytest

from ctxlab.context import Variables
from ctxlab.engines.macros import MacroEnv, expand, problems

N = 3_000
TEXTS = {
    "opened": "{{" * N,
    "closed": "}}" * N,
    "opened and closed": "{{" * N + "}}" * N,
    "unknown around unknown": "{{x::" * N + "}}" * N,
    "a name in many braces": "{{" * N + "user" + "}}" * N,
    "escapes": "\\{{" * N + "}}" * N,
    "threes": "{{{" * N + "}}}" * N,
    "single": "{{a}" * N,
    "separators": "{{x" + "::" * N + "}}",
}


@pytest.mark.parametrize("dialect", [None, "sillytavern"])
@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_braces_without_end_are_text(said: str, dialect: str | None, env: MacroEnv) -> None:
    expansion = expand(said, env.speaking(dialect))

    assert len(str(expansion)) >= len(said) - N
    assert "".join(span.text for span in expansion.text.spans) == str(expansion)
    assert len(expansion.notes) <= 20
    assert len(problems(said, dialect)) <= 201


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_the_references_order_ends_too(said: str, env: MacroEnv) -> None:
    assert len(str(expand(said, env, compat="reference"))) >= len(said) - N


def test_macros_nest_only_so_deep(env: MacroEnv) -> None:
    layers = 60

    expansion = expand("{{repeat::" * layers + "x" + "::1}}" * layers, env)

    assert str(expansion) == "{{repeat::" * 10 + "x" + "::1}}" * 10
    assert ["more than 50 deep" in note.text for note in expansion.notes] == [True]
    assert expansion.text.as_data()
    assert layers < sys.getrecursionlimit()


def test_what_macros_give_has_an_end(env: MacroEnv) -> None:
    bomb = "{{repeat::{{repeat::{{repeat::xx::1000}}::1000}}::1000}}"

    expansion = expand(bomb, env)

    assert str(expansion) == f"{{{{repeat::{{{{repeat::{'xx' * 1000}::1000}}}}::1000}}}}"
    assert len(expansion.notes) == 1


def test_a_variable_cant_grow_without_end(env: MacroEnv) -> None:
    said = "{{setvar::a::0123456789}}" + "{{setvar::a::{{getvar::a}}{{getvar::a}}}}" * 60

    variables = expand(said, env.with_variables(Variables())).variables

    assert len(str(variables.session["a"])) < 2_000_000


def test_patterns_in_a_value_cant_grow_without_end(env: MacroEnv) -> None:
    env = env.with_variables(Variables({"x": "$`$`"}))

    assert len(expand("{{getvar::x}}" * 200, env, compat="reference").text) < 2_000_000
