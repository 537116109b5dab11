"""`ctxlab build --sillytavern`: the next request of a chat in the program's data folder."""

from __future__ import annotations

import json
from pathlib import Path

import ctxlab
from tests.cli.conftest import Run
from tests.sillytavern.small_folder import SAID, write_folder


def test_the_messages_are_those_of_the_call(run: Run, tmp_path: Path) -> None:
    folder = write_folder(tmp_path)

    named = ("--sillytavern", folder, "--chat", "evening")
    typed = run("build", *named, "--pending", "Row, {{char}}.", "--format", "json")

    expected = ctxlab.sillytavern(folder, chat="evening", text="Row, {{char}}.").build()
    assert json.loads(typed.out) == json.loads(json.dumps(list(map(dict, expected.messages))))
    assert "Row, Odo." in typed.out


def test_a_kind_of_turn_and_settings_are_taken(run: Run, tmp_path: Path) -> None:
    folder = write_folder(tmp_path, said=SAID[:3], worlds={"sea": "Fish oil."}, metadata={"world_info": "sea"})

    swiped = run("build", "--sillytavern", folder, "--kind", "swipe")
    shallow = run("build", "--sillytavern", folder, "--set", "injection-assembler.enabled=false")

    assert swiped.code == 0
    assert "We do." not in swiped.out
    assert "Stay brief." not in shallow.out


def test_a_file_and_a_data_folder_are_not_both_taken(run: Run, tmp_path: Path) -> None:
    folder = write_folder(tmp_path)

    assert "one of them" in run("build").err
    assert "one of them" in run("build", folder / "chats/odo/evening.jsonl", "--sillytavern", folder).err
    assert "of --sillytavern" in run("build", folder / "chats/odo/evening.jsonl", "--chat", "evening").err


def test_a_chat_that_is_not_there_is_named_in_one_line(run: Run, tmp_path: Path) -> None:
    result = run("build", "--sillytavern", write_folder(tmp_path), "--chat", "noon")

    assert result.code != 0
    assert "has no chat 'noon'; there are: 'odo/evening'" in result.err
