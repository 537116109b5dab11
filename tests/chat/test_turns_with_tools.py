"""Turns in which the model calls functions."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.events import ToolFinished, ToolStarted
from ctxlab.documents import Agent, Session

CHAT = Session(id="s").append("Hi", id="u1").append("Hello.", role="assistant", id="a1")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082"
)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fail() -> None:
    """Fail."""
    raise ValueError("no such thing")


def draw() -> bytes:
    """Draw a picture."""
    return PNG


def calling(*names: str, rounds: int = 1) -> Any:
    """A model that calls these tools so many times, and then says how many results it got."""

    def model(messages: list[dict[str, Any]]) -> Any:
        results = [message for message in messages if message["role"] == "tool"]
        if len(results) >= rounds * len(names):
            return f"{len(results)} results: {results[0]['content']}"
        function = [{"name": name, "arguments": '{"a": 2, "b": 3}' if name == "add" else "{}"} for name in names]
        round_ = len(results) // len(names)
        calls = [{"id": f"c{round_}-{n}", "type": "function", "function": one} for n, one in enumerate(function)]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    return model


def test_calls_are_carried_out_and_their_results_are_nodes_between_the_replies() -> None:
    turn = ctxlab.send(CHAT, "2 + 3?", model=calling("add", rounds=2), tools=[add])

    assert [node.role for node in turn.nodes] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert turn.text == "2 results: 5" and turn.session.check() == ()
    assert len(turn.requests) == 3
    assert turn.requests[0].payload.body["tools"][0]["function"]["name"] == "add"


def test_a_failing_tool_and_a_picture_are_results_too() -> None:
    turn = ctxlab.send(CHAT, "Go", model=calling("fail", "draw", "add"), tools=[add, fail, draw])

    results = [event for event in turn.events if isinstance(event, ToolFinished)]
    assert [event.status for event in results] == ["failed", "done", "done"]
    assert turn.error is None and turn.text.startswith("3 results")
    assert turn.session.node(turn.nodes[3].id).attachments is not None


def test_a_tool_that_hangs_is_left_when_the_turn_is_cancelled() -> None:
    hangs, never = threading.Event(), threading.Event()

    def hang() -> str:
        """Hang."""
        hangs.set()
        never.wait()
        return "late"

    running = ctxlab.stream(CHAT, "Go", model=calling("add", "hang"), tools=[add, hang])
    threading.Thread(target=lambda: (hangs.wait(), running.cancel()), daemon=True).start()
    turn = running.turn
    never.set()

    assert turn.cancelled and turn.session.check() == ()
    assert {node.result_of for node in turn.nodes if node.role == "tool"} == {"c0-0", "c0-1"}
    assert ctxlab.send(turn.session, "And now?", model=lambda messages: "Fine.").text == "Fine."


def test_a_turn_with_tools_is_cancelled_at_any_event() -> None:
    events = len(ctxlab.send(CHAT, "Go", model=calling("add", "fail"), tools=[add, fail]).events)
    for after in range(events):
        running = ctxlab.stream(CHAT, "Go", model=calling("add", "fail"), tools=[add, fail])
        taken = [next(running) for _ in range(after)]
        running.cancel()
        turn = running.turn

        assert turn.session.check() == () and turn.nodes[0].content == "Go"
        asked = {call.id for node in turn.nodes for call in node.tool_calls}
        answered = [node.result_of for node in turn.nodes if node.role == "tool"]
        assert sorted(answered, key=str) == sorted(asked), taken[-1:]


def test_too_many_rounds_are_an_error_that_says_what_allows_more() -> None:
    agent = Agent(name="Guide", tool_call_config={"maxIterations": 2, "defaultAutoApprove": True})
    turn = ctxlab.send(CHAT, "Go", model=calling("add", rounds=9), tools=[add], agent=agent)

    assert turn.error is not None and "after 2 rounds" in turn.error and "maxIterations" in turn.error
    assert len(turn.requests) == 3
    more = agent.with_(tool_call_config={"maxIterations": 9, "defaultAutoApprove": True})
    assert ctxlab.send(CHAT, "Go", model=calling("add", rounds=9), tools=[add], agent=more).error is None


def test_calls_wait_for_a_word_where_the_agent_says_so() -> None:
    agent = Agent(name="Guide", tool_call_config={"mode": "manual"})
    asked: list[str] = []
    turn = ctxlab.send(
        CHAT, "Go", model=calling("add"), tools=[add], agent=agent, approve=lambda call: asked.append(call.name)
    )

    assert asked == ["add"]
    assert [event.status for event in turn.events if isinstance(event, ToolFinished)] == ["refused"]
    assert not any(isinstance(event, ToolStarted) for event in turn.events)
    with pytest.raises(ctxlab.CtxlabError, match="give tools="):
        ctxlab.send(CHAT, "Go", model=calling("add"), approve=True)


def test_calls_in_the_text_are_carried_out_where_the_agent_writes_them_so() -> None:
    agent = Agent(name="Guide", tool_call_config={"protocol": "vcp", "defaultAutoApprove": True})
    call = (
        "<<<[TOOL_REQUEST]>>>\ntool_name:「始」add「末」,\na:「始」2「末」,\nb:「始」3「末」\n<<<[END_TOOL_REQUEST]>>>"
    )

    def model(messages: list[dict[str, Any]]) -> str:
        return messages[-1]["content"] if "Result of the tool" in messages[-1]["content"] else call

    turn = ctxlab.send(CHAT, "2 + 3?", model=model, tools=[add], agent=agent)

    assert "5" in turn.text and not any("tool_calls" in one for one in turn.requests[-1].trace.messages)
    assert [node.role for node in turn.nodes] == ["user", "assistant", "tool", "assistant"]


class Watch:
    """A clock that goes on only when a turn waits, or a tool or a model lets time go by."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []

    def now(self) -> None:
        return None

    def seconds(self) -> float:
        return self.time

    def wait(self, seconds: float, cancelled: threading.Event) -> None:
        self.waits.append(round(seconds, 3))
        self.time += seconds


@pytest.mark.parametrize(
    ("config", "waits"),
    [
        ({}, []),
        ({"rateLimitInterval": 10}, [3.0, 3.0]),  # 2 s of the reply and 5 of the tool have gone by already
        ({"rateLimitInterval": 10, "rateLimitEnabled": True}, [5.0, 5.0]),
        ({"rateLimitInterval": 6}, []),
    ],
)
def test_requests_keep_the_interval_of_the_agent(
    config: dict[str, Any], waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    monkeypatch.setattr("ctxlab.api.chat.SystemClock", lambda: watch)
    answer = calling("tide", rounds=2)

    def model(messages: list[dict[str, Any]]) -> Any:
        watch.time += 2
        return answer(messages)

    def tide() -> str:
        watch.time += 5
        return "low"

    agent = Agent(id="g", name="g", tool_call_config={"enabled": True, "defaultAutoApprove": True, **config})
    turn = ctxlab.send(CHAT, "Go", model=model, agent=agent, tools=[tide])

    assert (turn.error, turn.text, watch.waits) == (None, "2 results: low", waits)


def test_a_turn_that_keeps_an_interval_is_cancelled_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cancelling(Watch):
        def wait(self, seconds: float, cancelled: threading.Event) -> None:
            running.cancel()
            assert cancelled.wait(0)

    monkeypatch.setattr("ctxlab.api.chat.SystemClock", Cancelling)
    config = {"enabled": True, "defaultAutoApprove": True, "rateLimitInterval": 3600}
    agent = Agent(id="g", name="g", tool_call_config=config)
    running = ctxlab.stream(CHAT, "Go", model=calling("add"), agent=agent, tools=[add])

    assert running.turn.cancelled and [node.role for node in running.turn.nodes] == ["user", "assistant", "tool"]
    assert running.turn.nodes[-1].content == "5" and running.turn.session.check() == ()
