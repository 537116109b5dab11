"""OpenCode's second tables: a row a message, each session once, and forks without what they copied."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError

START = 1_767_225_600_000
Row = tuple[str, str, dict[str, Any]]


def said(id: str, second: int, text: str) -> Row:
    return (id, "user", {"text": text, "time": {"created": START + 1000 * second}})


def answer(id: str, second: int, *content: dict[str, Any], read: int = 0, **more: Any) -> Row:
    tokens = {"input": 100, "output": 5, "reasoning": 0, "cache": {"read": read, "write": 2}}
    data = {"agent": "build", "model": {"id": "gpt-5.5", "providerID": "openai"}, "content": content, "tokens": tokens}
    return (id, "assistant", {**data, "time": {"created": START + 1000 * second}, **more})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "id": "t", "text": words}


def look(words: str) -> dict[str, Any]:
    state = {"status": "completed", "input": {"at": "sea"}, "content": [{"type": "text", "text": words}]}
    return {"type": "tool", "id": "call_1", "name": "look", "state": state, "time": {"created": START}}


def database(path: Path, *sessions: tuple[dict[str, Any], list[Row]], old: bool = False) -> Path:
    """A database of the program; with `old` the first tables are there too, with the same messages."""
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE session_v2 (id, parent_id, fork_session_id, title, time_created)")
        made.execute("CREATE TABLE session_message (id, session_id, type, seq, time_created, data)")
        if old:
            made.execute("CREATE TABLE session (id, parent_id, title)")
            made.execute("CREATE TABLE message (id, session_id, time_created, data)")
            made.execute("CREATE TABLE part (id, message_id, session_id, data)")
        for info, rows in sessions:
            id = info["id"]
            facts = (id, info.get("parent_id"), info.get("fork"), "Tides", info.get("created", START))
            made.execute("INSERT INTO session_v2 VALUES (?, ?, ?, ?, ?)", facts)
            if old:
                made.execute("INSERT INTO session VALUES (?, NULL, 'Tides')", (id,))
            for number, (own, kind, data) in enumerate(rows):
                time = data["time"]["created"]
                stored = (own, id, kind, len(rows) + number, time, json.dumps(data))
                made.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?)", stored)
                if old:
                    role = json.dumps({"role": kind, "time": data["time"], "modelID": "gpt-5.5"})
                    made.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (own, id, time, role))
    made.close()
    return path


MAIN = [said("m1", 1, "How high?"), answer("m2", 2, look("4.1 m")), answer("m3", 3, text("It is 4.1 m."), read=60)]


def test_rows_are_requests_with_calls_results_and_the_cache_as_part_of_the_input(tmp_path: Path) -> None:
    recording = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, MAIN)))

    first, second = recording
    assert (recording.program, first.id, second.id, second.model) == ("OpenCode", "m2", "m3", "gpt-5.5")
    assert [message["role"] for message in second.messages] == ["user", "assistant", "tool"]
    assert second.messages[2]["content"] == "4.1 m"
    assert (first.usage.input, second.usage.input, second.usage.cached) == (102, 162, 60)


def test_a_session_that_stands_in_both_generations_of_tables_is_counted_once(tmp_path: Path) -> None:
    recording = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, MAIN), old=True))

    assert [request.usage.input for request in recording] == [102, 162]


def test_what_a_fork_copied_is_no_request_of_it(tmp_path: Path) -> None:
    rows = [*MAIN, said("m4", 11, "And now?"), answer("m5", 12, text("4.3 m."))]
    fork = {"id": "ses_b", "fork": "ses_a", "created": START + 10_000}

    recording = ctxlab.read_recording(database(tmp_path / "opencode.db", (fork, rows)))

    assert [request.id for request in recording] == ["m5"]
    assert len(recording.requests[0].messages) == 5
    assert any("2 answers are history of session 'ses_a'" in loss.text for loss in recording.losses)


def test_a_session_and_its_fork_in_one_database_are_counted_once(tmp_path: Path) -> None:
    copied = [(f"{id}-copy", kind, data) for id, kind, data in MAIN]
    fork = {"id": "ses_b", "parent_id": "ses_a", "created": START + 10_000}
    rows = [*copied, said("m4", 11, "And now?"), answer("m5", 12, text("4.3 m."))]

    recording = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, MAIN), (fork, rows)))

    assert [request.id for request in recording] == ["m2", "m3", "m5"]


def test_after_a_compression_requests_begin_with_the_checkpoint(tmp_path: Path) -> None:
    time = {"created": START + 4000}
    checkpoint = ("m4", "compaction", {"reason": "auto", "summary": "4.1 m at sea.", "recent": "", "time": time})
    rows = [*MAIN, checkpoint, said("m5", 5, "So?"), answer("m6", 6, text("Wait."))]

    last = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, rows))).requests[-1]

    assert [message["role"] for message in last.messages] == ["user", "user"]
    assert "<summary>\n4.1 m at sea.\n</summary>" in last.messages[0]["content"]
    assert last.compaction is not None


@pytest.mark.parametrize(
    ("kind", "data", "role", "words"),
    [
        ("shell", {"command": "ls", "output": "a.txt"}, "user", "Shell command: ls\n\na.txt"),
        ("synthetic", {"text": "A note."}, "user", "A note."),
        ("system", {"text": "The date changed."}, "system", "The date changed."),
    ],
)
def test_other_rows_are_sent_as_the_program_words_them(
    kind: str, data: dict[str, Any], role: str, words: str, tmp_path: Path
) -> None:
    row = ("m0", kind, {**data, "time": {"created": START}})

    recording = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, [row, *MAIN])))

    assert recording.requests[0].messages[0] == {"role": role, "content": words}


def test_a_row_of_another_type_is_a_loss(tmp_path: Path) -> None:
    rows: list[Row] = [*MAIN, ("m9", "hologram", {"text": "?", "time": {"created": START + 9000}})]

    losses = ctxlab.read_recording(database(tmp_path / "opencode.db", ({"id": "ses_a"}, rows))).losses

    assert "a row of type 'hologram', not known; left out" in [loss.text for loss in losses]


def test_empty_second_tables_are_no_recording(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="without the tables of a recording"):
        ctxlab.read_recording(database(tmp_path / "opencode.db"))
