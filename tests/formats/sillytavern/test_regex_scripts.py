"""SillyTavern's regex scripts: read, used, written back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import RegexPreset, RegexRule
from ctxlab.documents.rules import AppliesTo, DepthRange
from ctxlab.formats.sillytavern.regex_scripts import (
    preset_of,
    rule_to_script,
    script_to_rule,
    scripts_json,
    scripts_of,
)

SCRIPT: dict[str, Any] = {
    "id": "5b8c",
    "scriptName": "Stars",
    "findRegex": "/\\*(.+?)\\*/g",
    "replaceString": "<em>$1</em>",
    "trimStrings": ["*", ""],
    "placement": [2, 3, 6],
    "disabled": False,
    "markdownOnly": True,
    "promptOnly": False,
    "runOnEdit": False,
    "substituteRegex": 2,
    "minDepth": None,
    "maxDepth": 4,
    "somebodysOwn": {"colour": "red"},
}


def script(**fields: Any) -> dict[str, Any]:
    return {**SCRIPT, **fields}


def rule_of(**fields: Any) -> RegexRule:
    rule = script_to_rule(script(**fields))
    assert rule is not None
    return rule


def test_a_script_becomes_a_rule() -> None:
    rule = rule_of()

    assert (rule.id, rule.name, rule.regex, rule.flags) == ("5b8c", "Stars", r"\*(.+?)\*", "g")
    assert (rule.apply_to.render, rule.apply_to.request, rule.target_roles) == (True, False, ("assistant",))
    assert (rule.trim_strings, rule.substitution_mode, rule.depth_range) == (("*",), "ESCAPED", DepthRange(max=4))


@pytest.mark.parametrize(
    ("markdown", "prompt", "shown", "sent"),
    [(False, False, True, True), (True, False, True, False), (False, True, False, True), (True, True, True, True)],
)
def test_a_script_says_where_it_runs(markdown: bool, prompt: bool, shown: bool, sent: bool) -> None:
    rule = rule_of(markdownOnly=markdown, promptOnly=prompt)

    assert (rule.apply_to.render, rule.apply_to.request) == (shown, sent)


@pytest.mark.parametrize(
    ("placement", "roles"),
    [
        ([1], ("user",)),
        ([2, 1, 6], ("assistant", "user")),
        ([5], ("system",)),
        ([0], ("system", "user", "assistant")),
        ([3], ()),
        ([6], ()),
        ([], ()),
        (None, ("system", "user", "assistant")),
        ("1", ("system", "user", "assistant")),
    ],
)
def test_placements_become_roles(placement: Any, roles: tuple[str, ...]) -> None:
    assert rule_of(placement=placement).target_roles == roles


@pytest.mark.parametrize(
    ("low", "high", "bounds"), [(None, None, None), (2, None, (2, None)), (-1, -1, None), ("1", 0, (1, 0))]
)
def test_depths_below_nought_are_none(low: Any, high: Any, bounds: Any) -> None:
    depths = rule_of(minDepth=low, maxDepth=high).depth_range

    assert (depths and (depths.min, depths.max)) == bounds


def test_a_dollar_that_says_nothing_there_stays_a_dollar() -> None:
    scripts = [
        script(findRegex="/(b)/g", replaceString="<$0|$1|$$1|$&|'$'|{{match}}>", markdownOnly=False, trimStrings=[])
    ]
    preset, _ = preset_of(scripts, name="p", id="p")

    steps = ctxlab.regex_steps("abc", preset, stage="render")

    assert str(steps) == "a<b|b|$b|$&|'$'|b>c"


def test_without_flags_the_first_match_is_replaced_as_there() -> None:
    once, flagged = rule_of(findRegex="cat", replaceString="dog"), rule_of(findRegex="/cat/g", replaceString="dog")

    assert str(ctxlab.regex_steps("cat cat", once, stage="render")) == "dog cat"
    assert str(ctxlab.regex_steps("cat cat", flagged, stage="render")) == "dog dog"


def test_backslashes_in_replacements_are_taken_as_written() -> None:
    rule = rule_of(findRegex="/x/", replaceString=r"\textbf{x}")

    assert str(ctxlab.regex_steps("x", rule, stage="render")) == r"\textbf{x}"
    assert rule_to_script(RegexRule(regex="x", replacement=r"a\nb"))["replaceString"] == "a\nb"


def test_macros_in_replacements_are_filled_in_as_there() -> None:
    rule = rule_of(findRegex="x", replaceString="{{user}}", substituteRegex=0)

    assert str(ctxlab.regex_steps("x", rule, stage="render", user=ctxlab.UserProfile(name="Ann"))) == "Ann"


def test_a_body_with_slashes_is_not_read_twice() -> None:
    assert str(ctxlab.regex_steps("a /a/", rule_of(findRegex="//a//g", replaceString="x"), stage="render")) == "a x"


def test_files_of_one_script_and_of_several_are_read(tmp_path: Path) -> None:
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    one.write_text(json.dumps(SCRIPT), "utf-8")
    many.write_text(json.dumps([SCRIPT, script(id="2", findRegex="b")]), "utf-8")

    found, several = ctxlab.read(one), ctxlab.read(many)

    assert [rule.name for rule in found.rules[0].rules] == ["Stars"]
    assert found.rules[0].name == "Stars"
    assert [rule.order for rule in several.rules[0].rules] == [0, 1]
    assert several.rules[0].name == "many"
    assert several.format == "sillytavern-regex"


def test_what_cannot_be_read_is_told() -> None:
    odd = script(findRegex="/a/gx", minDepth="deep", disabled="perhaps")

    found = ctxlab.read_data([odd, script(findRegex=""), "no script", SCRIPT])

    assert len(found.rules[0].rules) == 2
    text = "\n".join(map(str, found.losses))
    for part in ("script 1, findRegex", "script 1, minDepth: 'deep'", "script 1, disabled", "script 2", "script 3"):
        assert part in text


FILES = [
    pytest.param(SCRIPT, id="one"),
    pytest.param([SCRIPT, script(id="x", findRegex=""), script(id="5b8c")], id="list"),
    pytest.param([script(findRegex=""), {"scriptName": 3, "findRegex": "a", "minDepth": "1"}, 7], id="odd"),
    pytest.param(script(replaceString="$$ $& $0 {{match}}", placement=[0], markdownOnly=1), id="dollars"),
]


@pytest.mark.parametrize("data", FILES)
def test_writing_what_was_read_changes_nothing(data: Any) -> None:
    preset = ctxlab.read_data(data).rules[0]

    written = scripts_of(preset)

    assert written == (data if isinstance(data, list) else [data])
    assert scripts_of(RegexPreset.model_validate(preset.to_data())) == written


def test_only_what_changed_is_written() -> None:
    rule = rule_of().with_(replacement="$1", target_roles=("user", "assistant"), apply_to=AppliesTo(request=True))

    written = rule_to_script(rule)

    changed = {"replaceString": "$1", "promptOnly": True, "placement": [1, 2, 3, 6]}
    assert written == script(**changed)


@pytest.mark.parametrize(
    "rule",
    [
        RegexRule(id="a", name="n", regex="/x/i", replacement="$& $$ {{match}} $1", flags="gm"),
        RegexRule(id="b", regex="x", flags="", apply_to=AppliesTo(render=False, request=True)),
        RegexRule(id="c", regex="a/b", target_roles=("user",), depth_range=DepthRange(min=1), trim_strings=("t",)),
        RegexRule(id="d", regex="(?P<x>a)", replacement=r"\g<x>", flavor="python", enabled=False),
    ],
)
def test_a_rule_of_ours_comes_back_with_the_same_meaning(rule: RegexRule) -> None:
    back = script_to_rule(rule_to_script(rule))

    assert back is not None
    again = rule_to_script(back.without("carried"))
    assert again == rule_to_script(rule)
    texts = "x X a/b a ta"
    for stage in ("request", "render"):
        ours = ctxlab.regex_steps(texts, rule, stage=stage, depth=2)
        assert str(ctxlab.regex_steps(texts, back, stage=stage, depth=2)) == str(ours)


def test_a_file_is_written(tmp_path: Path) -> None:
    preset = ctxlab.read_data(SCRIPT).rules[0]

    export = ctxlab.write(preset, tmp_path / "out.regex.json")

    assert json.loads((tmp_path / "out.regex.json").read_bytes()) == SCRIPT
    assert export.data == scripts_json(preset).data
