"""Gemini CLI's sessions as JSON lines: the last record of an id counts, and a session goes back."""

import json
from pathlib import Path
from typing import Any

import ctxlab
from ctxlab.recordings.recording import Recording

HEAD: dict[str, Any] = {"sessionId": "s", "projectHash": "h", "startTime": "2026-05-03T10:00:00Z", "kind": "main"}


def user(id: str) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-05-03T10:00:01Z", "type": "user", "content": [{"text": f"text of {id}"}]}


def answer(id: str, tokens: int, **more: Any) -> dict[str, Any]:
    counts = {"input": tokens, "output": 5, "cached": 0, "thoughts": 0, "tool": 0}
    return {"id": id, "type": "gemini", "content": f"text of {id}", "tokens": counts, "model": "gemini-3-pro", **more}


def recorded(folder: Path, *lines: Any) -> Recording:
    path = folder / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ctxlab.read_recording(path)


def sent(recording: Recording) -> list[tuple[int | None, list[str]]]:
    """The input tokens of each request, and the texts that it sent."""
    return [
        (
            request.usage.input,
            [recording.session[node].content for each in request.tree.way_to(request.leaf) for node in each.nodes],
        )
        for request in recording
    ]


def test_lines_are_read_as_the_session_that_they_tell(tmp_path: Path) -> None:
    recording = recorded(tmp_path, HEAD, user("u1"), answer("g1", 100), {"$set": {"lastUpdated": "x"}})
    assert (recording.program, sent(recording)) == ("Gemini CLI", [(100, ["text of u1"])])
    whole = {**HEAD, "messages": [user("u1"), answer("g1", 100)]}
    path = tmp_path / "session.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert sent(ctxlab.read_recording(path)) == sent(recording)


def test_the_last_record_of_an_id_counts_in_the_place_of_the_first(tmp_path: Path) -> None:
    lines = [user("u1"), answer("g1", 1), answer("g1", 100), user("u2"), answer("g2", 200), answer("g1", 101)]
    assert sent(recorded(tmp_path, HEAD, *lines)) == [
        (101, ["text of u1"]),
        (200, ["text of u1", "text of g1", "text of u2"]),
    ]


def test_going_back_ends_a_branch_whose_requests_were_sent_all_the_same(tmp_path: Path) -> None:
    lines = [user("u1"), answer("g1", 1), user("u2"), answer("g2", 2), {"$rewindTo": "u2"}, user("u3"), answer("g3", 3)]
    assert sent(recorded(tmp_path, HEAD, *lines))[1:] == [
        (2, ["text of u1", "text of g1", "text of u2"]),
        (3, ["text of u1", "text of g1", "text of u3"]),
    ]


def test_going_back_to_what_is_not_there_is_a_loss(tmp_path: Path) -> None:
    recording = recorded(tmp_path, HEAD, user("u1"), {"$rewindTo": "gone"}, answer("g1", 1))
    assert sent(recording) == [(1, ["text of u1"])]
    assert next(loss.place for loss in recording.losses) == "line 3"


def test_a_history_that_is_set_anew_counts_no_request_twice(tmp_path: Path) -> None:
    kept = {"$set": {"messages": [user("u2"), answer("g2", 2)]}}
    lines = [user("u1"), answer("g1", 1), user("u2"), answer("g2", 2), kept, user("u3"), answer("g3", 3)]
    assert sent(recorded(tmp_path, HEAD, *lines))[2:] == [(3, ["text of u2", "text of g2", "text of u3"])]
