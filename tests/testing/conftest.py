"""Clients of the vendors, made for a server on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.testing import FakeServer

KEY = "sk-very-secret"


class Clients:
    """The official clients; none of them tries again unless it is asked to."""

    @staticmethod
    def openai(server: FakeServer, vendor: Any = "openai", **more: Any) -> Any:
        import openai

        return openai.OpenAI(**{"api_key": KEY, "base_url": server.base_url(vendor), "max_retries": 0, **more})

    @staticmethod
    def anthropic(server: FakeServer, **more: Any) -> Any:
        import anthropic

        return anthropic.Anthropic(
            **{"api_key": KEY, "base_url": server.base_url("anthropic"), "max_retries": 0, **more}
        )

    @staticmethod
    def gemini(server: FakeServer) -> Any:
        from google import genai

        return genai.Client(api_key=KEY, http_options={"base_url": server.base_url("gemini")})


@pytest.fixture(scope="session")
def clients() -> type[Clients]:
    return Clients


Ask = Callable[..., Any]
