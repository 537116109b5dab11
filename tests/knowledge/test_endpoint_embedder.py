"""Embeddings from a server: in batches, by index, tried again; the key goes to the server and nowhere else."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from ctxlab import EndpointEmbedder
from ctxlab.errors import CtxlabError

pytest.importorskip("openai")

KEY = "sk-very-secret"


class Server(ThreadingHTTPServer):
    """Answers with vectors of the texts' lengths, the last first; what it got is kept."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.refusals: list[int] = []
        self.answer: Callable[[list[Any]], list[Any]] = lambda data: data[::-1]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.append(self.headers["Authorization"])
        status = self.server.refusals.pop() if self.server.refusals else 200
        if status == 200:
            self.server.requests.append(asked)
        data = [
            {"object": "embedding", "index": i, "embedding": [len(text), 1]} for i, text in enumerate(asked["input"])
        ]
        reply = {"object": "list", "model": "m", "data": self.server.answer(data)} if status == 200 else {"error": KEY}
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "0.01")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    thread = Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}/v1"


def test_texts_go_in_batches_and_vectors_come_back_by_their_index(server: Server) -> None:
    texts = ["x" * n for n in range(1, 301)]
    texts[5] = " "

    vectors = EndpointEmbedder(address(server), "m").embed(texts)

    lengths = np.array([len(text) if text.strip() else 0 for text in texts], np.float32)
    assert np.allclose(vectors[:, 0], lengths / np.sqrt(lengths**2 + 1))
    assert [len(each["input"]) for each in server.requests] == [128, 128, 43]
    assert {each["model"] for each in server.requests} == {"m"}


def test_a_request_that_fails_is_sent_again(server: Server) -> None:
    server.refusals = [503, 500]

    assert EndpointEmbedder(address(server), "m").embed(["a"]).shape == (1, 2)


def test_a_refusal_names_the_address_and_not_what_the_server_says(server: Server) -> None:
    server.refusals = [401]

    with pytest.raises(CtxlabError, match=f"{address(server)} answered 401 to embeddings by 'm'") as refusal:
        EndpointEmbedder(address(server), "m", key=KEY).embed(["a"])
    assert KEY not in str(refusal.value)
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("answer", [lambda data: data[1:], lambda data: [data[0], data[0]], lambda data: []])
def test_an_answer_without_one_vector_a_text_is_refused(
    server: Server, answer: Callable[[list[Any]], list[Any]]
) -> None:
    server.answer = answer

    with pytest.raises(CtxlabError, match="embeddings"):
        EndpointEmbedder(address(server), "m").embed(["a", "b"])


def test_a_key_is_neither_shown_nor_pickled_and_a_copy_without_it_says_so(server: Server) -> None:
    embedder = EndpointEmbedder(address(server), "m", key=KEY)
    copy = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(embedder))))

    assert KEY not in f"{embedder!r}{embedder._repr_html_()}{embedder.version}{pickle.dumps(embedder)!r}"
    assert copy == embedder
    with pytest.raises(CtxlabError, match="give key_variable= instead"):
        copy.embed(["a"])


def test_no_way_of_looking_at_the_fields_shows_the_key(server: Server) -> None:
    embedder = EndpointEmbedder(address(server), "m", key=KEY)
    moved = replace(embedder, model="other", key=SecretStr(KEY))

    for value in (asdict(embedder), astuple(embedder), embedder.key, [embedder], embedder._repr_html_(), asdict(moved)):
        assert KEY not in f"{value} {value!r}"
    assert KEY.encode() not in pickle.dumps(embedder)
    replace(embedder, model="other").embed(["a"])
    moved.embed(["a"])
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_a_variable_of_the_environment_holds_the_key_for_copies_too(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = pickle.loads(pickle.dumps(EndpointEmbedder(address(server), "m", key_variable="MY_KEY")))
    with pytest.raises(CtxlabError, match="no variable 'MY_KEY'"):
        embedder.embed(["a"])

    monkeypatch.setenv("MY_KEY", KEY)
    embedder.embed(["a"])

    assert server.keys == [f"Bearer {KEY}"]


def test_without_a_key_the_one_of_another_vendor_in_the_environment_is_not_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    EndpointEmbedder(address(server), "m").embed(["a"])

    assert server.keys == ["Bearer none"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "ftp://x"}, "http:// or https://"),
        ({"base_url": "http://[x"}, "http:// or https://"),
        ({"base_url": f"https://me:{KEY}@x/v1"}, "give a key as key= or key_variable="),
        ({"base_url": f"https://x/v1?key={KEY}"}, "give a key as key= or key_variable="),
        ({"base_url": 3}, "base_url is a int"),
        ({"model": ""}, "model is a str"),
        ({"key": 3}, "key takes a text"),
        ({"retries": -1}, "retries takes a whole number"),
        ({"wait_seconds": float("nan")}, "wait_seconds takes a number"),
    ],
)
def test_wrong_settings_are_refused_without_repeating_a_key(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(CtxlabError, match=words) as refusal:
        EndpointEmbedder(**{"base_url": "http://x/v1", "model": "m", **settings})
    assert KEY not in str(refusal.value)
