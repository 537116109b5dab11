"""Requests are put together again from what they share: as they were, and at the cost of what is new."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.cache_marks import with_marks, without_marks
from ctxlab.recordings.wire_bodies import split_body, whole_body

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini")
TEXTS = st.sampled_from(["", "灯塔在哪里？", "a", "{{user}} says", "\ud800x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "x", "cache_control"]), inner),
    max_leaves=6,
)
ROLES = st.sampled_from(["user", "assistant", "system", "developer", "tool", "model", "nobody"])
BLOCKS = st.fixed_dictionaries(
    {"type": st.just("text"), "text": TEXTS}, optional={"cache_control": st.just({"type": "ephemeral"})}
)
CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "fog"}
MESSAGES = (
    st.fixed_dictionaries({"role": ROLES, "content": TEXTS | st.lists(BLOCKS, max_size=3)})
    | st.fixed_dictionaries({"role": ROLES, "parts": st.lists(st.fixed_dictionaries({"text": TEXTS}), max_size=2)})
    | st.sampled_from([CALL, RESULT, {"type": "reasoning", "summary": [], "encrypted_content": "x"}])
    | st.dictionaries(st.sampled_from(["role", "content", "type", "parts"]), JSON, max_size=3)
)


@st.composite
def bodies(draw: Any) -> tuple[str, list[dict[str, Any]]]:
    """Bodies of one wire that often begin alike."""
    wire = draw(st.sampled_from(WIRES))
    key = {"openai-responses": "input", "gemini": "contents"}.get(wire, "messages")
    pool = draw(st.lists(MESSAGES, min_size=1, max_size=5))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        items = draw(st.lists(st.sampled_from(pool), max_size=5)) or pool[:2]
        body = {"model": "m", "temperature": draw(st.sampled_from([0, 0.0, 1, False])), key: items}
        body |= draw(st.dictionaries(st.sampled_from(["system", "tools", "other"]), JSON, max_size=2))
        if draw(st.booleans()):
            body = dict(reversed(body.items()))
        if draw(st.integers(0, 5)) == 0:
            body[key] = draw(TEXTS)
        if draw(st.integers(0, 9)) == 0:
            del body[key]
        found.append(json.loads(json.dumps(body)))
    return wire, found


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_a_body_comes_back_as_it_was_sent_with_its_fields_in_order(made: tuple[Any, list[dict[str, Any]]]) -> None:
    wire, sent = made
    builder = RecordingBuilder("chat")
    for body in sent:
        builder.body(body, wire)
    recording = builder.recording()
    assert [json.dumps(request.payload) for request in recording.requests] == [json.dumps(body) for body in sent]
    assert not recording.session.check()


@given(bodies())
@settings(max_examples=60, deadline=None)
def test_a_body_taken_apart_is_the_body(made: tuple[Any, list[dict[str, Any]]]) -> None:
    wire, sent = made
    assert [json.dumps(whole_body(split_body(body, wire))) for body in sent] == [json.dumps(body) for body in sent]


@given(st.dictionaries(st.sampled_from(["role", "content", "cache_control"]), JSON))
def test_marks_go_back_where_they_stood(message: dict[str, Any]) -> None:
    plain, marks = without_marks(message)
    assert json.dumps(with_marks(plain, marks)) == json.dumps(message)
    assert without_marks(plain) == (plain, ())


def growing(requests: int) -> list[dict[str, Any]]:
    """A conversation whose every request sends all that was before, with the cache mark on the newest message."""
    talk: list[dict[str, Any]] = []
    found = []
    for n in range(requests):
        talk = [*talk, {"role": "user", "content": [{"type": "text", "text": f"question {n}"}]}]
        marked = {**talk[-1], "content": [{**talk[-1]["content"][0], "cache_control": {"type": "ephemeral"}}]}
        found.append({"model": "claude", "system": "Be brief.", "messages": [*talk[:-1], marked]})
        talk = [*talk, {"role": "assistant", "content": [{"type": "text", "text": f"answer {n}"}]}]
    return found


def test_messages_that_requests_share_are_one_node_though_the_mark_moves() -> None:
    builder = RecordingBuilder("chat")
    bodies = growing(30)
    for body in bodies:
        builder.body(body, "anthropic", reply={"content": [{"type": "text", "text": "yes"}]})
    recording = builder.recording()
    assert len(recording.session.nodes) - 1 == 2 * 30 - 1 + 1  # questions, answers that were sent, the last reply
    assert [request.new_messages for request in recording] == [1, *[2] * 29]
    assert len({id(request.head) for request in recording}) == 1
    assert [request.payload for request in recording] == bodies


def test_many_requests_of_a_growing_conversation_keep_what_is_new() -> None:
    requests = 300
    builder = RecordingBuilder("chat")
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"message {n}"} for n in range(2 * requests)]
    for n in range(requests):
        builder.body({"model": "m", "messages": messages[: 2 * n + 1]}, "openai-chat")
    recording = builder.recording()
    kept = len(recording.session.nodes) - 1
    sent = sum(request.message_count for request in recording)
    assert (kept, sent) == (2 * requests - 1, requests**2)
    assert len(recording.requests[-1].sent) == 2 * requests - 1


def test_an_edit_and_a_compression_are_branches() -> None:
    first, second, third = (
        [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}, {"role": "user", "content": "C"}],
        [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B!"}, {"role": "user", "content": "C"}],
        [{"role": "user", "content": "Summary: A, B"}, {"role": "user", "content": "C"}],
    )
    builder = RecordingBuilder("chat")
    for messages in (first, second, third):
        builder.body({"model": "m", "messages": messages}, "openai-chat")
    recording = builder.recording()
    session = recording.session
    assert len(session.children(session.root_node_id or "")) == 2
    assert [request.new_messages for request in recording] == [3, 2, 2]
    paths = [[node.content for node in session.path(request.leaf)[1:]] for request in recording]
    assert paths == [[message["content"] for message in each] for each in (first, second, third)]


def test_the_context_of_a_request_is_what_was_sent_word_for_word() -> None:
    body = {
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You are {{char}}."},
            {"role": "user", "content": "((OOC)) {{user}} 在哪里？"},
            {"role": "assistant", "content": "在灯塔。"},
            {"role": "user", "content": "Why?"},
        ],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
    }
    builder = RecordingBuilder("chat")
    request = builder.body(body, "openai-chat")
    request = builder.recording().request(request.id)
    trace = request.trace
    sent = [(message["role"], message["content"]) for message in trace.messages]
    assert sent == [(message["role"], message["content"]) for message in body["messages"]]
    assert trace.result is not request.context  # made anew, equal in words
    assert request.head.system == ("You are {{char}}.",)
    assert request.head.tools == body["tools"]
    assert trace.where("{{user}}")
