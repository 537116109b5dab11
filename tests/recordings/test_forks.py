"""A fork begins with the history of the session that it came from: sent again, but counted there."""

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError
from ctxlab.recordings.recording import Recording

PARENT, FORK = "019e0000-0000-7000-8000-000000000001", "019f0000-0000-7000-8000-000000000002"


def written(folder: Path, lines: list[Any], name: str = "log.jsonl") -> Recording:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return ctxlab.read_recording(path)


def inputs(recording: Recording) -> list[int | None]:
    return [request.usage.input for request in recording]


def codex(kind: str, time: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-06-01T10:00:{time}Z", "type": kind, "payload": payload}


def exchange(time: str, question: str, total: int, used: int) -> list[dict[str, Any]]:
    def said(role: str, kind: str, text: str) -> dict[str, Any]:
        return codex("response_item", time, type="message", role=role, content=[{"type": kind, "text": text}])

    counts = {"total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": used}}
    return [
        said("user", "input_text", question),
        said("assistant", "output_text", f"to {question}"),
        codex("event_msg", time, type="token_count", info=counts),
    ]


def fork_of_codex(*, turns: bool, own: str = "31.000") -> list[dict[str, Any]]:
    def turn(time: str, session: str, number: int) -> list[dict[str, Any]]:
        id = f"{session[:8]}-{number:04}-7000-8000-000000000000"
        return [codex("turn_context", time, model="m", **({"turn_id": id} if turns else {}))]

    return [
        codex("session_meta", "30.000", id=FORK, forked_from_id=PARENT, base_instructions={"text": "Be brief."}),
        codex("session_meta", "30.010", id=PARENT, base_instructions={"text": "Be brief."}),
        *turn("30.010", PARENT, 1),
        *exchange("30.010", "q1", 1000, 1000),
        *exchange("30.010", "q2", 2100, 1100),
        *turn(own, FORK, 3),
        *exchange(own, "q3", 3300, 1200),
    ]


@pytest.mark.parametrize(("turns", "own"), [(True, "31.000"), (False, "31.000"), (True, "30.020")])
def test_a_forked_rollout_has_its_own_requests_alone(turns: bool, own: str, tmp_path: Path) -> None:
    recording = written(tmp_path, fork_of_codex(turns=turns, own=own))
    assert inputs(recording) == [1200]
    request = recording.requests[0]
    way = request.tree.way_to(request.leaf)
    assert [recording.session[node].content for message in way for node in message.nodes] == [
        "q1",
        "to q1",
        "q2",
        "to q2",
        "q3",
    ]
    assert f"2 answers are history of session '{PARENT}'" in str(recording.losses[0])


def test_a_rollout_that_is_no_fork_counts_all_of_its_answers(tmp_path: Path) -> None:
    lines = fork_of_codex(turns=True)
    del lines[0], lines[0]["payload"]["base_instructions"]
    assert inputs(written(tmp_path, lines)) == [1000, 1100, 1200]


def claude(uuid: str, parent: str | None, role: str, tokens: int = 0, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": f"text of {uuid}"}
    if tokens:
        message |= {"id": f"msg_{uuid}", "model": "m", "usage": {"input_tokens": tokens, "output_tokens": 1}}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s2", "message": message, **more}


def test_a_branch_of_claude_code_does_not_count_what_it_copied(tmp_path: Path) -> None:
    def copied(uuid: str) -> dict[str, Any]:
        return {"forkedFrom": {"sessionId": "s1", "messageUuid": uuid}}

    lines = [
        claude("u1", None, "user", **copied("u1")),
        claude("a1", "u1", "assistant", 10, **copied("a1")),
        claude("u2", "a1", "user"),
        claude("a2", "u2", "assistant", 30),
    ]
    recording = written(tmp_path, lines)
    assert inputs(recording) == [30]
    assert len(recording.requests[0].messages) == 3
    assert any("history of session 's1'" in str(loss) for loss in recording.losses)
    assert inputs(written(tmp_path, [{**line, "forkedFrom": None} for line in lines])) == [10, 30]


def test_a_fork_of_opencode_does_not_count_what_it_copied(tmp_path: Path) -> None:
    def message(id: str, role: str, created: int, **info: Any) -> dict[str, Any]:
        parts = [{"id": f"p{id}", "type": "text", "text": f"text of {id}"}]
        if role == "assistant":
            parts += [{"id": f"pz{id}", "type": "step-finish", "tokens": {"input": created, "output": 1}}]
        return {"info": {"id": id, "role": role, "time": {"created": created}, **info}, "parts": parts}

    messages = [
        message("m1", "user", 10),
        message("m2", "assistant", 11, modelID="m", providerID="p"),
        message("m3", "user", 50),
        message("m4", "assistant", 51, modelID="m", providerID="p"),
    ]
    path = tmp_path / "session.json"
    found: list[list[int | None]] = []
    for began in (5, 40):
        info = {"id": "ses", "time": {"created": began}}
        path.write_text(json.dumps({"info": info, "messages": messages}), encoding="utf-8")
        found.append(inputs(ctxlab.read_recording(path)))
    assert found == [[11, 51], [51]]


def test_a_log_that_is_nothing_but_history_has_no_request(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no request"):
        written(tmp_path, fork_of_codex(turns=True)[:9])
