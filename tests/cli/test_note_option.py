"""`--note TEXT@DEPTH` of the commands that build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlab.cli.inputs.files import load
from ctxlab.cli.inputs.options import CommandOptions

CHAT = [{"role": "user", "content": f"line {n}"} for n in range(4)]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps(CHAT))
    return file


def test_a_note_stands_before_so_many_of_the_last_messages(run, chat: Path) -> None:
    notes = ("--note", "写短一点@2", "--note", "a@b.c is {{user}}@0", "--set", "merge-consecutive.enabled=false")

    sent = json.loads(run("build", chat, *notes, "--format", "json").out)

    words = [each["content"] for each in sent]
    assert words[:5] == ["line 0", "line 1", "写短一点", "line 2", "line 3"]
    assert words[5].startswith("a@b.c is ") and "{{" not in words[5]
    assert sent[2]["role"] == "system"


@pytest.mark.parametrize("command", ["build", "request", "step", "report", "ledger", "compare", "lore", "chat"])
def test_every_command_that_builds_takes_it(run, command: str) -> None:
    assert "--note" in run(command, "--help").out


def test_it_goes_into_the_request_and_is_explained_by_its_name(run, chat: Path) -> None:
    note = ("--note", "Be brief.@1")

    request = json.loads(run("request", chat, "--provider", "openai", *note, "--format", "json").out)
    out = run("explain", chat, *note, "--key", "note").out

    assert "Be brief." in str(request["messages"])
    assert out.startswith("note (preset:global/0)") and "asked for depth 1" in out


def test_a_turn_of_a_chat_takes_it(run, chat: Path, tmp_path: Path) -> None:
    options = load(CommandOptions(chat, notes=["Be brief.@1"], command="chat")).turn_options()
    result = run(
        "chat", chat, "--out", tmp_path / "on.session.json", "--model", "echo", "--note", "Be brief.@1", stdin="hello\n"
    )

    assert [each.content for each in options["presets"]] == ["Be brief."]
    assert result.code == 0, result.err
