"""`with ctxlab.recording(client, file)`: what a client of a program's own sends and gets, and ctxlab's own sending."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from google import genai

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.testing.fake_server.script import FakeReply
from ctxlab.testing.fake_server.server import FakeServer
from tests.providers.sending.raw_server import RawServer, answer, head

HELLO: Any = [{"role": "user", "content": "Hello 你好"}]


def read(path: Path) -> list[Any]:
    return list(ctxlab.read_records(path, on_loss=pytest.fail))


def test_the_official_clients_are_recorded_and_left_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    with FakeServer("Hi there") as server:
        chat = openai.OpenAI(api_key="sk-planted-key-1234", base_url=server.base_url("openai"))
        claude = anthropic.Anthropic(api_key="sk-ant-planted-567", base_url=server.base_url("anthropic"))
        gemini = genai.Client(api_key="AIza-planted-9012", http_options={"base_url": server.base_url("gemini")})
        before = chat._client._transport  # pyright: ignore[reportPrivateUsage]
        with ctxlab.recording(chat, file), ctxlab.recording(claude, file), ctxlab.recording(gemini, file):
            chat.chat.completions.create(model="gpt-4o", messages=HELLO)
            stream = chat.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True)
            text = "".join(each.choices[0].delta.content or "" for each in stream if each.choices)
            with claude.messages.stream(model="claude-opus-4-6", max_tokens=64, messages=HELLO) as reply:
                assert reply.get_final_text() == text == "Hi there"
            assert gemini.models.generate_content(model="gemini-2.5-flash", contents="Hi").text == "Hi there"
        chat.chat.completions.create(model="gpt-4o", messages=HELLO)
        sent = [request.body for request in server.requests]
        for client in (chat, claude, gemini):
            client.close()

    found = sorted(read(file), key=lambda one: one.time)
    assert chat._client._transport is before  # pyright: ignore[reportPrivateUsage]
    assert len(found) == 4
    assert len(sent) == 5
    assert all(one.body in sent and one.ended == "whole" and one.status == 200 for one in found)
    assert "planted" not in file.read_text()


def test_asynchronous_clients_are_recorded(tmp_path: Path) -> None:
    async def talk(base: str) -> str:
        client = openai.AsyncOpenAI(api_key="any", base_url=base)
        with ctxlab.recording(client, tmp_path / "r.jsonl"):
            stream = await client.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True)
            text = "".join([each.choices[0].delta.content or "" async for each in stream if each.choices])
        await client.close()
        return text

    with FakeServer("Hi there") as server:
        assert asyncio.run(talk(server.base_url("openai"))) == "Hi there"
    (found,) = read(tmp_path / "r.jsonl")
    assert (found.ended, found.body["messages"]) == ("whole", HELLO)
    assert found.events[-1]["data"] == "[DONE]"


@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5-flash"])
def test_what_ctxlab_sends_itself_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key-1234")
    monkeypatch.setenv("GEMINI_API_KEY", "planted-gemini-key-1234")
    session = ctxlab.Session(id="s").append("Hello", id="a")
    with FakeServer(FakeReply("Hi there")) as server:
        base = server.base_url("openai" if model == "gpt-4o" else "gemini")
        with ctxlab.recording(file=tmp_path / "r.jsonl") as log:
            ctxlab.send(session, "And then?", model=model, base_url=base)
        ctxlab.send(session, "Unheard", model=model, base_url=base)
        first = server.requests[0].body
    (found,) = read(tmp_path / "r.jsonl")
    assert log.failure == ""
    assert (found.body, found.status, found.ended) == (first, 200, "whole")
    assert "planted" not in (tmp_path / "r.jsonl").read_text()


def test_a_stream_that_is_left_and_servers_that_fail_are_recorded_as_such(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    broken = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
    with (
        RawServer(head() + b"data: 1\n\n", broken, b"\0 no HTTP\r\n\r\n", answer(b"busy", status="503 Busy")) as server,
        httpx2.Client() as client,
        ctxlab.recording(client, file),
    ):
        with client.stream("POST", server.url, json={"n": 1}) as response:
            next(response.iter_raw())
        for _ in range(2):
            with pytest.raises(httpx2.RemoteProtocolError):
                client.post(server.url, json={})
        assert client.post(server.url, json={}).text == "busy"
    with httpx2.Client() as client, ctxlab.recording(client, file), pytest.raises(httpx2.ConnectError):
        client.post(server.url, json={})
    with (
        RawServer(b"", silent=True) as server,
        httpx2.Client(timeout=0.1) as client,
        ctxlab.recording(client, file),
        pytest.raises(httpx2.ReadTimeout),
    ):
        client.post(server.url, json={})
    assert [one.ended for one in read(file)] == ["client", "broken", "rubbish", "whole", "unreachable", "stalled"]


def test_other_things_than_clients_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongArgument, match="it takes a client of openai"), ctxlab.recording("gpt-4o", tmp_path / "r"):
        pytest.fail("nothing is recorded")
    assert not (tmp_path / "r").exists()


def test_bodies_that_come_from_a_generator_are_sent_and_recorded(tmp_path: Path) -> None:
    with (
        RawServer(answer(b"{}")) as server,
        httpx2.Client() as client,
        ctxlab.recording(client, tmp_path / "r.jsonl"),
    ):
        content = json.dumps({"a": 1}).encode()
        client.post(server.url, content=content, headers={"content-type": "application/json"})
    (found,) = read(tmp_path / "r.jsonl")
    assert found.body == {"a": 1}
    assert server.requests[0].endswith(content)
