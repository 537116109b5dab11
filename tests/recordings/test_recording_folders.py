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


OF_AGENT = [
    {**LINES[0], "isSidechain": True, "agentId": "scout", "uuid": "su"},
    {
        **LINES[1],
        "isSidechain": True,
        "agentId": "scout",
        "uuid": "sa",
        "parentUuid": "su",
        "message": {"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "Sun."}], "usage": {}},
    },
]


def test_logs_of_sub_agents_that_lie_beside_their_log_are_read_with_it(tmp_path: Path) -> None:
    log(tmp_path / "one.jsonl")
    log(tmp_path / "one-agent-scout.jsonl", OF_AGENT)
    log(tmp_path / "agent-of-another.jsonl", [{**line, "sessionId": "t"} for line in OF_AGENT])
    recording = ctxlab.read_recording(tmp_path / "one.jsonl")
    assert [(request.id, request.agent) for request in recording] == [("m1", ""), ("m2", "scout")]
    assert len(ctxlab.read_recording(tmp_path / "agent-of-another.jsonl")) == 1


def test_a_folder_with_a_log_and_its_sub_agents_beside_it_is_that_log(tmp_path: Path) -> None:
    log(tmp_path / "one.jsonl")
    log(tmp_path / "one-agent-scout.jsonl", OF_AGENT)
    assert [request.id for request in ctxlab.read_recording(tmp_path)] == ["m1", "m2"]


def test_a_sub_agents_log_that_cannot_be_read_is_named_with_its_place(tmp_path: Path) -> None:
    log(tmp_path / "one.jsonl")
    broken = tmp_path / "one-agent-scout.jsonl"
    broken.write_text(json.dumps(OF_AGENT[0]) + "\n{{\n", encoding="utf-8")
    recording = ctxlab.read_recording(tmp_path / "one.jsonl")
    assert [request.id for request in recording] == ["m1"]
    assert any(str(broken) in str(loss) for loss in recording.losses)
