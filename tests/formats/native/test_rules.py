"""Rules as ctxlab stores them: read in every shape, written, and turned into SillyTavern's scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import RegexPreset, RegexRule
from ctxlab.documents.rules import AppliesTo
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.formats import convert, read, read_data, rules_json, write

RULE: dict[str, Any] = {"id": "tidy", "regex": "a+", "replacement": "a", "theirs": 1}
SET: dict[str, Any] = {"id": "house", "name": "House", "rules": [RULE], "theirs": [2]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (SET, [("house", 1)]),
        ({"presets": [SET], "bindingMode": "message"}, [("house", 1)]),
        ([SET, {**SET, "id": "inn"}], [("house", 1), ("inn", 1)]),
        ([{"presets": [SET]}, {**SET, "id": "inn"}], [("house", 1), ("inn", 1)]),
        (RULE, [("data", 1)]),
        ([RULE, SET, {**RULE, "id": "b"}], [("house", 1), ("data", 2)]),
        ({"id": "none", "rules": []}, [("none", 0)]),
        ({"rules": [{"regex": "a", "enabled": False}]}, [("data", 1)]),
        ({"presets": [], "bindingMode": "message"}, []),
    ],
)
def test_rules_are_read_in_every_shape(data: Any, told: list[tuple[str, int]]) -> None:
    found = read_data(data)

    assert found.format == "rules"
    assert found.losses == ()
    assert [(preset.id, len(preset.rules)) for preset in found.rules] == told


@pytest.mark.parametrize(
    "data",
    [
        {"rules": [{"pattern": "a"}]},
        {"rules": [], "version": 1, "linter": True},
        {"presets": [{"name": "x"}]},
        {"regex": "a"},
        [{"regex": ["a"], "replacement": "b"}],
    ],
)
def test_what_only_looks_alike_is_not_read(data: Any) -> None:
    with pytest.raises(UnknownFormat):
        read_data(data)


def test_wrong_values_are_losses() -> None:
    data = {"presets": [{**SET, "rules": [RULE, {**RULE, "flavor": "perl"}, 7]}, 7, SET], "bindingMode": "session"}

    found = read_data(data)

    assert [len(preset.rules) for preset in found.rules] == [2, 1]
    assert [preset.id for preset in found.rules] == ["house", "house~2"]
    assert [str(loss).split(":")[0] for loss in found.losses] == [
        "bindingMode",
        "presets.0, the set of rules",
        "presets.0, the set of rules",
        "presets.1",
        "presets.2",
    ]


def test_what_stands_beside_the_presets_is_a_loss() -> None:
    found = read_data({"presets": [SET], "theme": "dark"})

    assert [str(loss) for loss in found.losses] == ["theme: no rules; left out"]


def test_writing_what_was_read_is_identity(tmp_path: Path) -> None:
    data = {"presets": [SET, {"id": "inn", "rules": [{**RULE, "carried": {"sillytavern": {"x": 1}}}], "priority": 5}]}
    (tmp_path / "in.json").write_text(json.dumps(data))

    losses = convert(tmp_path / "in.json", tmp_path / "out.rules.json").losses

    assert losses == ()
    assert json.loads((tmp_path / "out.rules.json").read_bytes()) == data


def test_scripts_come_and_go_as_stored_rules(tmp_path: Path) -> None:
    datasets = Path(__file__).parents[3] / "datasets"
    before = json.loads((datasets / "harbour_rules.json").read_bytes())

    convert(datasets / "harbour_rules.json", tmp_path / "harbour.rules.json")
    losses = convert(tmp_path / "harbour.rules.json", tmp_path / "harbour.regex.json").losses

    assert losses == ()
    assert json.loads((tmp_path / "harbour.regex.json").read_bytes()) == before


def test_a_changed_rule_is_the_only_change_in_the_scripts(tmp_path: Path) -> None:
    datasets = Path(__file__).parents[3] / "datasets"
    rules = ctxlab.read(datasets / "harbour_rules.json").rules[0]

    path = tmp_path / "out.regex.json"
    write(rules.with_rule("short-directions", enabled=False), path)

    before, after = json.loads((datasets / "harbour_rules.json").read_bytes()), json.loads(path.read_bytes())
    assert [a for a, b in zip(after, before, strict=True) if a != b] == [{**before[1], "disabled": True}]


def test_rules_that_an_agent_brings_are_written(tmp_path: Path) -> None:
    agent = {"id": "a", "name": "A", "presetMessages": [], "regexConfig": {"presets": [SET]}}
    (tmp_path / "a.json").write_text(json.dumps(agent))

    losses = convert(tmp_path / "a.json", tmp_path / "out.rules.json").losses

    assert read(tmp_path / "out.rules.json").rules[0].id == "house"
    assert [str(loss) for loss in losses] == ["agent 'a': no rules; left out"]


def test_one_set_of_several_is_picked(tmp_path: Path) -> None:
    write(
        [RegexPreset(id="a"), RegexPreset(id="b", rules=(RegexRule(id="r", regex="x"),))],
        tmp_path / "in.rules.json",
        format="rules",
    )

    with pytest.raises(ReadError, match="2 sets of rules: 'a', 'b'; say which with pick="):
        convert(tmp_path / "in.rules.json", tmp_path / "out.regex.json")
    convert(tmp_path / "in.rules.json", tmp_path / "out.regex.json", pick="b")
    convert(tmp_path / "in.rules.json", tmp_path / "out.rules.json", pick=1)

    assert read(tmp_path / "out.regex.json").format == "sillytavern-regex"
    assert [preset.id for preset in read(tmp_path / "out.rules.json").rules] == ["b"]


def test_what_a_script_cannot_say_is_a_loss(tmp_path: Path) -> None:
    rules = (
        RegexRule(id="nowhere", regex="a", apply_to=AppliesTo(render=False)),
        RegexRule(id="code", regex="a", replacement_type="script", script_content="return 1"),
        RegexRule(id="waits", regex="a", apply_in_streaming=False, target_roles=("user", "tool")),
        RegexRule(id="off", regex="a", enabled=False),
    )
    write(
        [RegexPreset(id="a", rules=rules, enabled=False, model_match={"enabled": True})],
        tmp_path / "in.rules.json",
        format="rules",
    )  # type: ignore[arg-type]

    losses = convert(tmp_path / "in.rules.json", tmp_path / "out.regex.json").losses

    named = [f"rule {id!r}" for id in ("nowhere", "code", "waits", "waits")]
    assert [loss.place for loss in losses] == ["", "modelMatch", *named]


def test_b6_a_script_rule_without_code_is_written_as_the_plain_rule_that_it_also_is(tmp_path: Path) -> None:
    rule = RegexRule(id="code", regex="a", replacement="b", replacement_type="script")
    write(RegexPreset(id="a", rules=(rule,)), tmp_path / "in.rules.json")

    (loss,) = convert(tmp_path / "in.rules.json", tmp_path / "out.regex.json").losses

    assert (
        str(loss) == "rule 'code': it is for code and has none; it is written as the find and replace that it also is"
    )
    written = json.loads((tmp_path / "out.regex.json").read_bytes())
    assert (written["disabled"], written["findRegex"], written["replaceString"]) == (False, "/a/gm", "b")


@pytest.mark.parametrize(
    "preset",
    [
        RegexPreset.model_validate(SET),
        RegexPreset(id="bare", rules=()),
        RegexPreset.model_validate({"id": "a", "theirs": 1, "rules": [{"regex": "x"}, {"regex": "y", "theirs": 2}]}),
    ],
)
def test_what_is_written_is_read_whatever_it_is(preset: RegexPreset) -> None:
    found = read_data(json.loads(rules_json([preset, RegexPreset(id="other")]).data))

    assert (found.losses, found.format) == ((), "rules")
    assert found.rules[0] == preset
    assert [each.id for each in found.rules] == [preset.id, "other"]
