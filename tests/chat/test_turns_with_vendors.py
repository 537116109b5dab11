"""Turns with every vendor, on a strict server: what is posted is what was previewed, whatever goes wrong."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.event_log import read_events
from ctxlab.chat.events import AttemptFailed, ReplyFinished, RequestSent, TextAdded
from ctxlab.chat.prefill import prefill_plan
from ctxlab.documents import Agent, Session
from ctxlab.errors import MissingKey
from ctxlab.testing import FakeCall, FakeReply, FakeServer

KEY = "sk-never-to-be-seen-42"
CHAT = Session(id="s").append("Hi", id="u1").append("Hello ", role="assistant", id="a1")
MODELS = {
    "openai": "gpt-4o",
    "openai-responses": "gpt-4o",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
    "deepseek": "deepseek-chat",
    "openai-compatible": "qwen3",
}
VENDORS = pytest.mark.parametrize("vendor", list(MODELS))
QUICK = ctxlab.RetryPolicy(attempts=2, first_wait_seconds=0.01)


def options(server: FakeServer, vendor: Any) -> dict[str, Any]:
    return {
        "provider": vendor,
        "model": MODELS[vendor],
        "base_url": server.base_url(vendor),
        "key": KEY,
        "retries": QUICK,
    }


def no_key_in(turn: Any, tmp_path: Path) -> None:
    log = tmp_path / "turn.jsonl"
    texts = [repr(turn), turn._repr_html_(), str(turn.events), str(turn.session.to_data()), turn.error or ""]
    texts += [repr(turn.requests), str([one.payload.as_data() for one in turn.requests])]
    texts += [log.read_text(encoding="utf-8")] if log.exists() else []
    assert not any(KEY in text for text in texts)


@VENDORS
def test_the_bytes_that_come_are_those_of_the_payload_and_the_reply_is_whole(vendor: str, tmp_path: Path) -> None:
    with FakeServer(FakeReply("It is 42, 沈砚.", thinking="Let me see.", piece_characters=3)) as server:
        turn = ctxlab.send(CHAT, "Why?", **options(server, vendor), log=tmp_path / "turn.jsonl")

    (posted,), (request,) = server.requests, turn.requests
    assert posted.content == request.payload.as_bytes() and posted.streamed and server.refusals == ()
    assert (turn.error, turn.text) == (None, "It is 42, 沈砚.")
    assert "".join(event.text for event in turn.events if isinstance(event, TextAdded)) == turn.text
    assert turn.usage["completionTokens"] > 0
    assert turn.reply is not None
    assert turn.reply.meta("modelId") == MODELS[vendor] and turn.reply.meta("providerType") == vendor
    assert turn.reply.meta("requestStartTime") <= turn.reply.meta("firstTokenTime") <= turn.reply.meta("requestEndTime")
    no_key_in(turn, tmp_path)


@VENDORS
def test_calls_go_to_and_fro_with_every_vendor(vendor: str) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    replies = [FakeReply("Let me add.", calls=(FakeCall("add", {"a": 2, "b": 3}),)), "It is 5."]
    with FakeServer(replies) as server:
        turn = ctxlab.send(CHAT, "2 + 3?", **options(server, vendor), tools=[add])

    assert (turn.error, turn.text) == (None, "It is 5.")
    assert [node.role for node in turn.nodes] == ["user", "assistant", "tool", "assistant"]
    assert [one.content for one in server.requests] == [one.payload.as_bytes() for one in turn.requests]
    assert server.refusals == ()


def failures() -> list[Any]:
    broken = FakeReply("It is 42 and more.", piece_characters=3, break_after=5)
    return [
        pytest.param(FakeReply(status=401, message=f"wrong key {KEY}"), 1, id="401"),
        pytest.param(FakeReply(status=429, retry_after_seconds=0), 2, id="429"),
        pytest.param(FakeReply(status=500), 2, id="500"),
        pytest.param(FakeReply(status=529), 2, id="529"),
        pytest.param(broken, 1, id="cut"),
    ]


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini"])
@pytest.mark.parametrize(("reply", "attempts"), failures())
def test_what_fails_is_one_sentence_and_nothing_is_lost(
    vendor: str, reply: FakeReply, attempts: int, tmp_path: Path
) -> None:
    with FakeServer([reply] * 3) as server:
        turn = ctxlab.send(CHAT, "Why?", **options(server, vendor), log=tmp_path / "turn.jsonl")

    assert turn.error and "\n" not in turn.error
    assert turn.nodes[0].content == "Why?" and turn.session.check() == ()
    assert turn.reply is not None and turn.reply.status == "error"
    assert "It is 42 and more.".startswith(turn.text)
    assert len([event for event in turn.events if isinstance(event, RequestSent)]) <= attempts
    no_key_in(turn, tmp_path)


def test_a_failure_that_passes_is_tried_again_and_told() -> None:
    with FakeServer([FakeReply(status=529), "Fine."]) as server:
        turn = ctxlab.send(CHAT, "Why?", **options(server, "anthropic"))

    kinds = [type(event) for event in turn.events]
    assert turn.text == "Fine." and kinds.count(RequestSent) == 2 and kinds.count(AttemptFailed) == 1
    assert kinds.index(AttemptFailed) < len(kinds) - 1 - kinds[::-1].index(RequestSent)
    assert [node.content for node in turn.nodes] == ["Why?", "Fine."]


def test_a_server_that_stops_talking_is_left() -> None:
    limits = ctxlab.TimeLimits(silence_seconds=0.2)
    with FakeServer(FakeReply("It is 42 and more.", piece_characters=3, pause_seconds=60)) as server:
        turn = ctxlab.send(CHAT, "Why?", **options(server, "openai"), time_limits=limits)

    assert turn.error and "sent nothing for 0.2 s" in turn.error
    assert turn.nodes[0].content == "Why?" and turn.session.check() == ()


def test_a_client_of_ones_own_brings_its_address_and_key() -> None:
    openai = pytest.importorskip("openai")
    with FakeServer("Aye.") as server, openai.OpenAI(api_key=KEY, base_url=server.base_url("openai")) as client:
        turn = ctxlab.send(CHAT, "Why?", provider="openai", model="gpt-4o", client=client)

    assert turn.text == "Aye." and server.requests[0].content == turn.requests[0].payload.as_bytes()


def test_a_refused_connection_is_one_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    turn = ctxlab.send(CHAT, "Why?", model="qwen3", base_url=address, key=KEY, retries=QUICK)

    assert turn.error and "\n" not in turn.error and KEY not in turn.error
    assert [node.content for node in turn.nodes] == ["Why?", ""]


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5])
def test_a_stream_of_a_vendor_is_cancelled_at_any_event(after: int) -> None:
    with FakeServer(FakeReply("It is 42 and more.", piece_characters=3)) as server:
        running = ctxlab.stream(CHAT, "Why?", **options(server, "openai"))
        for _ in range(after):
            next(running)
        running.cancel()
        turn = running.turn

    assert turn.cancelled and turn.session.check() == ()
    assert turn.nodes[0].content == "Why?" and "It is 42 and more.".startswith(turn.text)


def test_a_request_that_would_be_refused_is_not_posted() -> None:
    agent = Agent(name="g", parameters={"maxTokens": 10, "thinkingEnabled": True, "thinkingBudget": 5000})
    with FakeServer() as server:
        turn = ctxlab.send(CHAT.append("", id="x"), "Why?" * 3_000_000, **options(server, "anthropic"), agent=agent)

    assert turn.error and turn.error.startswith("not sent, Anthropic would refuse") and "\n" not in turn.error
    assert server.requests == () and turn.nodes[0].content == "Why?" * 3_000_000


def test_a_missing_key_raises_before_anything_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        ctxlab.stream(CHAT, "Why?", model="claude-sonnet-4-5")


# --- going on from a reply

WAYS = {
    "openai": "instruct",
    "openai-responses": "instruct",
    "anthropic": "trailing_assistant",
    "gemini": "trailing_assistant",
    "deepseek": "native_prefix",
    "openai-compatible": "instruct",
}


@VENDORS
@pytest.mark.parametrize("answer", ["there.", "Hello there."])
def test_a_reply_goes_on_with_every_vendor_and_doubles_nothing(vendor: str, answer: str) -> None:
    preset = {"id": "p", "role": "system", "content": "Be kind.", "injectionStrategy": {"type": "depth", "depth": 0}}
    with FakeServer(answer) as server:
        turn = ctxlab.continue_reply(CHAT, "a1", **options(server, vendor), agent=Agent(preset_messages=(preset,)))

    assert (turn.error, turn.text) == (None, "Hello there.")
    messages = turn.requests[0].trace.messages
    is_last = messages[-1]["role"] == "assistant" and messages[-1]["content"].strip() == "Hello"
    assert is_last is (WAYS[vendor] != "instruct")
    assert server.refusals == ()
    if vendor == "deepseek":
        assert turn.requests[0].payload.body["messages"][-1]["prefix"] is True


@VENDORS
def test_the_way_to_go_on_is_known_for_each_model(vendor: str) -> None:
    start = ctxlab.build(CHAT, model=MODELS[vendor])
    request = ctxlab.payload(start, vendor, model=MODELS[vendor])

    assert prefill_plan("a1", "Hello ", request).way == WAYS[vendor]


@pytest.mark.parametrize(
    ("model", "parameters", "reason"),
    [
        ("claude-sonnet-4-5", {"thinkingEnabled": True, "thinkingBudget": 2000}, "a model that thinks"),
        ("claude-opus-4-6", {}, "takes no beginning of its reply"),
    ],
)
def test_a_claude_that_takes_no_beginning_is_asked(model: str, parameters: dict[str, Any], reason: str) -> None:
    request = ctxlab.payload(ctxlab.build(CHAT, model=model), "anthropic", model=model, parameters=parameters)
    plan = prefill_plan("a1", "Hello ", request)

    assert plan.way == "instruct" and reason in plan.reason


def test_another_model_for_one_time_changes_neither_agent_nor_session() -> None:
    agent = Agent(id="g", name="Guide", model_id="gpt-4o", parameters={"temperature": 0.3, "frequencyPenalty": 0.5})
    with FakeServer("Good day.") as server:
        turn = ctxlab.regenerate(CHAT, "a1", **options(server, "anthropic"), agent=agent)

    assert turn.error is None and turn.reply is not None
    assert turn.reply.meta("modelId") == "claude-sonnet-4-5" and turn.reply.agent_id == "g"
    assert "frequency_penalty" not in turn.requests[0].payload.body
    assert turn.session.node("a1") == CHAT.node("a1")


def test_a_reply_that_is_too_long_is_marked() -> None:
    with FakeServer(FakeReply("It is", finish="length")) as server:
        turn = ctxlab.send(CHAT, "Why?", **options(server, "gemini"))

    assert turn.reply is not None and turn.reply.meta("isTruncated") is True
    assert [event.finish_reason for event in turn.events if isinstance(event, ReplyFinished)] == ["MAX_TOKENS"]


def test_a_turn_says_what_of_the_stream_was_left_out(tmp_path: Path) -> None:
    log = tmp_path / "turn.jsonl"
    with FakeServer(FakeReply("one two three", piece_characters=4, malformed_after=2)) as server:
        turn = ctxlab.send(CHAT, "Why?", log=log, **options(server, "openai"))

    assert (turn.text, turn.error) == ("one two three", None)
    assert turn.notes == ("1 event of the stream without a JSON object left out",)
    assert read_events(log) == turn.events
