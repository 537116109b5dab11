"""The fake server, asked by the official clients: replies whole and streamed, errors, slow and broken connections."""

from __future__ import annotations

import json
import socket
import threading
import urllib.error
import urllib.request
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.testing import FakeCall, FakeReply, FakeServer
from tests.testing.conftest import KEY
from tests.testing.vendor_bodies import BODIES, GEMINI

HELLO: Any = [{"role": "user", "content": "你好"}]
REPLY = FakeReply(
    "它在二楼 🎉, on the left.", thinking="Where is it?", calls=(FakeCall("look", {"城": "Paris", "n": [1]}),)
)
ARGUMENTS = {"城": "Paris", "n": [1]}


@pytest.fixture(scope="module")
def server() -> Any:
    with FakeServer(REPLY) as server:
        yield server


def test_chat_whole_and_streamed(server: FakeServer, clients: Any) -> None:
    client = clients.openai(server)
    whole = client.chat.completions.create(model="gpt-4o", messages=HELLO).choices[0]

    with client.chat.completions.stream(model="gpt-4o", messages=HELLO) as stream:
        streamed = stream.get_final_completion().choices[0]

    for choice in (whole, streamed):
        assert (choice.message.content, choice.finish_reason) == (REPLY.text, "tool_calls")
        assert json.loads(choice.message.tool_calls[0].function.arguments) == ARGUMENTS


def test_deepseek_gives_its_thinking_and_its_counts(server: FakeServer, clients: Any) -> None:
    client = clients.openai(server, "deepseek")
    whole = client.chat.completions.create(model="deepseek-v4-pro", messages=HELLO)
    chunks = client.chat.completions.create(model="deepseek-v4-pro", messages=HELLO, stream=True)

    thoughts = [getattr(chunk.choices[0].delta, "reasoning_content", None) or "" for chunk in chunks]
    assert whole.choices[0].message.reasoning_content == "".join(thoughts) == REPLY.thinking
    assert whole.usage.prompt_cache_miss_tokens + whole.usage.prompt_cache_hit_tokens == whole.usage.prompt_tokens


def test_a_compatible_server_takes_fields_of_its_own(server: FakeServer, clients: Any) -> None:
    client = clients.openai(server, "openai-compatible")

    reply = client.chat.completions.create(model="any", messages=HELLO, extra_body={"top_k": 5, "min_p": 0.1})

    assert reply.choices[0].message.content == REPLY.text


def test_responses_whole_and_streamed(server: FakeServer, clients: Any) -> None:
    client = clients.openai(server)
    include: Any = ["reasoning.encrypted_content"]
    whole = client.responses.create(model="gpt-5", input=HELLO, include=include)

    with client.responses.stream(model="gpt-5", input=HELLO, include=include) as stream:
        kinds = [event.type for event in stream]
        streamed = stream.get_final_response()

    for response in (whole, streamed):
        assert [item.type for item in response.output] == ["reasoning", "message", "function_call"]
        assert response.output[0].summary[0].text == REPLY.thinking
        assert response.output[0].encrypted_content
        assert response.output_text == REPLY.text
        assert json.loads(response.output[2].arguments) == ARGUMENTS
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"


def test_anthropic_whole_streamed_and_counted(server: FakeServer, clients: Any) -> None:
    client = clients.anthropic(server)
    whole = client.messages.create(model="claude-opus-5", max_tokens=99, messages=HELLO)

    with client.messages.stream(model="claude-opus-5", max_tokens=99, messages=HELLO) as stream:
        streamed = stream.get_final_message()

    for message in (whole, streamed):
        thinking, text, call = message.content
        assert (thinking.thinking, text.text, call.input) == (REPLY.thinking, REPLY.text, ARGUMENTS)
        assert thinking.signature and message.stop_reason == "tool_use"
    counted = client.messages.count_tokens(model="claude-opus-5", messages=HELLO)
    assert counted.input_tokens == whole.usage.input_tokens


def test_gemini_whole_streamed_and_counted(server: FakeServer, clients: Any) -> None:
    models = clients.gemini(server).models
    whole = models.generate_content(model="gemini-3-pro-preview", contents="你好")
    chunks = [*models.generate_content_stream(model="gemini-3-pro-preview", contents="你好")]

    for parts in (whole.candidates[0].content.parts, [part for c in chunks for part in c.candidates[0].content.parts]):
        assert "".join(part.text or "" for part in parts if part.thought) == REPLY.thinking
        assert "".join(part.text or "" for part in parts if not part.thought) == REPLY.text
        assert parts[-1].function_call.args == ARGUMENTS
        assert parts[-1].thought_signature
    assert chunks[-1].candidates[0].finish_reason == "STOP"
    assert models.count_tokens(model="gemini-3-pro-preview", contents="你好").total_tokens > 0


def test_thinking_that_is_given_back_changed_is_refused(clients: Any) -> None:
    import anthropic

    with FakeServer(REPLY, trust_signatures=False) as server:
        client = clients.anthropic(server)
        first = client.messages.create(model="claude-opus-5", max_tokens=99, messages=HELLO)
        turn = [block.model_dump(exclude_none=True) for block in first.content]
        result = {"type": "tool_result", "tool_use_id": turn[-1]["id"], "content": "on the left"}
        messages: Any = [*HELLO, {"role": "assistant", "content": turn}, {"role": "user", "content": [result]}]

        client.messages.create(model="claude-opus-5", max_tokens=99, messages=messages)
        turn[0]["thinking"] = "Something else."
        with pytest.raises(anthropic.BadRequestError, match=r"messages\.1\.content\.0\.signature"):
            client.messages.create(model="claude-opus-5", max_tokens=99, messages=messages)


def test_hidden_thinking_comes_as_each_vendor_hides_it(clients: Any) -> None:
    with FakeServer(FakeReply("Hi", thinking="secret", redacted=True)) as server:
        message = clients.anthropic(server).messages.create(model="claude-opus-5", max_tokens=99, messages=HELLO)
        response = clients.openai(server).responses.create(model="gpt-5", input="Hi")
        parts = clients.gemini(server).models.generate_content(model="gemini-3-pro", contents="Hi").candidates[0]

    assert [block.type for block in message.content] == ["redacted_thinking", "text"]
    assert response.output[0].summary == []
    assert [part.text for part in parts.content.parts] == ["Hi"]
    assert parts.content.parts[0].thought_signature


@pytest.mark.parametrize(
    ("status", "of_openai", "of_anthropic"),
    [
        (401, "AuthenticationError", "AuthenticationError"),
        (429, "RateLimitError", "RateLimitError"),
        (500, "InternalServerError", "InternalServerError"),
        (529, "InternalServerError", "OverloadedError"),
    ],
)
def test_an_error_of_the_script_is_the_client_s_own(
    status: int, of_openai: str, of_anthropic: str, clients: Any
) -> None:
    import anthropic
    import openai
    from google.genai import errors

    with FakeServer(FakeReply(status=status, retry_after_seconds=2)) as server:
        with pytest.raises(openai.APIStatusError) as refused:
            clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO)
        assert type(refused.value).__name__ == of_openai
        assert refused.value.response.headers["retry-after"] == "2"
        with pytest.raises(anthropic.APIStatusError) as refused:
            clients.anthropic(server).messages.create(model="claude-opus-5", max_tokens=9, messages=HELLO)
        assert type(refused.value).__name__ == of_anthropic
        assert refused.value.request_id
        with pytest.raises(errors.APIError) as broken:
            clients.gemini(server).models.generate_content(model="gemini-2.5-flash", contents="Hi")
        assert broken.value.code == status


def test_a_client_tries_again_after_an_error(clients: Any) -> None:
    script = [
        FakeReply(status=429, retry_after_seconds=0.01),
        FakeReply(status=500, retry_after_seconds=0.01),
        "At last",
    ]
    with FakeServer(script) as server:
        client = clients.openai(server, max_retries=2)

        assert client.chat.completions.create(model="gpt-4o", messages=HELLO).choices[0].message.content == "At last"
        assert len(server.requests) == 3
        with pytest.raises(Exception, match="the script has only 3 replies"):
            client.chat.completions.create(model="gpt-4o", messages=HELLO)
        assert len(server.requests) == 4


def test_a_refusal_names_the_place_in_the_vendor_s_own_way(clients: Any) -> None:
    import openai
    from google.genai import errors

    with FakeServer() as server:
        with pytest.raises(openai.BadRequestError) as refused:
            clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO, temperature=3)
        assert (refused.value.param, refused.value.type) == ("temperature", "invalid_request_error")
        with pytest.raises(errors.ClientError) as broken:
            clients.gemini(server).models.generate_content(
                model="gemini-2.5-flash", contents="Hi", config={"temperature": 3}
            )
        details = broken.value.details["error"]
        assert (details["status"], details["code"]) == ("INVALID_ARGUMENT", 400)
        assert details["details"][0]["fieldViolations"][0]["field"] == "generationConfig.temperature"
        assert [one.rule for one in server.refusals] == ["shape.range", "shape.range"]


def test_a_lenient_server_answers_and_still_says_what_was_wrong(clients: Any) -> None:
    with FakeServer("Hi", strict=False) as server:
        reply = clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO, temperature=3)

        assert reply.choices[0].message.content == "Hi"
        assert [one.rule for one in server.refusals] == ["shape.range"]


def test_a_stream_that_breaks_and_one_that_is_malformed_reach_the_client(clients: Any) -> None:
    import openai

    with FakeServer([FakeReply("one two three", break_after=2), FakeReply("x", malformed_after=1)]) as server:
        client = clients.openai(server)
        got: list[str] = []
        with pytest.raises(openai.APIConnectionError):
            for chunk in client.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True):
                got.append(chunk.choices[0].delta.content or "")
        assert got == ["", "one two thre"]
        with pytest.raises(json.JSONDecodeError):
            [*client.chat.completions.create(model="gpt-4o", messages=HELLO, stream=True)]


def test_a_reply_that_breaks_in_its_middle_reaches_the_client(clients: Any) -> None:
    import openai

    with FakeServer(FakeReply("x", break_after=0)) as server, pytest.raises(openai.APIConnectionError):
        clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO)


def test_closing_ends_replies_that_wait(clients: Any) -> None:
    got: list[str] = []
    server = FakeServer(FakeReply("slow", delay_seconds=600)).start()

    def ask() -> None:
        reply = clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO)
        got.append(reply.choices[0].message.content)

    asking = threading.Thread(target=ask)
    asking.start()
    while not server.requests:
        asking.join(0.01)
    server.close()
    asking.join(120)

    assert got == ["slow"]


def test_keys_are_nowhere(clients: Any) -> None:
    lines: list[str] = []
    with FakeServer(log=lines.append) as server:
        clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO)
        clients.anthropic(server).messages.create(model="claude-opus-5", max_tokens=9, messages=HELLO)
        clients.gemini(server).models.generate_content(model="gemini-2.5-flash", contents="Hi")
        _post(f"{server.url}/v1beta/models/gemini-2.5-flash:generateContent?key={KEY}&alt=json", GEMINI)

        assert len(lines) == len(server.requests) == 4
        assert server.requests[3].path.endswith("generateContent?alt=json")
        kept = (
            *lines,
            repr(server),
            server._repr_html_(),
            repr(server.requests),
            *(str(r.headers) for r in server.requests),
        )
    assert not [text for text in kept if KEY in text]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/chat/completions", {}, 401),
        ("/v1/chat/completions", {"authorization": "Bearer "}, 401),
        ("/v1/responses", {}, 401),
        ("/v1/messages", {"anthropic-version": "2023-06-01"}, 401),
        ("/v1/messages", {"x-api-key": "k"}, 400),
        ("/v1beta/models/gemini-2.5-flash:generateContent", {}, 403),
        ("/deepseek/chat/completions", {}, 401),
        ("/v2/chat/completions", {"authorization": "Bearer k"}, 404),
    ],
)
def test_a_missing_key_version_or_address_is_refused(path: str, headers: dict[str, str], status: int) -> None:
    with FakeServer() as server:
        got, body = _post(server.url + path, BODIES["openai"], headers)

    assert got == status
    assert body["error"]


def test_the_very_bytes_are_kept(server: FakeServer) -> None:
    content = b'{"messages": [{"role":"user",  "content":"\\u4f60"}], "model":"gpt-4o"}'

    _post(f"{server.url}/chat/completions", content, {"authorization": "Bearer k"})

    assert server.requests[-1].content == content
    assert server.requests[-1].body == json.loads(content)


def test_requests_are_forgotten_where_that_is_wanted() -> None:
    with FakeServer(record=False) as server:
        _post(
            f"{server.url}/v1/chat/completions", {"model": "gpt-4o", "messages": HELLO}, {"authorization": "Bearer k"}
        )

        assert server.requests == ()


def test_a_script_may_be_a_function_of_the_request(clients: Any) -> None:
    with FakeServer(lambda request: f"{request.vendor} {request.model}") as server:
        reply = clients.openai(server).chat.completions.create(model="gpt-4o", messages=HELLO)

    assert reply.choices[0].message.content == "openai gpt-4o"


def test_the_fixture_echoes(fake_server: FakeServer, clients: Any) -> None:
    reply = clients.openai(fake_server).chat.completions.create(model="gpt-4o", messages=HELLO)

    assert reply.choices[0].message.content == "I got 1 message. The last one: 你好"


def test_a_server_that_is_not_running_and_a_port_that_is_taken_say_so() -> None:
    with pytest.raises(CtxlabError, match="not running"):
        FakeServer().base_url("openai")
    with FakeServer() as server, pytest.raises(CtxlabError, match="can't be had"):
        FakeServer(port=int(server.url.rpartition(":")[2])).start()


def _post(url: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def _sent(server: FakeServer, head: str, body: bytes) -> bytes:
    """The first line of the answer to a request that is written by hand, whose sender then ends his side."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        begin = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n{head}"
        )
        connection.sendall(begin.encode() + b"\r\n\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").readline()


WHOLE = json.dumps({"model": "gpt-4o", "messages": HELLO}).encode()
CHUNKED = b"%x;a=b\r\n%b\r\n%x\r\n%b\r\n0\r\nX-End: 1\r\n\r\n" % (9, WHOLE[:9], len(WHOLE) - 9, WHOLE[9:])


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        (f"Content-Length: {len(WHOLE)}", WHOLE, b"200"),
        (f"Content-Length: {len(WHOLE):08}", WHOLE, b"200"),
        ("Transfer-Encoding: chunked", CHUNKED, b"200"),
        ("Transfer-Encoding: chunked", CHUNKED[:-9], b"400"),
        ("Transfer-Encoding: chunked", b"-5\r\nhello\r\n0\r\n\r\n", b"400"),
        ("Transfer-Encoding: chunked", b"ffffffffff\r\n", b"413"),
        ("Transfer-Encoding: gzip", WHOLE, b"501"),
        (f"Content-Length: {len(WHOLE) + 1}", WHOLE, b"400"),
        ("Content-Length: 9" + "0" * 5_000, WHOLE, b"413"),
        ("Content-Length: many", WHOLE, b"400"),
    ],
)
def test_only_a_whole_body_is_read(server: FakeServer, head: str, body: bytes, status: bytes) -> None:
    assert _sent(server, head, body).split()[1] == status


def test_many_clients_are_let_in_at_once(server: FakeServer) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    clients = [socket.socket() for _ in range(100)]
    for client in clients:
        client.setblocking(False)
        client.connect_ex((host, int(port)))
    for client in clients:
        client.settimeout(5)
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    assert {client.makefile("rb").readline().split()[1] for client in clients} == {b"404"}
    for client in clients:
        client.close()
