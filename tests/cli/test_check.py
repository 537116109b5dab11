"""`ctxlab check`: findings for people and for programs, and an exit code by severity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import DATASETS, Dumped, Run

SAMPLE = DATASETS / "tidebook_agent.ctxrec.jsonl"


@pytest.fixture
def talk(tmp_path: Path, dumped: Dumped) -> Path:
    """A conversation with a warning and an error in it."""
    key = "sk-" + "proj-4fT9aZ1bQ7cX2dW8eV3gU5hS"
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Hi \u202e {key}"}]
    return dumped(tmp_path / "talk.json", messages)


def test_a_recording_is_checked_and_its_findings_are_told(run: Run) -> None:
    result = run("check", SAMPLE)

    assert result.code == 1
    assert "warning Tools that are never called  unused-tools" in result.out
    assert "→ Leave them out of the request" in result.out
    assert result.out.splitlines()[-1].endswith("rules asked")


def test_a_conversation_is_built_first(run: Run, talk: Path) -> None:
    result = run("check", talk)

    assert result.code == 1
    assert "secret" in result.out and "sk-***" in result.out and "4fT9aZ1bQ7" not in result.out + result.err
    assert "node:" in result.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--ignore", "secret"), 1),
        (("--ignore", "secret", "--fail-on", "error"), 0),
        (("--fail-on", "error"), 1),
        (("--fail-on", "never"), 0),
        (("--rule", "text-twice"), 0),
        (("--rule", "hidden-characters", "--level", "error"), 1),
        (("--ignore", "secret", "--ignore", "hidden-characters", "--fail-on", "note"), 0),
    ],
)
def test_the_exit_code_goes_by_severity(run: Run, talk: Path, options: tuple[str, ...], code: int) -> None:
    assert run("check", talk, *options).code == code


def test_the_level_says_what_is_printed(run: Run, talk: Path) -> None:
    result = run("check", talk, "--level", "error")

    assert "hidden-characters" not in result.out and "1 finding of lower levels" in result.out


def test_json_and_sarif_are_for_programs(run: Run, talk: Path) -> None:
    found = json.loads(run("check", talk, "--format", "json").out)
    sarif = json.loads(run("check", talk, "--format", "sarif").out)

    assert [each["rule"] for each in found["findings"]] == ["secret", "hidden-characters"]
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["secret", "hidden-characters"]
    uri = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.endswith("talk.json")


def test_a_prompt_that_is_one_text_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("You are a lamp \u202e.\n", encoding="utf-8")

    assert "hidden-characters" in run("check", tmp_path / "prompt.md").out


def test_a_folder_is_read_as_its_only_recording_and_else_as_its_only_conversation(run: Run, tmp_path: Path) -> None:
    for name, beside in (("one", SAMPLE), ("two", DATASETS / "harbour_roleplay.session.json")):
        (tmp_path / name).mkdir()
        (tmp_path / name / beside.name).write_bytes(beside.read_bytes())

    assert "unused-tools" in run("check", tmp_path / "one").out
    assert run("check", tmp_path / "two").code == 0


def test_a_rule_that_is_not_there_is_refused(run: Run, talk: Path) -> None:
    result = run("check", talk, "--rule", "unused-tool")

    assert result.code == 2
    assert "there is no rule 'unused-tool' of findings" in result.err and "unused-tools" in result.err
