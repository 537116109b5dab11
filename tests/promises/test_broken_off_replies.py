"""A reply that broke off anywhere is followed by requests that every vendor takes, and none of its calls is run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.chat.events import (
    CallAdded,
    ReplyFinished,
    RequestSent,
    TextAdded,
    ThoughtAdded,
    ToolFinished,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)
from ctxlab.chat.fold import folded, open_calls
from ctxlab.chat.tools.runner import CUT_OFF
from ctxlab.documents import Agent, Session
from ctxlab.providers.sending.deltas import Delta, TextDelta, ThoughtDelta
from ctxlab.testing import FakeCall, FakeReply, FakeServer
from ctxlab.testing.fake_server.refusal import SentSignatures
from ctxlab.testing.fake_server.refusals import found_refusals
from tests.providers.sending.recorded_streams import FULL, assembled, events, read, sending, stream, whole

MODELS = {
    "openai": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
    "deepseek": "deepseek-reasoner",
}
EACH_VENDOR = pytest.mark.parametrize("vendor", sorted(MODELS))
START = Session(id="s").append("Hi", id="u0").append("Hello", role="assistant", id="a0")


def tool(name: str) -> dict[str, Any]:
    fields = {"city": {"type": "string"}, "days": {"type": "integer"}}
    return {
        "type": "function",
        "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": fields}},
    }


AGENT = Agent(
    id="g",
    name="g",
    tools=(tool("weather"), tool("clock")),
    tool_call_config={"enabled": True, "defaultAutoApprove": True},
    parameters={"thinkingEnabled": True, "thinkingBudget": 2000, "maxTokens": 6000},
)


def piece(delta: Delta) -> TurnEvent:
    if isinstance(delta, TextDelta):
        return TextAdded(delta.text)
    if isinstance(delta, ThoughtDelta):
        return ThoughtAdded(delta.text)
    return CallAdded(delta.index, delta.id, delta.name, delta.arguments)


def broken_off(vendor: str) -> Iterator[Session]:
    """The conversation after a reply with thoughts and calls broke off, at each of its events, in either round."""
    found = events(stream(vendor, FULL))
    first = read(vendor, assembled(vendor, found)[1])
    begun: list[TurnEvent] = [
        TurnStarted("send", "a0", "r1", "q1", {"content": "Weather?"}, {"metadata": {"agentId": "g"}}),
        RequestSent(1, 1, MODELS[vendor], vendor),
    ]
    results = [
        ToolFinished(call["requestId"], call["toolName"], "done", {"content": "fine"})
        for call in cast("tuple[dict[str, str], ...]", first.calls)
    ]
    second = [ReplyFinished(tuple(first.nodes), "tool_calls"), *results, RequestSent(2, 1, MODELS[vendor], vendor)]
    for before in (begun, [*begun, *second]):
        seen: set[tuple[TurnEvent, ...]] = set()
        for cut in range(len(found) + 1):
            pieces = tuple(piece(delta) for delta in assembled(vendor, found[:cut])[0])
            if pieces not in seen:
                seen.add(pieces)
                end = TurnCancelled() if cut % 2 else TurnFailed("the connection was cut")
                yield folded(START, [*before, *pieces, end])


@EACH_VENDOR
def test_the_request_behind_a_reply_that_broke_off_is_taken_wherever_that_was(vendor: Any) -> None:
    given_out = SentSignatures({sending(FULL).signature: FULL.thinking}, trust_others=False)
    for session in broken_off(vendor):
        assert session.check() == () and open_calls(session) == ()

        trace = ctxlab.build(session.append("Go on", id="u9"), AGENT, model=MODELS[vendor])
        request = ctxlab.payload(trace, vendor, model=MODELS[vendor], stream=True)

        assert [problem for problem in request.problems if problem.level == "error"] == []
        sent = {"model": MODELS[vendor], "path": request.url, "sent": given_out, "version": "2023-06-01"}
        assert found_refusals(request.as_bytes(), vendor, **sent) == ()
        assert "Go on" in str(trace.messages[-1]["content"])


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(MODELS)), st.integers(0, 20), st.booleans(), st.booleans())
def test_no_call_of_a_reply_that_broke_off_is_run_and_the_next_turns_are_answered(
    vendor: Any, cut: int, in_second_round: bool, goes_on: bool
) -> None:
    ran: list[str] = []

    def weather(city: str, days: int = 1) -> str:
        ran.append("weather")
        return f"{city} {days}"

    def reply(number: int, break_after: int | None = None) -> FakeReply:
        call = FakeCall("weather", {"city": "北京", "days": 2}, f"call_{number}")
        return FakeReply("Yes", thinking="Is it 北?", calls=(call,), piece_characters=9, break_after=break_after)

    script = [
        *([reply(1)] if in_second_round else []),
        reply(2, cut),
        *(FakeReply("Fine", thinking="Hm") for _ in "ab"),
    ]
    with FakeServer(script, trust_signatures=False) as server:
        options: dict[str, Any] = {
            "provider": vendor,
            "model": MODELS[vendor],
            "base_url": server.base_url(vendor),
            "key": "any",
            "agent": AGENT,
            "tools": [weather],
            "retries": ctxlab.RetryPolicy(attempts=1),
        }
        turn = ctxlab.send(START, "Weather?", **options)
        if turn.error is not None:  # else the stream was whole before the cut
            assert ran == ["weather"] * in_second_round and turn.reply is not None
            again = ctxlab.continue_reply(turn.session, turn.reply, **options) if goes_on else None
            again = again or ctxlab.send(turn.session, "Go on", **options)
            assert (again.error, ran) == (None, ["weather"] * in_second_round)

        assert server.refusals == ()


def cut_in_its_last_call(vendor: str) -> dict[str, Any]:
    """A reply with two calls that reached its greatest length within the arguments of the second one."""
    calls = (FakeCall("weather", {"city": "北京"}), FakeCall("weather", {"city": "上海", "days": 30}))
    reply = whole(vendor, FakeReply("Two.", calls=calls, finish="length"))
    begun = '{"city": "上'
    if vendor == "anthropic":
        reply["content"][-1]["input"] = begun  # as the pieces of its stream come to
    elif vendor == "openai-responses":
        reply["output"][-1]["arguments"] = begun
    elif vendor != "gemini":  # Gemini's calls come whole
        reply["choices"][0]["message"]["tool_calls"][-1]["function"]["arguments"] = begun
    return reply


@EACH_VENDOR
@pytest.mark.parametrize("begun", [True, False])
def test_the_last_call_of_a_reply_that_is_too_long_is_not_run_and_its_result_says_so(vendor: Any, begun: bool) -> None:
    ran: list[str] = []

    def weather(city: str = "nowhere", days: int = 1) -> str:
        ran.append(city)
        return "fine"

    too_long = cut_in_its_last_call(vendor) if begun else without_arguments(vendor)
    replies = [too_long, "Done."]
    turn = ctxlab.send(START, "Weather?", model=lambda messages: replies.pop(0), agent=AGENT, tools=[weather])

    results = [node for node in turn.nodes if node.role == "tool"]
    assert (turn.error, ran, turn.text) == (None, ["北京"], "Done.")
    assert [node.content for node in results] == ["fine", CUT_OFF]
    trace = ctxlab.build(turn.session.append("Go on"), AGENT, model=MODELS[vendor])
    request = ctxlab.payload(trace, vendor, model=MODELS[vendor])
    found = found_refusals(
        request.as_bytes(), vendor, model=MODELS[vendor], path=request.url, sent=SentSignatures(), version="2023-06-01"
    )
    assert found == () and CUT_OFF in request.as_bytes().decode()


def without_arguments(vendor: str) -> dict[str, Any]:
    """A reply that reached its greatest length before the first argument of its second call."""
    reply = whole(
        vendor, FakeReply("Two.", calls=(FakeCall("weather", {"city": "北京"}), FakeCall("weather")), finish="length")
    )
    if vendor == "openai-responses":
        reply["output"][-1]["arguments"] = ""
    elif vendor in ("openai", "deepseek"):
        reply["choices"][0]["message"]["tool_calls"][-1]["function"]["arguments"] = ""
    return reply
