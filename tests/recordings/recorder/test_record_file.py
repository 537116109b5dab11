"""The file of a recording: each message once, whole lines only, and nothing lost but what a crash tore."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import ReadError, UnknownFormat, WriteError
from ctxlab.recordings.recorder.exchange_log import ExchangeLog
from ctxlab.recordings.recorder.read_records import read_records
from ctxlab.recordings.recorder.record_lines import VERSION, RecordLines, line
from ctxlab.secrets import SecretMask

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("aé沈\ud800\n\u2028", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
LISTS = st.lists(st.sampled_from([{"role": "user", "content": f"m{n}"} for n in range(4)]), max_size=6)
BODIES = st.fixed_dictionaries(
    {"model": st.just("m")},
    optional={
        "messages": LISTS,
        "input": LISTS | st.text(max_size=3),
        "tools": st.just([{"name": "t", "note": "x" * 500}]),
        "system": JSON,
        "request": st.fixed_dictionaries({}, optional={"contents": LISTS, "n": JSON}),
        "more": JSON,
    },
)


def write(path: Path, *bodies: Any) -> None:
    with ExchangeLog(path) as log:
        for body in bodies:
            one = log.begin("POST", "https://h/v1", [], json.dumps(body).encode())
            one.head(200, [("content-type", "application/json")])
            one.piece(b'{"ok": true}')
            one.end("whole")
        assert log.failure == ""


@settings(max_examples=60, deadline=None)
@given(bodies=st.lists(BODIES | JSON, min_size=1, max_size=6), again=st.integers(0, 6))
def test_what_is_read_is_what_was_sent(bodies: list[Any], again: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    mask, known = SecretMask(), set[str]()
    recorders = RecordLines(mask, known), RecordLines(mask, known)
    requests = [{"type": "request", "id": f"r{number}"} for number in range(len(bodies))]
    made = [
        recorders[n >= again].request(about, body) for n, (about, body) in enumerate(zip(requests, bodies, strict=True))
    ]
    file = tmp_path_factory.getbasetemp() / "read.jsonl"
    file.write_bytes(
        line({"type": "recording", "version": VERSION}) + b"".join(part for parts in made for part in parts)
    )

    losses: list[str] = []
    found = list(read_records(file, on_loss=losses.append))
    assert losses == []
    assert [json.dumps(one.body) for one in found] == [json.dumps(body) for body in bodies]
    assert [one.number for one in found] == list(range(1, len(bodies) + 1))


def test_a_message_is_written_once_and_a_request_grows_with_what_is_new(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": f"{n} " + "long " * 100} for n in range(200)]
    bodies = [{"model": "m", "messages": messages[: n + 1]} for n in range(200)]
    write(tmp_path / "r.jsonl", *bodies, {"model": "m", "messages": [messages[5], *messages[:100]]})

    written = (tmp_path / "r.jsonl").read_bytes()
    sent = sum(len(json.dumps(body)) for body in bodies)
    assert written.count(b'{"type":"message"') == 200
    assert len(written) < sent / 20
    assert max(len(line) for line in written.splitlines() if b'"request"' in line) < 5_000
    *found, last = read_records(tmp_path / "r.jsonl")
    assert [one.body for one in found] == bodies
    assert last.body["messages"][0] is last.body["messages"][6]


def test_a_file_cut_anywhere_costs_the_torn_line_and_what_points_to_it_alone(tmp_path: Path) -> None:
    bodies = [{"model": "m", "messages": [{"content": f"m{n}"} for n in range(k + 1)]} for k in range(3)]
    write(tmp_path / "whole.jsonl", *bodies)
    written = (tmp_path / "whole.jsonl").read_bytes()

    for size in range(len(written.splitlines(keepends=True)[0]), len(written), 7):
        torn = tmp_path / "torn.jsonl"
        torn.write_bytes(written[:size])
        before = [one.body for one in read_records(torn)]
        assert before == bodies[: len(before)]
    write(torn, {"model": "after", "messages": bodies[0]["messages"]})
    assert [one.body for one in read_records(torn)][-1] == {"model": "after", "messages": bodies[0]["messages"]}


def test_several_recorders_add_to_one_file(tmp_path: Path) -> None:
    with ExchangeLog(tmp_path / "r.jsonl") as first, ExchangeLog(tmp_path / "r.jsonl") as second:
        for n in range(20):
            for name, log in (("a", first), ("b", second)):
                body = {"model": name, "messages": [{"content": f"shared {n}"}, {"content": name}]}
                log.begin("POST", "https://h/v1", [], json.dumps(body).encode()).end("whole")

    losses: list[str] = []
    found = [one.body for one in read_records(tmp_path / "r.jsonl", on_loss=losses.append)]
    assert losses == []
    for name in ("a", "b"):
        mine = [body["messages"][0]["content"] for body in found if body["model"] == name]
        assert mine == [f"shared {n}" for n in range(20)]


def test_a_reply_that_was_packed_is_kept_unpacked(tmp_path: Path) -> None:
    with ExchangeLog(tmp_path / "r.jsonl") as log:
        for coding in ("gzip", "br"):
            one = log.begin("GET", "https://h/v1/models", [], b"")
            one.head(200, [("Content-Type", "application/json"), ("Content-Encoding", coding)])
            one.piece(gzip.compress(b'{"data": []}'))
            one.end("whole")
    first, second = read_records(tmp_path / "r.jsonl")
    assert first.reply == {"data": []}
    assert second.reply is None
    assert second.notes == ("a body in the coding br isn't kept: nothing here unpacks it",)


def test_a_recording_without_its_end_says_so(tmp_path: Path) -> None:
    with ExchangeLog(tmp_path / "r.jsonl") as log:
        log.begin("POST", "https://h/v1", [], b'{"model": "m"}')
    (found,) = read_records(tmp_path / "r.jsonl")
    assert (found.ended, found.status, found.body) == ("unknown", None, {"model": "m"})


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"request"}',
        b'{"type":"reply","request":"nobody"}',
        b'{"type":"message","id":["a"],"value":1}',
        b'{"type":"request","id":"r","lists":{"messages":{"add":3}}}',
        b'{"type":"song"}',
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_line_of_a_wrong_shape_is_a_loss_and_the_rest_is_read(tmp_path: Path, line: bytes) -> None:
    write(tmp_path / "r.jsonl", {"model": "one"})
    with (tmp_path / "r.jsonl").open("ab") as file:
        file.write(line + b"\n")
    write(tmp_path / "r.jsonl", {"model": "two"})

    losses: list[str] = []
    found = [one.body for one in read_records(tmp_path / "r.jsonl", on_loss=losses.append)]
    assert found == [{"model": "one"}, {"model": "two"}]
    assert len(losses) == 1
    assert "r.jsonl, line " in losses[0]


def test_a_request_that_points_in_a_circle_is_read_without_its_body(tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", {"model": "one"})
    with (tmp_path / "r.jsonl").open("a") as file:
        file.write('{"type":"head","id":"h","fields":[["messages",{"list":"messages"}]]}\n')
        for id, other in (("a", "b"), ("b", "a")):
            shared = {"from": other, "keep": 3, "add": []}
            file.write(json.dumps({"type": "request", "id": id, "head": "h", "lists": {"messages": shared}}) + "\n")
    losses: list[str] = []
    found = list(read_records(tmp_path / "r.jsonl", on_loss=losses.append))
    assert [one.body for one in found] == [{"model": "one"}, None, None]
    assert len(losses) == 2


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(WriteError, match=r"notes\.txt is no recording"):
        ExchangeLog(other)
    assert other.read_text() == "mine"
    with pytest.raises(WriteError, match="is a folder"):
        ExchangeLog(tmp_path)
    with pytest.raises(WriteError, match="there is no folder"):
        ExchangeLog(tmp_path / "no" / "r.jsonl")
    with pytest.raises(UnknownFormat):
        read_records(other)
    with pytest.raises(ReadError):
        read_records(tmp_path / "none.jsonl")
