"""Hits ranked anew by a server; where it is slow, refuses or talks nonsense they stay as they are, with a note."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

import ctxlab
from ctxlab import EndpointReranker, KnowledgeAnswer, QueryPart

pytest.importorskip("openai")

KEY = "sk-very-secret"
BASE = ctxlab.knowledge_base(
    "harbour",
    entries={
        "灯塔": "灯塔的 lamp lamp lamp 建于1890年。",
        "Rope": "A rope and a lamp.",
        "Oil": "The lamp burns oil, a lamp.",
    },
)
Reply = Callable[[list[str]], Any]


def by_length(texts: list[str]) -> Any:
    rows = [{"index": i, "relevance_score": -len(text)} for i, text in enumerate(texts)]
    return {"results": sorted(rows, key=lambda row: -row["relevance_score"])}


class Server(ThreadingHTTPServer):
    """Ranks the shortest text first, unless it is told to do otherwise; what it got is kept."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []
        self.status = 200
        self.reply: Reply | bytes = by_length
        self.gate: Event | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, asked, self.headers["Authorization"]))
        if self.server.gate is not None:
            self.server.gate.wait(120)
        reply = self.server.reply
        body = reply if isinstance(reply, bytes) else json.dumps(reply(asked["documents"])).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # who asked may have gone
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    thread = Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    if found.gate is not None:
        found.gate.set()
    found.shutdown()
    thread.join()
    found.server_close()


def found(reranker: EndpointReranker | None) -> KnowledgeAnswer:
    return ctxlab.KnowledgeRetriever(BASE, reranker=reranker).search([QueryPart("lamp 灯塔")], engine="keyword")


def reranker(server: Server, **options: Any) -> EndpointReranker:
    return EndpointReranker(server.address, "m", **{"retries": 0, **options})


def test_hits_come_in_the_order_of_the_server_with_all_their_scores(server: Server) -> None:
    answer = found(reranker(server, key=KEY))

    lengths = [len(hit.text) for hit in answer.hits]
    assert lengths == sorted(lengths)
    assert [hit.ranks["rerank"] for hit in answer.hits] == [1, 2, 3]
    assert [hit.scores["rerank"] for hit in answer.hits] == [-length for length in lengths]
    assert all("keyword" in hit.scores for hit in answer.hits)
    ((path, asked, key),) = server.requests
    assert (path, asked["model"], asked["query"], key) == ("/v1/rerank", "m", "lamp 灯塔", f"Bearer {KEY}")
    assert (answer.notes, answer.engine) == ((), "keyword")


WRONG: dict[str, Reply | bytes] = {
    "no JSON": b"<html>busy</html>",
    "nothing": b"",
    "a list": lambda texts: [1, 2, 3],
    "no results": lambda texts: {"scores": [1, 2, 3]},
    "one short": lambda texts: {"results": by_length(texts)["results"][1:]},
    "one twice": lambda texts: {"results": [{"index": 0, "relevance_score": 1}] * len(texts)},
    "words": lambda texts: {"results": [{"index": i, "relevance_score": "high"} for i in range(len(texts))]},
    "no numbers": lambda texts: {"results": [{"index": i, "relevance_score": float("nan")} for i in range(len(texts))]},
    "results in results": lambda texts: {"results": {"results": []}},
    "an index that is a list": lambda texts: {"results": [{"index": [i], "relevance_score": 1} for i in range(3)]},
}


def stayed(answer: KnowledgeAnswer) -> str:
    """The one note, where the hits are those of a search without a reranker."""
    plain = found(None)
    assert [hit.chunk for hit in answer.hits] == [hit.chunk for hit in plain.hits]
    assert all("rerank" not in hit.scores for hit in answer.hits)
    (note,) = answer.notes
    assert note.startswith("the hits were not ranked anew: ")
    assert "\n" not in note
    assert KEY not in note
    return note


@pytest.mark.parametrize("kind", WRONG)
def test_a_reply_that_is_no_ranking_leaves_the_hits_and_a_note(server: Server, kind: str) -> None:
    server.reply = WRONG[kind]

    stayed(found(reranker(server, key=KEY)))


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_refusal_is_a_note_without_the_servers_words(server: Server, status: int) -> None:
    server.status, server.reply = status, json.dumps({"error": f"bad key {KEY}"}).encode()

    assert f"{server.address} answered {status}" in stayed(found(reranker(server, key=KEY)))


def test_a_server_that_is_slow_is_not_waited_for(server: Server) -> None:
    server.gate = Event()

    assert "sends no answer in 0.2 s" in stayed(found(reranker(server, wait_seconds=0.2)))


def test_a_server_that_is_not_there_is_a_note() -> None:
    nobody = Server()
    nobody.server_close()

    assert "can't be reached" in stayed(found(reranker(nobody)))


def test_a_copy_has_no_key_and_says_so(server: Server) -> None:
    own = reranker(server, key=KEY)
    copy = pickle.loads(pickle.dumps(own))

    assert KEY not in f"{own!r}{own._repr_html_()}{pickle.dumps(own)!r}"
    assert "give key_variable= instead" in stayed(found(copy))
    assert server.requests == []
