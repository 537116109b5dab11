"""OpenCode's sessions: what it exports, stores in folders, and stores in a database, are the same requests."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError

START = 1_767_225_600_000
Message = dict[str, Any]


def tokens(given: int, read: int = 0, output: int = 5, **more: Any) -> dict[str, Any]:
    return {"input": given, "output": output, "reasoning": 0, "cache": {"read": read, "write": 2}, **more}


def user(id: str, second: int, *parts: dict[str, Any]) -> Message:
    info = {"id": id, "role": "user", "time": {"created": START + 1000 * second}, "agent": "build"}
    return {"info": info, "parts": named(id, parts)}


def answer(id: str, second: int, *parts: dict[str, Any], **info: Any) -> Message:
    time = {"created": START + 1000 * second, "completed": START + 1000 * second + 500}
    about = {"role": "assistant", "modelID": "claude-x", "providerID": "anthropic", "agent": "build", "finish": "stop"}
    return {"info": {"id": id, "time": time, **about, **info}, "parts": named(id, parts)}


def named(message: str, parts: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [{"id": f"prt_{message}_{number}", "messageID": message, **part} for number, part in enumerate(parts)]


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def tool(call: str, output: str, *, compacted: int | None = None, begun: str | None = None) -> dict[str, Any]:
    time = {"start": START, "end": START + 1, **({"compacted": START + 1000 * compacted} if compacted else {})}
    metadata = {"sessionId": begun} if begun else {}
    state = {"status": "completed", "input": {"at": "sea"}, "output": output, "time": time, "metadata": metadata}
    return {"type": "tool", "callID": call, "tool": "look", "state": state}


def finish(count: dict[str, Any]) -> dict[str, Any]:
    return {"type": "step-finish", "reason": "stop", "tokens": count}


MAIN: list[Message] = [
    user("msg_01", 1, text("灯塔在哪里？"), text("no", ignored=True)),
    answer("msg_02", 2, {"type": "step-start"}, tool("c1", "fog " * 9, compacted=5, begun="ses_b"), finish(tokens(10))),
    answer("msg_03", 4, text("East."), finish(tokens(3, 12, reasoning=4, total=26))),
    user("msg_04", 6, text("Why?")),
    answer("msg_05", 7, text("Rocks."), finish(tokens(4, 20))),
    user("msg_06", 8, {"type": "compaction", "auto": True}),
    answer("msg_07", 9, text("Fog, then east."), finish(tokens(30)), summary=True, agent="sum", parentID="msg_06"),
    user("msg_08", 10, text("And?")),
    answer("msg_09", 11, error={"name": "APIError", "data": {"message": "overloaded"}}),
    answer("msg_10", 12, text("Home."), finish(tokens(6))),
]  # fmt: skip
SUB: list[Message] = [
    user("msg_11", 2, text("look")),
    answer("msg_12", 3, text("fog"), finish(tokens(2)), agent="scout"),
]
INFO = {"id": "ses_a", "title": "Lights", "time": {"created": START}}
BELOW = {"id": "ses_b", "title": "look", "parentID": "ses_a", "time": {"created": START}}


def dump(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


def store(root: Path, info: dict[str, Any], messages: list[Message]) -> None:
    dump(root / "session" / "project" / f"{info['id']}.json", info)
    for message in messages:
        own = message["info"]["id"]
        dump(root / "message" / info["id"] / f"{own}.json", message["info"])
        for part in message["parts"]:
            dump(root / "part" / own / f"{part['id']}.json", part)


def database(path: Path, *sessions: tuple[dict[str, Any], list[Message]]) -> None:
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE session (id, parent_id, title)")
        made.execute("CREATE TABLE message (id, session_id, time_created, data)")
        made.execute("CREATE TABLE part (id, message_id, session_id, data)")
        for info, messages in sessions:
            made.execute("INSERT INTO session VALUES (?, ?, ?)", (info["id"], info.get("parentID"), info["title"]))
            for message in messages:
                own = {key: value for key, value in message["info"].items() if key != "id"}
                id = message["info"]["id"]
                made.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (id, info["id"], 0, json.dumps(own)))
                for part in message["parts"]:
                    row = (part["id"], id, info["id"], json.dumps(part))
                    made.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    made.close()


def told(recording: ctxlab.Recording) -> list[Any]:
    return [
        (request.id, request.agent, request.parent, request.usage, request.messages, request.error)
        for request in recording
    ]


@pytest.fixture
def recording(tmp_path: Path) -> ctxlab.Recording:
    dump(tmp_path / "export.json", {"info": INFO, "messages": MAIN})
    return ctxlab.read_recording(tmp_path / "export.json")


def test_each_answer_is_a_request_with_what_was_sent_until_then(recording: ctxlab.Recording) -> None:
    first, second, third, summary, failed, last = recording
    assert (recording.program, recording.session.check()) == ("OpenCode", ())
    assert [request.id for request in recording] == ["msg_02", "msg_03", "msg_05", "msg_07", "msg_09", "msg_10"]
    assert first.messages == [{"role": "user", "content": "灯塔在哪里？"}]
    assert [message["role"] for message in second.messages] == ["user", "assistant", "tool"]
    assert (first.model, first.vendor, first.duration, first.payload) == ("claude-x", "anthropic", 0.5, None)
    assert (failed.error, failed.messages) == ("APIError: overloaded", last.messages)
    assert (summary.agent, third.agent) == ("compaction", "")


def test_tokens_are_all_of_the_input_and_all_of_the_output(recording: ctxlab.Recording) -> None:
    first, second, *_ = (request.usage for request in recording)
    assert (first.input, first.cached, first.written, first.output) == (12, 0, 2, 5)
    assert (second.input, second.cached, second.output, second.reasoning) == (17, 12, 9, 4)


def test_a_result_is_whole_until_it_was_cleared(recording: ctxlab.Recording) -> None:
    sent = {request.id: [m["content"] for m in request.messages if m["role"] == "tool"] for request in recording}
    assert sent["msg_03"] == ["fog " * 9]
    assert sent["msg_05"] == ["[Old tool result content cleared]"]


def test_a_compression_begins_anew_with_the_summary(recording: ctxlab.Recording) -> None:
    after = [request for request in recording if request.compaction]
    assert [(request.id, (request.compaction or {})["auto"]) for request in after] == [("msg_09", True)]
    assert [message["content"] for message in after[0].messages] == [
        "What did we do so far?",
        "Fog, then east.",
        "And?",
    ]


def test_messages_that_a_compression_keeps_follow_the_summary(tmp_path: Path) -> None:
    kept = [*MAIN[:5], user("msg_06", 8, {"type": "compaction", "auto": False, "tail_start_id": "msg_04"}), *MAIN[6:]]
    dump(tmp_path / "export.json", {"info": INFO, "messages": kept})
    last = ctxlab.read_recording(tmp_path / "export.json").requests[-1]
    words = [message["content"] for message in last.messages]
    assert words == ["What did we do so far?", "Fog, then east.", "Why?", "Rocks.", "And?"]


def test_a_storage_and_a_database_are_the_same_with_their_sub_agents(
    tmp_path: Path, recording: ctxlab.Recording
) -> None:
    store(tmp_path / "data" / "storage", INFO, MAIN)
    store(tmp_path / "data" / "storage", BELOW, SUB)
    (tmp_path / "home").mkdir()
    database(tmp_path / "home" / "opencode.db", (INFO, MAIN), (BELOW, SUB))
    folder = ctxlab.read_recording(tmp_path / "data")
    assert [row for row in told(folder) if row[1] != "scout"] == told(recording)
    assert [(row[0], row[2]) for row in told(folder) if row[1] == "scout"] == [("msg_12", "msg_02")]
    for path in ("data/storage", "data/storage/session/project/ses_a.json", "home", "home/opencode.db"):
        assert told(ctxlab.read_recording(tmp_path / path)) == told(folder)
    assert "sub-agents" in str(recording.losses) and "sub-agents" not in str(folder.losses)
    assert [file.name for file in (tmp_path / "home").iterdir()] == ["opencode.db"]


def test_a_storage_with_several_sessions_names_them_and_one_is_read_by_its_file(tmp_path: Path) -> None:
    store(tmp_path, INFO, MAIN)
    store(tmp_path, {"id": "ses_c", "title": "Oil", "time": {"created": START}}, SUB)
    with pytest.raises(
        ReadError, match=r"holds 2 recordings: ses_a \('Lights'\), ses_c \('Oil'\); read one by its file"
    ):
        ctxlab.read_recording(tmp_path)
    recording = ctxlab.read_recording(tmp_path / "session" / "project" / "ses_c.json")
    assert ([request.id for request in recording], recording.source) == (["msg_12"], "ses_c")


def test_several_steps_of_one_answer_are_requests_of_their_own(tmp_path: Path) -> None:
    parts = [tool("c1", "fog"), finish(tokens(5)), text("East."), finish(tokens(9))]
    dump(tmp_path / "a.json", {"info": INFO, "messages": [MAIN[0], answer("msg_02", 2, *parts, tokens=tokens(9))]})
    first, second = ctxlab.read_recording(tmp_path / "a.json")
    assert (first.usage.input, second.usage.input) == (7, 11)
    assert [message["role"] for message in second.messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    "message", [7, {}, {"info": {"role": "user"}, "parts": []}, {"info": {"role": 3}, "parts": ["x"]}]
)
def test_broken_messages_cost_themselves(tmp_path: Path, message: Any) -> None:
    dump(tmp_path / "a.json", {"info": INFO, "messages": [*MAIN[:3], message, {"info": [], "parts": 1}]})
    recording = ctxlab.read_recording(tmp_path / "a.json")
    assert [request.id for request in recording] == ["msg_02", "msg_03"]
    assert recording.session.check() == ()
