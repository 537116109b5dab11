"""No key is in the file, wherever it was planted."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recordings.recorder.exchange_log import ExchangeLog
from ctxlab.recordings.recorder.read_records import read_records

KEY = "q7-planted+secret/0123456789"
LOOKS = (
    "sk-proj-abcdefghij0123456789",
    "sk-ant-api03-abcdefghij0123456789_-x",
    "AIza" + "Sy0123456789abcdefghijklmnopqrstuv",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AKIA" + "ABCDEFGHIJ123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLWhlcmU",
)


@pytest.mark.parametrize("header", ["Authorization", "x-api-key", "x-goog-api-key", "api-key", "Cookie", "X-My-Token"])
def test_a_key_of_a_header_is_in_no_line(tmp_path: Path, header: str) -> None:
    value = {"Authorization": f"Bearer {KEY}", "Cookie": f"a=1; session={KEY}"}.get(header, KEY)
    body = {"model": "m", "messages": [{"role": "user", "content": f"my key is {KEY}, {quote(KEY, safe='')}"}]}
    with ExchangeLog(tmp_path / "r.jsonl") as log:
        one = log.begin("POST", f"https://h/v1/x?q={quote(KEY)}", [(header, value)], json.dumps(body).encode())
        one.head(401, [("content-type", "application/json"), ("x-request-id", KEY)])
        one.piece(json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode())
        one.end("broken", f"it broke at {KEY}")

    written = (tmp_path / "r.jsonl").read_text()
    (found,) = read_records(tmp_path / "r.jsonl")
    assert KEY not in written
    assert quote(KEY) not in written
    assert found.body["messages"][0]["content"] == "my key is ***, ***"
    assert found.reply == {"error": {"message": "wrong key ***"}}
    assert header.lower() not in found.headers


@pytest.mark.parametrize("name", ["key", "api_key", "access_token", "X-Amz-Signature", "token"])
def test_a_key_of_the_address_is_masked_there_and_everywhere(tmp_path: Path, name: str) -> None:
    with ExchangeLog(tmp_path / "r.jsonl") as log:
        body = json.dumps({"contents": [{"parts": [{"text": KEY}]}]}).encode()
        log.begin("POST", f"https://h/v1?alt=sse&{name}={quote(KEY)}&n=1", [], body).end("client")

    (found,) = read_records(tmp_path / "r.jsonl")
    assert found.url == f"https://h/v1?alt=sse&{name}=***&n=1"
    assert found.body == {"contents": [{"parts": [{"text": "***"}]}]}


@pytest.mark.parametrize("key", LOOKS)
def test_what_looks_like_a_key_is_masked_though_nobody_sent_it_as_one(tmp_path: Path, key: str) -> None:
    body = {"api_key": "short", "tools": [{"name": key}], "messages": [{"content": [{"text": f"({key})"}]}], key: 1}
    with ExchangeLog(tmp_path / "r.jsonl", program=f"run {key}") as log:
        one = log.begin("POST", "https://h/v1", [("User-Agent", key)], json.dumps(body).encode())
        one.head(200, [("content-type", "text/plain")])
        one.piece(f"plain {key}".encode())
        one.end("broken", key)

    assert key not in (tmp_path / "r.jsonl").read_text()
    (found,) = read_records(tmp_path / "r.jsonl")
    assert found.body["api_key"] == "***"
    assert found.reply.startswith("plain ") and found.reply.endswith("***")


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, len(KEY) + 8), max_size=6), arguments=st.booleans())
def test_a_key_that_events_hold_between_them_is_masked(
    cuts: list[int], arguments: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = f"see {KEY} end"
    places = [0, *sorted(cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    deltas = [
        {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} if arguments else {"content": piece}
        for piece in pieces
    ]
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    file = tmp_path_factory.mktemp("keys") / "r.jsonl"
    with ExchangeLog(file) as log:
        one = log.begin("POST", "https://h/v1", [("x-api-key", KEY)], b"{}")
        one.head(200, [("content-type", "text/event-stream")])
        for event in events:
            one.piece(f"data: {json.dumps(event)}\n\n".encode())
        one.end("whole")

    (found,) = read_records(file)
    got = [event["data"]["choices"][0]["delta"] for event in found.events]
    texts = [one["tool_calls"][0]["function"]["arguments"] if arguments else one["content"] for one in got]
    assert len(texts) == len(pieces)
    assert "".join(texts) == "see *** end"
