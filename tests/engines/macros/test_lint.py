"""What is wrong with a text, before it is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.engines.macros import macro_names, problems


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hi {{usr}}", "1:4: macro 'usr' is not known and stays; did you mean 'user'?"),
        ("a\n\n {{User}}", "3:2: macro 'User' is not known and stays; did you mean 'user'?"),
        ("{{frobnicate::x}}", "1:1: macro 'frobnicate' is not known and stays"),
        ("{{random}}", "1:1: macro 'random' takes 1 or more arguments, not none"),
        ("{{user::x}}", "1:1: macro 'user' takes no arguments, not 1"),
        ("{{getvar::a::b}}", "1:1: macro 'getvar' takes 1 argument, not 2"),
        ("{{random::{{chr}}}}", "1:11: macro 'chr' is not known and stays; did you mean 'char'?"),
        (
            "{{roll:1d6}}",
            "1:1: macro 'roll:1d6' stays: single colons are SillyTavern's spelling; write roll::, or use its dialect",
        ),
        ("{{note: this}}", None),
        ("{{setvar::a::b::c}} {{assets}} {{kb}} {{kb::x}} {{}} {{#if}}", None),
        (r"\{{usr}}", None),
        ("{{user", "1:1: macro 'user' is not closed and stays; end it with }}"),
        ("a {{random::{{user}}::b", "1:3: macro 'random' is not closed and stays; end it with }}"),
        ("{{user} said", "1:1: macro 'user' is not closed and stays; end it with }}"),
        (r"\{{user", None),
        ("f'{{x} {{", None),
        ('{"a": {{"time": 1}', None),
        ("style={{color: 1}", None),
        ("{{time: 3}", None),
    ],
)
def test_problems_are_named_with_their_place(said: str, expected: str | None) -> None:
    assert [str(problem) for problem in problems(said)] == ([] if expected is None else [expected])


@given(st.text(alphabet="{}: \n\"'ab0#%|$,="), st.sampled_from([None, "sillytavern"]))
def test_braces_without_a_name_after_them_are_no_macros(code: str, dialect: str | None) -> None:
    assert not any("not closed" in str(problem) for problem in problems(code, dialect))


@pytest.mark.parametrize(
    ("said", "count"), [("{{roll:1d6}} <USER> {{USER}}", 0), ("{{usr}}", 1), ("{{reverse}}", 1), ("{{random a,b}}", 0)]
)
def test_sillytavern_has_names_of_its_own(said: str, count: int) -> None:
    assert len(problems(said, "sillytavern")) == count


def test_names_are_listed_by_dialect() -> None:
    assert "user" in macro_names()
    assert "reverse" not in macro_names()
    assert {"reverse", "user", "time_UTC"} <= set(macro_names("sillytavern"))
