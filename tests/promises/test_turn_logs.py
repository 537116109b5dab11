"""Logs of turns: every beginning of one gives a sound session, and folding can stop and go on anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.chat.event_json import event_data, event_from_data
from ctxlab.chat.event_log import EventLog, read_events
from ctxlab.chat.events import (
    AttemptFailed,
    CallAdded,
    ReplyFinished,
    RequestSent,
    TextAdded,
    ThoughtAdded,
    ToolFinished,
    ToolStarted,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from ctxlab.chat.fold import CANCELLED_CALL, folded, open_calls
from ctxlab.chat.growing_reply import UNFINISHED_CALLS
from ctxlab.documents import Session
from tests.promises.strategies import sessions

TIME = "2026-03-01T12:00:00+00:00"
WORDS = st.sampled_from(["Why?", "你好", "a\nb", "{{user}}", " ", "\ud7ff \u202e x"])
SECONDS = st.sampled_from([None, 0.5, 2.0])


@st.composite
def rounds(draw: st.DrawFn, number: int) -> list[TurnEvent]:
    """A request with its reply, and the results of its calls, all of them but perhaps the last."""
    events: list[TurnEvent] = [RequestSent(number, 1, "m", "openai", timestamp=draw(st.sampled_from([None, TIME])))]
    if draw(st.booleans()):
        events += [AttemptFailed("too many requests", 429, 1.0), RequestSent(number, 2, "m", "openai", timestamp=TIME)]
    pieces = [TextAdded(draw(WORDS), draw(SECONDS)), ThoughtAdded(draw(WORDS)), CallAdded(0, "c0", "look", '{"a')]
    events += draw(st.lists(st.sampled_from(pieces), max_size=6))
    ids = [f"c{number}-{n}" for n in range(draw(st.integers(0, 3)))]
    calls = [{"requestId": id, "toolName": "look", "args": "{}"} for id in ids]
    metadata: dict[str, Any] = {"toolCallsRequested": calls} if calls else {"usage": {"completionTokens": 3}}
    nodes = ({"role": "assistant", "content": draw(WORDS), "metadata": metadata},)
    events.append(ReplyFinished(nodes, "stop", draw(SECONDS)))
    for id in ids:
        events += [ToolStarted(id, "look"), ToolFinished(id, "look", "done", {"content": draw(WORDS)})]
    return events


@st.composite
def logs(draw: st.DrawFn, session: Session, name: str = "t") -> list[TurnEvent]:
    """The whole log of a turn under a message of the session."""
    parent = draw(st.sampled_from(sorted(session.nodes))) if session.nodes else None
    question = {"content": draw(WORDS), "metadata": {"userProfileId": "u"}}
    reply = {"metadata": {"agentId": "g"}}
    started = TurnStarted("send", parent, f"{name}-r", f"{name}-q", question, reply, timestamp=TIME)
    events: list[TurnEvent] = [started]
    for number in range(1, draw(st.integers(1, 3)) + 1):
        events += draw(rounds(number))
    ends = [TurnFinished(TIME), TurnCancelled(TIME), TurnFailed("no answer", 500, TIME)]
    return [*events, draw(st.sampled_from(ends))]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_every_beginning_of_a_log_gives_a_sound_session_with_all_that_was_there(data: st.DataObject) -> None:
    session = data.draw(sessions(max_size=4)).repaired()[0]
    log = data.draw(logs(session))
    for end in range(1, len(log) + 1):
        after = folded(session, log[:end])

        assert after.check() == ()
        assert after.node("t-q").content == log[0].question["content"]  # type: ignore[union-attr, index]
        assert set(session.nodes) <= set(after.nodes)
        assert all(after.nodes[key].content == node.content for key, node in session.nodes.items())
        assert after.path()[-1].id not in session.nodes


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_folding_may_stop_and_go_on_anywhere(data: st.DataObject) -> None:
    session = data.draw(sessions(max_size=3)).repaired()[0]
    log = data.draw(logs(session))
    cut = data.draw(st.integers(0, len(log)))

    in_two = folded(folded(session, log[:cut]), log[cut:])

    assert in_two.to_data() == folded(session, log).to_data()


@settings(max_examples=15, deadline=None)
@given(st.data(), st.sampled_from([TurnCancelled(TIME), TurnFailed("no answer", 500, TIME)]))
def test_a_turn_that_breaks_off_keeps_what_came_is_marked_and_leaves_no_call_open(
    data: st.DataObject, end: TurnEvent
) -> None:
    session = data.draw(sessions(max_size=2)).repaired()[0]
    log = data.draw(logs(session))[:-1]
    beginning = log[: data.draw(st.integers(1, len(log)))]

    before, after = folded(session, beginning), folded(session, [*beginning, end])

    assert all(after.node(key).content == node.content for key, node in before.nodes.items())
    assert all(node.status != "generating" for node in after.nodes.values() if node.id not in session.nodes)
    assert open_calls(after) == ()
    marked = [node for node in after.path() if node.meta("isCancelled") or node.meta("error") == "no answer"]
    assert len(marked) == 1


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_calls_of_a_broken_off_reply_are_kept_beside_it_and_never_sent(data: st.DataObject) -> None:
    session = data.draw(sessions(max_size=2)).repaired()[0]
    started = data.draw(logs(session))[0]
    piece = CallAdded(0, "c0", "look", '{"a')
    after = folded(session, [started, RequestSent(1, 1, "m"), TextAdded("Let me"), piece, TurnCancelled()])

    reply = after.node("t-r")
    assert reply.tool_calls == ()
    stored = reply.meta(UNFINISHED_CALLS)
    assert stored == [{"index": 0, "requestId": "c0", "toolName": "look", "args": '{"a'}]
    assert not any("tool_calls" in message for message in ctxlab.build(after, leaf="t-r").messages[-1:])


def test_a_cancelled_call_has_a_result_that_says_so() -> None:
    session = Session(id="s").append("Hi", id="a")
    calls = [{"requestId": f"c{n}", "toolName": "look", "args": "{}"} for n in (1, 2)]
    log = [
        TurnStarted("send", "a", "r"),
        ReplyFinished(({"content": "", "metadata": {"toolCallsRequested": calls}},)),
        ToolFinished("c2", "look", "done", {"content": "found"}),
        TurnCancelled(),
    ]

    after = folded(session, log)

    assert [(node.result_of, node.content) for node in after.path()[-2:]] == [("c2", "found"), ("c1", CANCELLED_CALL)]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_events_are_the_same_after_a_journey_through_json(data: st.DataObject) -> None:
    log = data.draw(logs(Session(id="s")))

    again = [event_from_data(orjson.loads(orjson.dumps(event_data(event)))) for event in log]

    assert again == log


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_log_cut_at_any_byte_is_recovered_as_a_beginning_of_the_turn(
    data: st.DataObject, tmp_path_factory: Any
) -> None:
    session = data.draw(sessions(max_size=2)).repaired()[0]
    log = data.draw(logs(session))
    path: Path = tmp_path_factory.mktemp("log") / "turn.jsonl"
    written = EventLog(path)
    for event in log:
        written.add(event)
    written.close()
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])

    events = read_events(path)
    after = ctxlab.recover(session, path)

    assert list(events) == log[: len(events)]
    assert after.check() == ()
    assert open_calls(after) == () or not events
    assert ctxlab.recover(after, path).to_data() == after.to_data()


START = '{"event":"TurnStarted","verb":"send","parent":"a","reply_id":"r"}\n'


@pytest.mark.parametrize(
    "content",
    [
        "hello",
        START + "hello",
        START.replace('"r"', '""'),
        START[:-2] + ',"question_id":""}',
        START[:-2] + ',"reply":{"metadata":5}}',
        START + '{"event":"ReplyFinished","nodes":[{"metadata":7}]}',
        START + '{"event":"ReplyFinished","nodes":[{"attachments":7}]}',
        START + '{"event":"ToolFinished","call_id":"c","name":"x","status":"done","node":{"metadata":5}}',
        START + '{"event":"ToolFinished","call_id":"c","name":"x","status":"done","node":{"metadata":{"toolCall":5}}}',
        START + '{"event":"Compressed","node":{"metadata":{"compression":5}},"before_tokens":1,"after_tokens":1}',
        START + '{"event":"TextAdded","text":' + "[" * 100_000 + '\n{"event":"TextAdded","text":"x"}',
    ],
)
def test_a_file_that_is_no_log_is_refused_in_a_sentence(content: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(content + "\n")

    with pytest.raises(ctxlab.CtxlabError) as raised:
        ctxlab.recover(Session(id="s").append("Hi", id="a"), path)
    assert "\n" not in str(raised.value)
