"""Completion of what is being typed: the request stands alone, pieces come as the model gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Session
from ctxlab.errors import WrongArgument
from ctxlab.testing import FakeServer

CHAT = Session(id="s").append("Is it flaky?", id="u1").append("Often.", role="assistant", id="a1")


def test_the_model_gets_the_text_alone_and_the_session_stays() -> None:
    asked: list[Any] = []

    found = ctxlab.complete_input(CHAT, "Then we {{user}}", model=lambda messages: asked.append(messages) or " wait")

    assert (found.completed, found.continuation, found.error) == ("Then we {{user}} wait", " wait", None)
    assert [message["role"] for message in asked[0]] == ["system", "user"]
    assert asked[0][1]["content"] == "Then we {{user}}" and "flaky" not in asked[0][0]["content"]


def test_with_a_number_of_messages_the_model_sees_the_newest() -> None:
    asked: list[Any] = []
    settings = {"contextMessageCount": 1}

    ctxlab.complete_input(CHAT, "Then", settings=settings, model=lambda messages: asked.append(messages) or "x")

    assert "Assistant: Often." in asked[0][0]["content"] and "flaky" not in asked[0][0]["content"]


@pytest.mark.parametrize(
    ("pieces", "continuation"),
    [
        (["I would", " like to", " go"], " to go"),
        (["I wo", "n't"], "I won't"),
        (["<thi", "nk>hm</think>", "\nto go"], "to go"),
        (["to", " go"], "to go"),
    ],
)
def test_what_repeats_the_text_and_thoughts_are_left_out(pieces: list[str], continuation: str) -> None:
    stream = ctxlab.stream_completion(CHAT, "I would like", model=lambda messages: iter(pieces))

    given = list(stream)

    assert "".join(given) == stream.completion.continuation == continuation


def test_a_completion_that_is_cancelled_keeps_what_came() -> None:
    def model(messages: Any) -> Iterator[str]:
        yield "one"
        yield from ("more" for _ in range(10**9))

    stream = ctxlab.stream_completion(CHAT, "x", model=model)
    first = next(stream)
    stream.cancel()
    found = stream.completion

    assert first == "one" and found.cancelled and found.continuation.startswith("one") and found.error is None


def test_a_model_that_fails_or_says_nothing_is_an_error() -> None:
    assert "ZeroDivisionError" in str(ctxlab.complete_input(CHAT, "x", model=lambda messages: 1 / 0).error)
    assert ctxlab.complete_input(CHAT, "x", model=lambda messages: "x").error == "the model gave no continuation"
    with pytest.raises(WrongArgument, match="text is empty"):
        ctxlab.complete_input(CHAT, " ", model=lambda messages: "x")


def test_a_vendor_s_pieces_come_as_a_stream() -> None:
    with FakeServer("and so on") as server:
        stream = ctxlab.stream_completion(
            CHAT, "x", model="gpt-4o", base_url=server.base_url("openai"), key="sk-42-hidden"
        )
        pieces = list(stream)

    assert "".join(pieces) == "and so on" and server.requests[0].streamed
    assert "hidden" not in repr(stream) + repr(stream.completion)
