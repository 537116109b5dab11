"""The recorder between a program and its endpoint: bytes pass unchanged, and what happened is in the file."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recordings.recorder.proxy import RecordingProxy
from ctxlab.recordings.recorder.raw_exchange import RawExchange
from ctxlab.recordings.recorder.read_records import read_records
from ctxlab.testing.fake_server.script import FakeReply
from ctxlab.testing.fake_server.server import FakeServer
from tests.providers.sending.raw_server import RawServer, answer, head, request_of

STREAM = b'event: a\ndata: {"text": "\xe6\xb2\x88\xe7\xa0\x9a, line one"}\r\n\r\ndata: {"n": 2}\n\ndata: [DONE]\n\n'
HELLO: Any = [{"role": "user", "content": "你好, hello"}]


def read_all(path: Path) -> list[RawExchange]:
    losses: list[str] = []
    found = list(read_records(path, on_loss=losses.append))
    assert losses == []
    return found


def posted(url: str, body: Any = None, headers: dict[str, str] | None = None, path: str = "/v1/x") -> tuple[int, bytes]:
    host = url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=120)
    try:
        connection.request("POST", path, json.dumps(body), headers or {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_the_official_clients_pass_through_whole_and_streamed(tmp_path: Path) -> None:
    file = tmp_path / "all.ctxrec.jsonl"
    with FakeServer(FakeReply("Hello there, 你好", piece_characters=3)) as server:
        with RecordingProxy(
            {"/o": server.base_url("openai"), "/a": server.base_url("anthropic"), "/g": server.base_url("gemini")}, file
        ) as proxy:
            chat = openai.OpenAI(api_key="sk-planted-key-1234", base_url=f"{proxy.url}/o")
            whole = chat.chat.completions.create(model="gpt-4o", messages=HELLO)
            stream = chat.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True)
            text = "".join(each.choices[0].delta.content or "" for each in stream if each.choices)
            chat.responses.create(model="gpt-4o", input="Hi")
            claude = anthropic.Anthropic(api_key="sk-ant-planted-5678", base_url=f"{proxy.url}/a")
            with claude.messages.stream(model="claude-opus-4-6", max_tokens=64, messages=HELLO) as reply:
                assert reply.get_final_text() == "Hello there, 你好"
            gemini = genai.Client(api_key="AIza-planted-9012", http_options={"base_url": f"{proxy.url}/g"})
            parts = gemini.models.generate_content_stream(model="gemini-2.5-flash", contents="Hi")
            assert "".join(part.text or "" for part in parts) == "Hello there, 你好"
        sent = [json.loads(request.content) for request in server.requests]

    found = read_all(file)
    assert whole.choices[0].message.content == text == "Hello there, 你好"
    assert [one.body for one in found] == sent
    assert [list(one.body) for one in found] == [list(body) for body in sent], "fields keep their order"
    assert {one.ended for one in found} == {"whole"}
    assert [bool(one.events) for one in found] == [False, True, False, True, True]
    assert found[0].reply["choices"][0]["message"]["content"] == "Hello there, 你好"
    assert found[3].events[0]["event"] == "message_start"
    assert found[0].body["messages"][0] is found[1].body["messages"][0], "a message is there once"
    assert "planted" not in file.read_text()


class CutServer:
    """Sends each of some pieces in a packet of its own, as chunks or until the connection ends."""

    def __init__(self, pieces: list[bytes], *, chunked: bool) -> None:
        kind = b"Transfer-Encoding: chunked" if chunked else b"Connection: close"
        body = [b"%x\r\n%b\r\n" % (len(one), one) if chunked else one for one in pieces if one]
        first = b"HTTP/1.1 200 Fine\r\nContent-Type: text/event-stream\r\nX-Own: \xe9\r\n" + kind + b"\r\n\r\n"
        self.packets = [first, *body, *([b"0\r\n\r\n"] if chunked else [])]
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve_one(self) -> None:
        connection, _ = self.listener.accept()
        with connection, self.listener:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            request_of(connection)
            for packet in self.packets:
                connection.sendall(packet)


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=12), chunked=st.booleans())
def test_every_byte_of_a_stream_passes_unchanged_however_it_is_cut(
    cuts: list[int], chunked: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    server = CutServer([STREAM[a:b] for a, b in pairwise(places)], chunked=chunked)
    serving = threading.Thread(target=server.serve_one)
    serving.start()
    file = tmp_path_factory.mktemp("cut") / "cut.ctxrec.jsonl"
    with RecordingProxy(server.url, file) as proxy:
        status, body = posted(proxy.url, {"stream": True})
    serving.join()

    (found,) = read_all(file)
    assert (status, body) == (200, STREAM)
    assert [one["data"] for one in found.events] == [{"text": "沈砚, line one"}, {"n": 2}, "[DONE]"]


def test_events_pass_when_they_come_and_not_when_all_are_there(tmp_path: Path) -> None:
    with (
        FakeServer(FakeReply("abcdef", piece_characters=1, pause_seconds=0.05)) as server,
        RecordingProxy(server.base_url("openai"), tmp_path / "slow.jsonl") as proxy,
    ):
        client = openai.OpenAI(api_key="any", base_url=proxy.url)
        times = [time.monotonic() for _ in client.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True)]
    assert times[-1] - times[0] > 0.1


def test_headers_pass_but_those_of_one_line_and_codings_that_nobody_reads(tmp_path: Path) -> None:
    with (
        RawServer(answer(b"{}", status="307 Go", Location="http://127.0.0.1:9/elsewhere", X_Own="kept")) as server,
        RecordingProxy(f"{server.url}/base", tmp_path / "h.jsonl") as proxy,
    ):
        host = proxy.url.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=120)
        sent = {"X-Mine": "1", "Connection": "keep-alive, x-hop", "X-Hop": "2", "Accept-Encoding": "gzip, br, zstd"}
        connection.request("POST", "/v1/x?alt=sse", b"{}", sent)
        response = connection.getresponse()
        assert (response.status, response.reason) == (307, "Go")
        assert (response.getheader("x-own"), response.getheader("location")) == (
            "kept",
            "http://127.0.0.1:9/elsewhere",
        )
        connection.close()
    lines = server.requests[0].decode().split("\r\n")
    assert lines[0] == "POST /base/v1/x?alt=sse HTTP/1.1"
    assert lines[1] == f"Host: {server.url.removeprefix('http://')}"
    assert {"X-Mine: 1", "Accept-Encoding: gzip"} <= set(lines)
    assert not any(line.lower().startswith("x-hop") for line in lines)


def test_a_client_that_hangs_up_while_nothing_comes_ends_the_request(tmp_path: Path) -> None:
    file = tmp_path / "gone.jsonl"
    with RawServer(head() + b'data: {"n": 1}\n\n', silent=True) as server, RecordingProxy(server.url, file) as proxy:
        host, _, port = proxy.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=120) as line:
            line.sendall(b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
            got = b""
            while b'"n": 1' not in got:
                got += line.recv(65_536)
        with proxy._server.idle:  # pyright: ignore[reportPrivateUsage]
            assert proxy._server.idle.wait_for(lambda: not proxy._server.open_requests, 10)
    (found,) = read_all(file)
    assert (found.ended, found.status) == ("client", 200)
    assert [one["data"] for one in found.events] == [{"n": 1}]
    assert found.error == "the client hung up after 16 bytes of the reply had come"


@pytest.mark.parametrize(
    ("sent", "ended"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "broken"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "broken"),
    ],
)
def test_an_endpoint_that_dies_in_the_middle_is_cut_for_the_client_too(tmp_path: Path, sent: bytes, ended: str) -> None:
    with (
        RawServer(sent) as server,
        RecordingProxy(server.url, tmp_path / "dead.jsonl") as proxy,
        pytest.raises(http.client.IncompleteRead),
    ):
        posted(proxy.url, {})
    (found,) = read_all(tmp_path / "dead.jsonl")
    assert (found.ended, found.status, found.reply) == (ended, 200, "half")


@pytest.mark.parametrize(("sent", "ended"), [(b"", "broken"), (b"\x00\x01 no HTTP at all\r\n\r\n", "rubbish")])
def test_an_endpoint_that_gives_no_answer_is_said_to_the_client(tmp_path: Path, sent: bytes, ended: str) -> None:
    with RawServer(sent) as server, RecordingProxy(server.url, tmp_path / "none.jsonl") as proxy:
        status, body = posted(proxy.url, {})
    (found,) = read_all(tmp_path / "none.jsonl")
    assert status == 502
    assert json.loads(body)["error"]["message"].startswith("ctxlab record: the endpoint ")
    assert (found.ended, found.status) == (ended, None)


def test_an_endpoint_that_nobody_reaches_is_recorded_as_such(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with RecordingProxy(f"http://127.0.0.1:{port}", tmp_path / "off.jsonl") as proxy:
        status, _ = posted(proxy.url, {"model": "m"})
    (found,) = read_all(tmp_path / "off.jsonl")
    assert (status, found.ended, found.body) == (502, "unreachable", {"model": "m"})


@pytest.mark.parametrize("begins", [b"", head() + b"data: 1\n\n"])
def test_an_endpoint_that_stalls_is_given_up(tmp_path: Path, begins: bytes) -> None:
    file = tmp_path / "stall.jsonl"
    with RawServer(begins, silent=True) as server, RecordingProxy(server.url, file, stall_seconds=0.2) as proxy:
        if begins:
            with pytest.raises(http.client.IncompleteRead):
                posted(proxy.url, {})
        else:
            assert posted(proxy.url, {})[0] == 504
    (found,) = read_all(file)
    assert found.ended == "stalled"
    assert found.error.startswith("the endpoint sent nothing for 0.2 s")


def test_rubbish_in_a_reply_passes_and_is_kept_as_a_text(tmp_path: Path) -> None:
    with (
        RawServer(answer(b"<html>busy", kind="text/html", status="503 Busy")) as server,
        RecordingProxy(server.url, tmp_path / "r.jsonl") as proxy,
    ):
        assert posted(proxy.url, {}) == (503, b"<html>busy")
    (found,) = read_all(tmp_path / "r.jsonl")
    assert (found.ended, found.status, found.reply) == ("whole", 503, "<html>busy")


def test_no_other_server_is_contacted_than_the_one_named(tmp_path: Path) -> None:
    with (
        RawServer(answer(b"{}")) as other,
        RawServer(answer(b'{"mine": 1}')) as server,
        RecordingProxy({"/a": server.url}, tmp_path / "o.jsonl") as proxy,
    ):
        assert posted(proxy.url, {}, path=f"{other.url}/v1/x")[0] == 404
        assert posted(proxy.url, {}, path="/ab/v1/x")[0] == 404
        assert posted(proxy.url, {}, {"Host": other.url.removeprefix("http://")}, path="/a/v1") == (
            200,
            b'{"mine": 1}',
        )
    assert other.requests == []
