"""Logs of programs become recordings: requests in order, which point into one tree, and what isn't known is a loss."""

from __future__ import annotations

import json
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError, UnknownFormat, UnknownName
from ctxlab.recordings.readers import databases
from ctxlab.recordings.recorder.exchange_log import ExchangeLog

ANTHROPIC = "https://api.anthropic.com/v1/messages"
CHAT = "https://api.openai.com/v1/chat/completions"
ASK = {"role": "user", "content": "灯塔在哪里？"}
BODY = {"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": [ASK]}
USAGE = {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 4, "output_tokens": 2}
REPLY = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "East."}]}


def written(path: Path, data: Any) -> Path:
    lines = isinstance(data, list) and path.suffix == ".jsonl"
    path.write_text("\n".join(map(json.dumps, data)) if lines else json.dumps(data), encoding="utf-8")
    return path


def pair(body: Any, reply: Any, url: str = ANTHROPIC, status: int = 200) -> dict[str, Any]:
    return {
        "request": {"uri": url, "method": "POST", "body": json.dumps(body)},
        "response": {
            "status": {"code": status},
            "body": {"string": reply if isinstance(reply, str) else json.dumps(reply)},
        },
    }


def test_a_cassette_gives_requests_with_replies_usage_and_payload(tmp_path: Path) -> None:
    data = {"interactions": [pair(BODY, {**REPLY, "usage": USAGE}), pair({"q": 1}, {}, "https://example.com/flags")]}
    recording = ctxlab.read_recording(written(tmp_path / "tape.json", data))
    (request,) = recording.requests
    assert request.payload == BODY and request.whole
    assert (request.model, request.vendor, request.wire) == ("claude-x", "anthropic", "anthropic")
    usage = request.usage
    assert (usage.input, usage.cached, usage.written, usage.output, usage.reasoning) == (17, 10, 4, 2, None)
    assert [message["role"] for message in request.trace.messages] == ["system", "user"]
    assert recording.session.path()[-1].content == "East."
    assert [loss.place for loss in recording.losses] == ["pair 2"]


def test_a_stream_is_put_together_and_an_error_is_told(tmp_path: Path) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
    stream = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    body = {"model": "m", "messages": [ASK]}
    error = {"error": {"message": "no credit"}}
    data = {"interactions": [pair(body, stream, CHAT), pair(body, error, CHAT, 402)]}
    first, second = ctxlab.read_recording(written(tmp_path / "tape.json", data))
    assert first.reply is not None and first.reply["choices"][0]["message"]["content"] == "Hi"
    assert (second.reply, second.error) == (None, "status 402: no credit")


def test_a_har_is_read_with_its_times(tmp_path: Path) -> None:
    entry = {
        "startedDateTime": "2026-01-01T00:00:00Z",
        "time": 1500,
        "request": {"url": ANTHROPIC, "method": "POST", "postData": {"text": json.dumps(BODY)}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(REPLY)}},
    }
    har = {"log": {"creator": {"name": "proxy"}, "entries": [entry]}}
    recording = ctxlab.read_recording(written(tmp_path / "a.har", har))
    (request,) = recording
    assert (recording.program, request.time, request.duration) == ("proxy", "2026-01-01T00:00:00Z", 1.5)


def test_json_lines_of_pairs_and_bodies_alone_are_read(tmp_path: Path) -> None:
    pairs = [{"request": BODY, "response": REPLY}, {"request": BODY, "response": REPLY}]
    assert len(ctxlab.read_recording(written(tmp_path / "pairs.jsonl", pairs))) == 2
    alone = ctxlab.read_recording(written(tmp_path / "body.json", BODY))
    assert [request.payload for request in alone] == [BODY]
    reply = ctxlab.read_recording(written(tmp_path / "reply.json", {**REPLY, "usage": USAGE}))
    assert [(request.payload, request.usage.input) for request in reply] == [(None, 17)]
    assert "only the reply is known" in str(reply.losses[0])


def test_what_the_recorder_wrote_is_read_as_it_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "talk.ctxrec.jsonl"
    bodies = [BODY, {**BODY, "messages": [ASK, {"role": "assistant", "content": "East."}, {**ASK, "content": "Why?"}]}]
    with ExchangeLog(path) as log:
        for body in bodies:
            one = log.begin("POST", ANTHROPIC, [], json.dumps(body).encode())
            one.head(200, [("content-type", "application/json")])
            one.piece(json.dumps({**REPLY, "usage": USAGE}).encode())
            one.end("whole")
    recording = ctxlab.read_recording(path)
    assert [request.payload for request in recording] == bodies
    assert [request.new_messages for request in recording] == [1, 2]
    assert len({request.head.id for request in recording}) == 1
    with path.open("ab") as file:
        file.write(b'{"type": "mess')
    torn = ctxlab.read_recording(path)
    assert len(torn) == 2 and "torn" in str(torn.losses[-1])


def line(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def answer(uuid: str, parent: str, id: str, block: Any, **more: Any) -> dict[str, Any]:
    return line(uuid, parent, "assistant", [block], message={"id": id, "model": "claude-x", "usage": USAGE}, **more)


CALLS = [{"type": "tool_use", "id": f"t{n}", "name": "Task", "input": {"prompt": f"look {n}"}} for n in (1, 2)]


def test_claude_codes_usage_counts_once_and_results_of_one_answer_stand_together(tmp_path: Path) -> None:
    results = [[{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"fog {n}"}] for n in (1, 2)]
    lines = [
        line("u1", None, "user", "Look."),
        answer("a1", "u1", "msg_1", CALLS[0]),
        answer("a2", "a1", "msg_1", CALLS[1]),
        line("r1", "a1", "user", results[0]),
        line("r2", "a2", "user", results[1]),
        answer("a3", "r2", "msg_2", {"type": "text", "text": "Fog."}),
        line("side", None, "user", "look 1", isSidechain=True, agentId="scout"),
        answer("side2", "side", "msg_3", {"type": "text", "text": "fog 1"}, isSidechain=True, agentId="scout"),
    ]
    recording = ctxlab.read_recording(written(tmp_path / "log.jsonl", lines))
    assert [(request.id, request.usage.input) for request in recording] == [("msg_1", 17), ("msg_2", 17), ("msg_3", 17)]
    assert [request.message_count for request in recording] == [1, 4, 1]
    assert [(request.agent, request.parent) for request in recording] == [("", None), ("", None), ("scout", "msg_1")]
    assert list(recording.agents) == ["", "scout"]
    assert recording.request("msg_2").payload is None


def test_sub_agents_of_claude_code_are_read_from_the_folder_beside_the_log(tmp_path: Path) -> None:
    log = [line("u1", None, "user", "Look."), answer("a1", "u1", "msg_1", CALLS[0])]
    side = [
        line("s1", None, "user", "look 1", isSidechain=True, agentId="scout"),
        answer("s2", "s1", "msg_2", {"type": "text", "text": "fog"}, isSidechain=True, agentId="scout"),
    ]
    folder = tmp_path / "log" / "subagents"
    folder.mkdir(parents=True)
    written(folder / "agent-scout.jsonl", side)
    recording = ctxlab.read_recording(written(tmp_path / "log.jsonl", log))
    assert [(request.agent, request.parent) for request in recording] == [("", None), ("scout", "msg_1")]


def test_a_rollout_of_codex_ends_a_request_where_the_count_grew(tmp_path: Path) -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    def count(total: int, last: int) -> dict[str, Any]:
        info = {"total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": last}}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}

    ask = item(type="message", role="user", content=[{"type": "input_text", "text": "Look."}])
    call = item(type="function_call", call_id="c1", name="look", arguments="{}")
    fog = item(type="function_call_output", call_id="c1", output="fog")
    said = item(type="message", role="assistant", content=[{"type": "output_text", "text": "Fog."}])
    history = {"type": "compacted", "payload": {"message": "Fog.", "replacement_history": [ask["payload"]]}}
    again = item(type="message", role="user", content=[{"type": "input_text", "text": "Again."}])
    lines = [ask, call, count(10, 10), count(10, 10), fog, said, count(25, 15), count(25, 0), history, again, said]
    recording = ctxlab.read_recording(written(tmp_path / "rollout.jsonl", [*lines, count(31, 6)]))
    assert [request.usage.input for request in recording] == [10, 15, 6]
    assert [request.message_count for request in recording] == [1, 3, 2]
    assert [bool(request.compaction) for request in recording] == [False, False, True]


def test_spans_of_otlp_are_requests_with_the_agent_above_them(tmp_path: Path) -> None:
    def span(id: str, parent: str, start: int, **attributes: Any) -> dict[str, Any]:
        values = [
            {"key": key.replace("__", "."), "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
            for key, v in attributes.items()
        ]
        ends = {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str(start * 10**9 + 5 * 10**8)}
        return {"spanId": id, "parentSpanId": parent, "name": id, "attributes": values, **ends}

    parts = [{"role": "user", "parts": [{"type": "text", "content": "灯塔？"}]}]
    agent = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "scout"}
    call = {
        "gen_ai__operation__name": "chat",
        "gen_ai__request__model": "m",
        "gen_ai__input__messages": json.dumps(parts),
        "gen_ai__output__messages": json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": "East."}]}]
        ),
        "gen_ai__usage__input_tokens": 7,
        "gen_ai__usage__cache_read__input_tokens": 5,
    }
    flat = {
        "openinference__span__kind": "LLM",
        "llm__model_name": "m",
        "llm__input_messages__0__message__role": "user",
        "llm__input_messages__0__message__content": "Why?",
        "llm__token_count__prompt": 3,
    }
    spans = [span("one", "", 1, **call), span("agent", "", 2, **agent), span("two", "agent", 3, **flat)]
    data = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    first, second = ctxlab.read_recording(written(tmp_path / "spans.json", data))
    assert (first.usage.input, first.usage.cached, first.agent, first.duration) == (7, 5, "", 0.5)
    assert (second.usage.input, second.agent, second.messages) == (3, "scout", [{"role": "user", "content": "Why?"}])
    assert first.messages == [{"role": "user", "content": "灯塔？"}]


def test_lines_of_lhar_are_read_with_and_without_bodies(tmp_path: Path) -> None:
    entry = {
        "type": "entry",
        "id": "e1",
        "trace_id": "t",
        "timestamp": "2026-01-01T00:00:00Z",
        "gen_ai": {"system": "anthropic", "request": {"model": "claude-x"}, "usage": {"input_tokens": 3}},
        "usage_ext": {"cache_read_tokens": 10, "cache_write_tokens": 0},
        "http": {"url": ANTHROPIC, "status_code": 200},
        "raw": {"request_body": BODY, "response_body": None},
    }
    bare = {**entry, "id": "e2", "raw": {}, "source": {"agent_role": "subagent"}}
    session = {"type": "session", "trace_id": "t", "tool": "claude"}
    recording = ctxlab.read_recording(written(tmp_path / "log.jsonl", [session, entry, bare]))
    assert [request.payload for request in recording] == [BODY, None]
    assert [request.usage.input for request in recording] == [13, 13]
    assert [request.agent for request in recording] == ["", "subagent"]


def test_a_trace_of_ctxdiff_leaves_no_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "demo.ctrace"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE run (id, provider)")
        database.execute("CREATE TABLE call (id, run_id, seq, params, usage, latency_ms, error, agent, provider)")
        database.execute("CREATE TABLE block (content_hash, role, kind, text, token_count)")
        database.execute("CREATE TABLE call_block (call_id, block_id, position, label)")
        database.execute("INSERT INTO run VALUES ('r', 'openai')")
        database.execute(
            "INSERT INTO call VALUES ('c', 'r', 1, '{\"model\": \"m\"}', '{\"prompt_tokens\": 5}', 20, NULL, '', NULL)"
        )
        database.execute(
            "INSERT INTO block VALUES ('b1', 'system', 'message', 'Be brief.', 2), ('b2', 'user', 'message', 'Hi', 1)"
        )
        database.execute("INSERT INTO call_block VALUES ('c', 'b1', 0, 'system'), ('c', 'b2', 1, 'user')")
    database.close()
    (request,) = ctxlab.read_recording(path)
    assert (request.usage.input, request.duration, request.head.system) == (5, 0.02, ("Be brief.",))
    assert [message["content"] for message in request.messages] == ["Be brief.", "Hi"]
    assert [file.name for file in tmp_path.iterdir()] == ["demo.ctrace"]
    assert not databases.is_database(b"{}")


def test_an_exported_chat_has_a_request_for_each_answer_of_each_branch(tmp_path: Path) -> None:
    messages = {
        "u": {"id": "u", "parentId": None, "role": "user", "content": "Hi"},
        "a": {"id": "a", "parentId": "u", "role": "assistant", "content": "A", "usage": {"prompt_tokens": 4}},
        "b": {"id": "b", "parentId": "u", "role": "assistant", "content": "B"},
    }
    chat = {"title": "t", "history": {"currentId": "b", "messages": messages}, "params": {"system": "Be brief."}}
    recording = ctxlab.read_recording(written(tmp_path / "chat.json", chat))
    assert [(request.id, request.leaf, request.usage.input) for request in recording] == [
        ("a", "u", 4),
        ("b", "u", None),
    ]
    assert [message["content"] for message in recording.requests[0].messages] == ["Be brief.", "Hi"]


@pytest.mark.parametrize("data", [[], {}, {"interactions": []}, "text", [1, 2], {"messages": "no"}, {"samples": []}])
def test_what_is_no_recording_is_refused_with_one_sentence(tmp_path: Path, data: Any) -> None:
    path = written(tmp_path / "other.json", data)
    with pytest.raises(ReadError, match=r"other[.]json"):
        ctxlab.read_recording(path)


def test_a_file_that_is_not_there_and_an_archive_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="does not exist"):
        ctxlab.read_recording(tmp_path / "none.jsonl")
    (tmp_path / "a.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(UnknownFormat, match="archive"):
        ctxlab.read_recording(tmp_path / "a.zip")


def test_a_recording_is_told_in_one_line_a_table_and_a_frame_and_it_pickles(tmp_path: Path) -> None:
    hostile = {**BODY, "model": "<script>", "messages": [{"role": "user", "content": "<script>"}]}
    data = {"interactions": [pair(hostile, {**REPLY, "usage": USAGE})]}
    recording = ctxlab.read_recording(written(tmp_path / "tape.json", data))
    assert "\n" not in repr(recording) and "1 request" in repr(recording)
    assert "<script>" not in recording._repr_html_() + recording.requests[0]._repr_html_()
    frame = recording.frame()
    assert frame.loc[0, ["input_tokens", "cached_tokens", "messages", "new_messages"]].tolist() == [17, 10, 1, 1]
    again = pickle.loads(pickle.dumps(recording))
    assert again.requests[0].payload == hostile
    with pytest.raises(UnknownName, match="'other'"):
        recording.request("other")


def test_a_history_of_aider_has_a_request_for_each_answer_with_the_tokens_noted_after_it(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    asked = "#### 在哪里？  \n#### Now.  "
    talk = f"{asked}\n\nEast.\n\n> Tokens: 2.1k sent, 115 received. Cost: $0.01  \n\n#### Why?  \n\nFog.\n"
    path.write_text(f"# aider chat started at 2026-01-01 00:00:00\n\n{talk}", "utf-8")
    first, second = ctxlab.read_recording(path)
    assert first.messages == [{"role": "user", "content": "在哪里？\nNow."}]
    assert (first.usage.input, first.usage.output, second.usage.input) == (2100, 115, None)
    assert [message["role"] for message in second.messages] == ["user", "assistant", "user"]


def test_quotes_after_a_command_are_the_programs_and_pictures_the_pages(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    begun = '<div class="chat-transcript">\n#### /run tests\n>```\n>1 failed\n>```\n\nFog.\n\n> Applied edit\n'
    path.write_text(f"{begun}\n![a picture](page.png)\n</div>\n", "utf-8")
    recording = ctxlab.read_recording(path)
    assert [request.messages for request in recording] == [[{"role": "user", "content": "/run tests"}]]
    assert "1 command of the user" in str(recording.losses)


def test_a_trajectory_whose_totals_have_more_than_its_steps_says_how_much(tmp_path: Path) -> None:
    steps = [
        {"source": "user", "message": "Look.", "is_copied_context": True},
        {"source": "agent", "message": "Fog.", "metrics": {"prompt_tokens": 10, "completion_tokens": 2}},
    ]
    totals = {"total_prompt_tokens": 25, "total_completion_tokens": 2}
    data = {"schema_version": "ATIF-v1.7", "agent": {"name": "a"}, "steps": steps, "final_metrics": totals}
    recording = ctxlab.read_recording(written(tmp_path / "run.json", data))
    assert [request.usage.input for request in recording] == [10]
    assert "15 tokens more than the steps have" in str(recording.losses)
    assert "1 step" in str(recording.losses)


def test_large_numbers_and_deep_nesting_are_no_hindrance(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(800):
        deep = [deep]
    bodies: list[dict[str, Any]] = [{**BODY, "seed": 10**400}, {**BODY, "stop": deep}]
    pairs = [{**(made := pair(body, REPLY)), "request": {**made["request"], "body": body}} for body in bodies]
    recording = ctxlab.read_recording(written(tmp_path / "tape.json", {"interactions": pairs}))
    assert [request.payload for request in recording.requests] == bodies
    assert recording.requests[1].messages == [ASK] and recording.requests[1].head.parameters["stop"] == deep
    assert [part.tokens for part in recording.parts.of_head(recording.requests[0].head) if part.name == "seed"] == [0]
    assert not ctxlab.check(recording).notes and len(recording.prefix().frame()) == 2
