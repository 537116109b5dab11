"""A folder is the recording that is in it, where there is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError

LINES = [
    {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "sessionId": "s",
        "message": {"role": "user", "content": "Look."},
    },
    {
        "type": "assistant",
        "uuid": "a",
        "parentUuid": "u",
        "sessionId": "s",
        "message": {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": "Fog."}], "usage": {}},
    },
]


def log(path: Path, lines: list[Any] = LINES) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_the_only_log_of_a_folder_is_read_and_the_other_files_are_counted(tmp_path: Path) -> None:
    log(tmp_path / "project" / "one.jsonl")
    (tmp_path / "notes.txt").write_text("User: no recording, though a prompt could be split")
    (tmp_path / "facts.json").write_text("{}")
    recording = ctxlab.read_recording(tmp_path)
    assert [request.id for request in recording] == ["m1"]
    assert "2 other files of the folder left out" in str(recording.losses[-1])


def test_several_are_named_and_logs_of_sub_agents_belong_to_theirs(tmp_path: Path) -> None:
    log(tmp_path / "one.jsonl")
    log(tmp_path / "one" / "subagents" / "agent-scout.jsonl")
    assert len(ctxlab.read_recording(tmp_path)) == 1
    log(tmp_path / "two.jsonl")
    with pytest.raises(
        ReadError, match=r"a folder with 2 recordings, each a file; name one of them: one.jsonl, two.jsonl"
    ):
        ctxlab.read_recording(tmp_path)


def test_a_log_that_is_longer_than_what_is_looked_at_is_recognised(tmp_path: Path) -> None:
    more = {**LINES[0], "message": {"role": "user", "content": "x" * 1000}}
    log(tmp_path / "long.jsonl", [{**more, "uuid": f"u{n}"} for n in range(600)] + LINES)
    assert len(ctxlab.read_recording(tmp_path)) == 1


def test_a_folder_without_one_says_so(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="a folder without a recording that is known; 0 files looked at"):
        ctxlab.read_recording(tmp_path)


def test_the_history_that_aider_hides_is_found(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_text("# aider chat started at 2026-01-01\n\n#### Why?\n\nFog.\n")
    assert ctxlab.read_recording(tmp_path).program == "Aider"


def test_logs_of_sub_agents_that_are_not_linked_are_named(tmp_path: Path) -> None:
    of_agent = [{**line, "isSidechain": True, "agentId": "scout"} for line in LINES]
    log(tmp_path / "one.jsonl")
    log(tmp_path / "one-agent-scout.jsonl", of_agent)
    log(tmp_path / "agent-of-another.jsonl", [{**line, "sessionId": "t"} for line in of_agent])
    (loss,) = [each for each in ctxlab.read_recording(tmp_path / "one.jsonl").losses if "sub-agents" in each.text]
    assert "1 log of its sub-agents lies beside it and is not read: one-agent-scout.jsonl;" in loss.text
    assert "one/subagents/" in loss.text

    log(
        tmp_path / "one" / "subagents" / "agent-scout.jsonl",
        [{**line, "uuid": f"s{line['uuid']}"} for line in of_agent],
    )
    (tmp_path / "one-agent-scout.jsonl").unlink()
    assert not any("sub-agents" in each.text for each in ctxlab.read_recording(tmp_path / "one.jsonl").losses)
    assert not any(
        "sub-agents" in each.text for each in ctxlab.read_recording(tmp_path / "agent-of-another.jsonl").losses
    )
