"""Find and replace as JavaScript does it, one after another."""

from __future__ import annotations

import pytest

from ctxlab.engines.regexes import Pattern
from ctxlab.engines.regexes.parse_replacement import Replacement, split_at_match
from ctxlab.engines.regexes.replace import changed, replace_all


def rule(body: str, template: str, flags: str = "g", *trim: str) -> Replacement:
    return Replacement(Pattern(body, flags), tuple(split_at_match(template)), trim)


def python(body: str, template: str, *trim: str) -> Replacement:
    return Replacement(Pattern(body, "g", "python"), tuple(split_at_match(template)), trim, "python")


def run(text: str, *rules: Replacement) -> str:
    found = replace_all([text], [tuple(range(len(rules)))], rules)
    for _, changes in found.changes[0]:
        text = changed(text, changes)
    return text


@pytest.mark.parametrize(
    ("text", "body", "template", "result"),
    [
        ("John Smith", r"(\w+) (\w+)", "$2, $1", "Smith, John"),
        ("ab", "(a)", "$10-$2-$0-$00-$01", "a0-$2-$0-$00-ab"),
        ("abc", "b", "[$`|$&|$'|{{match}}|$$|$]", "a[a|b|c|b|$|$]c"),
        ("2024-01", r"(?<y>\d+)-(?<m>\d+)", "$<m>/$<y>$<none>", "01/2024"),
        ("ab", "a", "$<x>", "$<x>b"),
        ("b", "(a)?(b)", "[$1][$2]", "[][b]"),
        ("ab", "", "-", "-a-b-"),
        ("a\r\nb", r"a$", "x", "a\r\nb"),
        ("😀a", ".", "x", "xxx"),
        ("日本語", "本", "(…)", "日(…)語"),
    ],
)
def test_a_replacement_is_javascripts(text: str, body: str, template: str, result: str) -> None:
    assert run(text, rule(body, template)) == result


@pytest.mark.parametrize(
    ("flags", "result"), [("", "Xa\naA"), ("g", "XX\nXA"), ("gi", "XX\nXX"), ("y", "Xa\naA"), ("gmi", "XX\nXX")]
)
def test_flags_are_javascripts(flags: str, result: str) -> None:
    assert run("aa\naA", rule("a", "X", flags)) == result


@pytest.mark.parametrize(
    ("body", "flags", "result"),
    [(".", "gu", "xx"), (r"\ud83d", "g", "x\ude00a"), (r"\ude00", "g", "\ud83dxa"), (r"\ude00a|\ud83d", "g", "xx")],
)
def test_half_a_character_can_be_replaced(body: str, flags: str, result: str) -> None:
    assert run("😀a", rule(body, "x", flags)) == result


def test_halves_that_meet_are_one_character() -> None:
    assert run("😀", rule(r"\ude00", "\ude03")) == "😃"


def test_trim_strings_go_from_groups_but_not_from_the_whole_match() -> None:
    assert run("say *hi*", rule(r"say (\*\w+\*)", "$1 $& {{match}}", "g", "*")) == "hi say *hi* say hi"


@pytest.mark.parametrize("captured", ["$&", "$1", "$$", "{{match}}", "\\1"])
@pytest.mark.parametrize("trim", [(), ("z",)])
def test_captured_text_is_put_in_as_it_is(captured: str, trim: tuple[str, ...]) -> None:
    assert run(f"<{captured}>", rule("<(.*)>", "($1)", "g", *trim)) == f"({captured})"


def test_every_rule_sees_what_the_one_before_left() -> None:
    assert run("abc", rule("a", "b"), rule("b", "c"), rule("^c", "$&!")) == "c!cc"


def test_python_rules_run_between_javascripts() -> None:
    rules = [rule("a", "x$&"), python(r"(?P<one>x)a", r"\g<one>{{match}}\n\\"), rule("\\n", "N")]

    assert run("ab", *rules) == "xxaN\\b"


def test_python_groups_are_trimmed_too() -> None:
    assert run("*a*", python(r"(.+)", r"\1\g<0>", "*")) == "aa"


def test_changes_are_told_in_characters_of_the_text_before_the_rule() -> None:
    found = replace_all(["😀ab"], [(0, 1)], [rule("a", "AA"), rule("b", "")])

    assert found.changes == (((0, ((1, 2, "AA"),)), (1, ((3, 4, ""),))),)


def test_what_stays_the_same_is_no_change() -> None:
    assert replace_all(["aba"], [(0,)], [rule("a", "a")]).changes == ((),)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (rule("(", ""), "doesn't compile"),
        (rule(r"(a+)+\1$", ""), "backtracks in one text"),
        (rule("a", "$`$'$`$'" * 9000), "makes a text longer"),
        (python("(", ""), "doesn't compile"),
        (python("^(a|aa)+$", ""), "backtracks in one text"),
        (python("a", r"\2"), "names group 2"),
        (python("a", r"\g<x>"), "names group 'x'"),
        (python("a", "\\"), "can't be read"),
    ],
)
def test_a_bad_rule_is_left_out_of_every_text(bad: Replacement, why: str) -> None:
    texts, plan = ["a" * 40 + "!", "ba", "!"], (0, 1, 2)

    found = replace_all(texts, [plan] * 3, [rule("b", "a"), bad, rule("!", "?")])

    assert why in found.problems[1]
    assert {number for steps in found.changes for number, _ in steps} == {0, 2}


def test_texts_have_plans_of_their_own() -> None:
    found = replace_all(["ab", "ab"], [(0,), (1, 0)], [rule("a", "b"), rule("b", "a")])

    assert [[number for number, _ in steps] for steps in found.changes] == [[0], [1, 0]]
