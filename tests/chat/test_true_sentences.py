"""What a turn says of itself is true: why a reply ended, what was left out of it, what was not sent."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.endings import ending_notes
from ctxlab.documents import Agent, History, Session
from ctxlab.errors import Refused, WrongArgument
from ctxlab.formats.requests.replies import reply_message
from ctxlab.providers import payload
from tests.providers.sending.raw_server import RawServer, answer

KEY = "sk-never-to-be-seen-42"
CHAT = Session(id="s").append("Hi", id="u1").append("Hello", role="assistant", id="a1")
ONCE = ctxlab.RetryPolicy(attempts=1)


def asked(content: bytes, vendor: str = "openai-compatible", **options: Any) -> Any:
    """The turn that a server answers with these bytes."""
    with RawServer(content) as server:
        given: Any = {"provider": vendor, "model": "qwen3", "base_url": server.url, "key": KEY, "retries": ONCE}
        return ctxlab.send(CHAT, "Why?", **{**given, **options})


def stream(*events: Any) -> bytes:
    lines = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    return answer(lines, kind="text/event-stream")


def notes(turn: Any) -> list[str]:
    return [note.text for note in turn.notes]


def chunk(reason: str | None = "stop", **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


@pytest.mark.parametrize("in_one_piece", [False, True])
def test_a_key_that_comes_back_is_nowhere(in_one_piece: bool, tmp_path: Path) -> None:
    message = {"role": "assistant", "content": f"Your key is {KEY}."}
    whole = {"choices": [{"message": message, "finish_reason": KEY}], "id": KEY}
    content = (
        answer(json.dumps(whole).encode())
        if in_one_piece
        else stream(chunk(None, content=f"Your key is {KEY[:9]}"), chunk(KEY, content=f"{KEY[9:]}."))
    )
    turn = asked(content, log=tmp_path / "log.jsonl")

    assert turn.text == "Your key is ***." and "the reply repeated the key, which is masked in it" in notes(turn)
    told = [repr(turn), turn._repr_html_(), str(turn.events), str(turn.session.to_data()), str(turn.frame())]
    assert not any(KEY in text for text in [*told, (tmp_path / "log.jsonl").read_text(encoding="utf-8")])


def chat(reason: str, content: str = "So") -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": reason}]}


def claude(reason: str, *texts: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "text", "text": text} for text in texts], "stop_reason": reason}


def gemini(reason: str, *texts: str) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text} for text in texts]}, "finishReason": reason}]}


@pytest.mark.parametrize(
    ("vendor", "reply", "sentence"),
    [
        ("openai", chat("length"), "the reply stopped at its limit of 50 tokens; continue_reply goes on"),
        (
            "openai",
            {**chat("length"), "usage": {"completion_tokens": 7}},
            "greatest length that the model or its window",
        ),
        ("openai", chat("length", ""), "a greater limit leaves room for words"),
        (
            "openai",
            chat("content_filter", ""),
            "the vendor's filter ended the reply (content_filter); there are no words",
        ),
        ("openai", chat("stop", ""), "the reply is empty; the vendor gives 'stop' as the reason of its end"),
        ("openai", chat("", ""), "the reply is empty; no reason is given"),
        ("openai", chat("insufficient_system_resource"), "gives 'insufficient_system_resource' as the reason"),
        ("anthropic", claude("max_tokens", "So"), "its limit of 50 tokens"),
        ("anthropic", claude("refusal"), "the model declined to answer"),
        (
            "anthropic",
            claude("pause_turn", "So"),
            "paused a long turn before its end (pause_turn); continue_reply goes on",
        ),
        ("anthropic", claude("model_context_window_exceeded", "So"), "the model's context window was full"),
        ("gemini", gemini("MAX_TOKENS", "So"), "its limit of 50 tokens"),
        ("gemini", gemini("SAFETY", "So"), "the vendor's filter ended the reply (SAFETY); what came before is kept"),
        ("gemini", gemini("MALFORMED_FUNCTION_CALL"), "gives 'MALFORMED_FUNCTION_CALL' as the reason"),
        ("openai-responses", {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}, "its limit of 50"),
    ],
)
def test_a_reply_that_ended_early_says_why(vendor: str, reply: dict[str, Any], sentence: str) -> None:
    models = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash"}
    model = models.get(vendor, "gpt-4o")
    trace = ctxlab.build(CHAT, model=model)
    request = payload(trace, vendor, parameters={"max_output_tokens": 50})

    (note,) = ending_notes(reply_message(reply, vendor), request)

    assert sentence in note and "\n" not in note


@pytest.mark.parametrize("reply", [chat("stop"), chat("eos"), chat("")])
def test_a_reply_that_has_said_all_needs_no_word(reply: dict[str, Any]) -> None:
    request = payload(ctxlab.build(CHAT, model="gpt-4o"), "openai")

    assert ending_notes(reply_message(reply, "openai"), request) == ()


def test_a_stream_of_done_alone_is_an_empty_reply() -> None:
    turn = asked(answer(b"data: [DONE]\n\n", kind="text/event-stream"))

    assert turn.error is None and notes(turn) == ["the reply is empty; no reason is given"]


@pytest.mark.parametrize(
    ("vendor", "events", "sentence"),
    [
        ("openai-compatible", [chunk(content=5)], "choices[0].delta.content is a number, not a text: left out"),
        ("openai-compatible", [{"choices": {}}, chunk(content="x")], "choices is an object, not a list: left out"),
        ("openai-compatible", [{**chunk(content="x"), "usage": {"prompt_tokens": -5}}], "-5, which is no count"),
        ("openai-compatible", [{**chunk(content="x"), "usage": {"completion_tokens": "9"}}], "'9', which is no count"),
        (
            "openai-compatible",
            [chunk(content=[{"type": "image"}])],
            "choices[0].delta.content[0] has no text: left out",
        ),
        (
            "anthropic",
            [
                {"type": "content_block_start", "index": 0, "content_block": {"type": "hologram", "x": 1}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
                {"type": "message_stop"},
            ],
            "a block of the unknown kind 'hologram' is kept beside the reply and not shown",
        ),
    ],
)
def test_pieces_that_fit_nowhere_are_told(vendor: str, events: list[Any], sentence: str) -> None:
    turn = asked(stream(*events), vendor, model="claude-sonnet-4-5" if vendor == "anthropic" else "qwen3")

    assert turn.error is None and any(sentence in note for note in notes(turn)) and turn.usage == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"SSH-2.0-OpenSSH_9.0\r\n\r\n", "answered with bytes that are no HTTP"),
        (b"", "hung up before its answer began"),
        (answer(b"plain", Content_Encoding="gzip"), "says that its answer is compressed, and it can't be unpacked"),
        (answer(b"null"), "answered with null as its JSON"),
        (answer(b"[]"), "answered with a list as its JSON"),
        (answer(b"{half"), "answered with broken application/json"),
        (stream({"error": {"type": "server_error", "message": "boom"}}), "an error (server_error): boom"),
        (stream({"error": {"code": 503, "message": "boom"}}), "an error (503): boom"),
    ],
)
def test_a_failure_names_its_own_cause(content: bytes, sentence: str) -> None:
    turn = asked(content)

    assert turn.error is not None and sentence in turn.error


def test_a_port_that_none_is_raises_before_anything_is_sent() -> None:
    with pytest.raises(WrongArgument, match="a port that none is"):
        ctxlab.send(CHAT, "Why?", provider="openai-compatible", model="q", base_url="http://127.0.0.1:99999", key=KEY)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ({"tool_calls": "bad"}, "tool_calls is a text, not a list"),
        ({"tool_calls": [5]}, "tool_calls[0] is a number, not an object"),
        ({"tool_calls": [{"id": "c", "function": {}}]}, "tool_calls[0].function.name is missing"),
        ({"tool_calls": [{"function": {"name": "f"}}]}, "tool_calls[0].id is missing"),
        ({"choices": [{"message": {"tool_calls": [5]}}]}, "choices[0].message.tool_calls[0] is a number"),
        ({"content": 5}, "content is a number, not a text"),
        (b"Hello", "gave a value of type bytes; a function as a model gives a text"),
    ],
)
def test_a_function_that_gives_another_shape_is_an_error_that_says_so(reply: Any, sentence: str) -> None:
    turn = ctxlab.send(CHAT, "Why?", model=lambda messages: reply)

    assert turn.error is not None and sentence in turn.error and "\n" not in turn.error


@pytest.mark.parametrize(("name", "value"), [("maxIterations", 0), ("maxIterations", "x"), ("timeout", -5)])
def test_settings_of_tools_that_were_not_taken_are_notes(name: str, value: Any) -> None:
    agent = Agent.model_validate({"id": "a", "name": "A", "toolCallConfig": {"enabled": True, name: value}})
    turn = ctxlab.send(CHAT, "Why?", model=lambda messages: "So.", agent=agent, tools=[len_of])

    assert any(f"toolCallConfig.{name} is {value!r} and not taken" in note for note in notes(turn))


def len_of(text: str) -> int:
    """The length of a text."""
    return len(text)


def test_a_setting_of_compression_that_is_a_list_is_called_a_list() -> None:
    agent = Agent.model_validate({"id": "a", "name": "A", "parameters": {"contextCompression": [1]}})
    turn = ctxlab.send(CHAT, "Why?", model=lambda messages: "So.", agent=agent)

    assert any("contextCompression" in note and "is a list, not an object" in note for note in notes(turn))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda history: history.undo(),
            "the message 'a2' was taken away while the turn ran: the turn is under 'u1' now",
        ),
        (lambda history: history.do(Session.edit, "u1", "Ho"), "messages above 'a2' were changed while the turn ran"),
        (lambda history: history.do(Session.append, "Beside", parent="u1"), None),
    ],
)
def test_a_history_that_changes_meanwhile_is_told_where_the_request_was_another(change: Any, sentence: Any) -> None:
    history = History(Session(id="s").append("Hi", id="u1"))
    history.do(Session.append, "Hello", role="assistant", id="a2")
    running = ctxlab.stream(history, "Why?", model=lambda messages: "So.")
    next(running)
    change(history)

    turn = running.turn
    assert turn.text == "So." and turn.session.check() == ()
    assert [note for note in notes(turn) if "while the turn ran" in note] == [
        note for note in notes(turn) if sentence is not None and sentence in note
    ]
    assert bool(notes(turn)) == (sentence is not None)


def test_undo_stops_at_a_turn_and_says_how_to_pass_it() -> None:
    history = History(CHAT)
    ctxlab.send(history, "Why?", model=lambda messages: "So.")

    assert not history.can_undo
    with pytest.raises(Refused, match=r"undo\(past_breakpoint=True\) goes on"):
        history.undo()
    assert history.undo(past_breakpoint=True) == CHAT


def test_queued_texts_of_a_turn_that_fails_are_named() -> None:
    def model(messages: Any) -> Any:
        yield "So"
        raise ValueError("broken")

    running = ctxlab.stream(CHAT, "Why?", model=model)
    running.queue("And then?")
    running.queue("And?", mode="chained")

    assert running.turn.not_sent == ("And then?", "And?")
    assert notes(running.turn) == ["2 queued texts not sent, since the turn failed: turn.not_sent"]


def test_a_stream_whose_loop_was_cancelled_says_so() -> None:
    waiting, going = threading.Event(), threading.Event()

    def model(messages: Any) -> Any:
        waiting.set()
        going.wait(120)
        yield "So."

    running = ctxlab.stream(CHAT, "Why?", model=model)

    async def read() -> None:
        async for _ in running:
            pass

    async def cancelled() -> None:
        task = asyncio.create_task(read())
        await asyncio.to_thread(waiting.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    going.set()
    assert "cancelled" in repr(running) and "running" not in repr(running)
    assert running.turn.cancelled and "ended" in repr(running)


@pytest.mark.parametrize("name", ["chat.md", "chat.path.md", "chat.tree.md"])
def test_half_a_character_that_a_file_has_no_bytes_for_is_a_loss(name: str, tmp_path: Path) -> None:
    written = ctxlab.write(Session(id="s").append("a\ud83d b"), tmp_path / name)

    assert [loss.text for loss in written.losses if "surrogate" in loss.text] == ["1 lone surrogate; U+FFFD is there"]
    assert "a\ufffd b" in (tmp_path / name).read_text(encoding="utf-8")


def test_half_a_character_in_an_agent_is_a_loss_of_its_yaml(tmp_path: Path) -> None:
    written = ctxlab.write(Agent.model_validate({"id": "a", "name": "A\ud83d"}), tmp_path / "a.agent.yaml")

    assert any("lone surrogate was replaced by U+FFFD" in loss.text for loss in written.losses)


@pytest.mark.parametrize("function", [ctxlab.read, ctxlab.load])
def test_messages_in_the_place_of_a_path_are_told_where_they_go(function: Any) -> None:
    with pytest.raises(WrongArgument, match=r"read_data.* and build and send take messages as they are"):
        function([{"role": "user", "content": "Hi"}])
