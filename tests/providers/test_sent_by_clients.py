"""Requests posted by the vendors' own clients to a strict server on this machine are taken, and arrive as they were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import ctxlab
from ctxlab.pipeline import NothingToSend
from ctxlab.providers import Payload, built_in, payload
from ctxlab.testing import FakeServer
from tests.promises.test_real_requests import DATA, files, sessions_of

EXAMPLES = ("harbour", "harbour_attachments", "coding", "research")
EVERY = 40
"""Of real conversations one in so many is posted; all of them are checked without a server elsewhere."""
KEY = "any-key"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture(scope="module")
def post(server: FakeServer) -> Iterator[Any]:
    """Post a request by its vendor's client: the body as it is, and the headers that belong to it."""
    import anthropic
    import openai
    from google.genai._api_client import httpx

    clients: dict[str, Any] = {
        name: openai.OpenAI(api_key=KEY, base_url=server.base_url(name), max_retries=0)
        for name in ("openai", "openai-responses", "deepseek", "openai-compatible")
    }
    clients["anthropic"] = anthropic.Anthropic(api_key=KEY, base_url=server.base_url("anthropic"), max_retries=0)
    plain = httpx.Client()

    def sent(request: Payload) -> int:
        provider = request.provider
        if provider.name == "gemini":
            headers = {**request.headers, **provider.auth(KEY)}
            return plain.post(request.url, content=request.as_bytes(), headers=headers).status_code
        options = {"headers": request.headers}
        url = request.url if provider.name == "deepseek" else provider.path
        clients[provider.name].post(url, body=request.body, cast_to=object, options=options)
        return 200

    yield sent
    for client in (*clients.values(), plain):
        client.close()


def taken_as_it_is(request: Payload, server: FakeServer, post: Any) -> None:
    if [problem.rule for problem in request.problems] == ["context-window"]:
        request = request.mended(request.problems[0].fixes[0])
    assert request.problems == ()
    assert post(request) == 200
    assert json.dumps(server.requests[-1].body) == json.dumps(request.body)  # the order of its keys too


@pytest.mark.parametrize("vendor", tuple(built_in()))
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_taken(name: str, vendor: str, server: FakeServer, post: Any) -> None:
    trace = ctxlab.build(ctxlab.example(name), model=built_in()[vendor].default_model)

    taken_as_it_is(payload(trace, vendor, base_url=server.base_url(vendor)), server, post)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")
@pytest.mark.parametrize("vendor", tuple(built_in()))
def test_real_conversations_are_taken(vendor: str, server: FakeServer, post: Any) -> None:
    model = built_in()[vendor].default_model
    for path in files():
        for library, session in list(sessions_of(path))[::EVERY]:
            try:
                trace = ctxlab.build(session, library=library, model=model)
            except NothingToSend:  # a reply without words, calls and files
                continue
            taken_as_it_is(payload(trace, vendor, base_url=server.base_url(vendor)), server, post)
