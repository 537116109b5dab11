"""Clients of the vendors, made for a server on this machine."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from ctxlab.testing import FakeServer

KEY = "sk-very-secret"


class Clients:
    """The official clients, closed at the end of the test; none of them tries again unless it is asked to."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def openai(self, server: FakeServer, vendor: Any = "openai", **more: Any) -> Any:
        import openai

        fields = {"api_key": KEY, "base_url": server.base_url(vendor), "max_retries": 0, **more}
        self.made.append(openai.OpenAI(**fields))
        return self.made[-1]

    def anthropic(self, server: FakeServer, **more: Any) -> Any:
        import anthropic

        fields = {"api_key": KEY, "base_url": server.base_url("anthropic"), "max_retries": 0, **more}
        self.made.append(anthropic.Anthropic(**fields))
        return self.made[-1]

    def gemini(self, server: FakeServer) -> Any:
        from google import genai

        self.made.append(genai.Client(api_key=KEY, http_options={"base_url": server.base_url("gemini")}))
        return self.made[-1]


@pytest.fixture
def clients() -> Iterator[Clients]:
    gc.freeze()  # what is there stays: only what comes is looked through
    clients = Clients()
    yield clients
    for client in clients.made:
        client.close()
    with warnings.catch_warnings():  # of a stream that broke, the SDKs leave the socket to the garbage collector
        warnings.simplefilter("ignore", ResourceWarning)
        clients.made.clear()
        gc.collect()
