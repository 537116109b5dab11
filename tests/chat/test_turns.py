"""Turns with functions as models: what is sent, what is kept, how they end."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.assets.transcription import FileTranscriber, as_engine
from ctxlab.chat.event_log import read_events
from ctxlab.chat.events import (
    Compressed,
    ReplyFinished,
    RequestSent,
    TextAdded,
    TurnCancelled,
    TurnFinished,
    TurnStarted,
)
from ctxlab.chat.turn import SUMMARY_LEFT_OUT
from ctxlab.context import Context
from ctxlab.documents import Agent, Session
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.errors import ReadError, Refused, UnknownNode, WriteError, WrongArgument
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import SessionLoader
from ctxlab.testing import FakeServer
from ctxlab.testing.fakes import AssetsInMemory, WordTokenizer

TIME = "2026-03-01T12:00:00+00:00"
CHAT = Session(id="s").append("Hi", id="u1").append("Hello.", role="assistant", id="a1")
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
AGENT = Agent(
    id="g",
    name="Guide",
    greetings=({"id": "hello", "content": "Welcome, {{user}}."},),
    preset_messages=({"id": "p", "role": "system", "content": "Be brief."},),
)


def pieces(*texts: str) -> Any:
    return lambda messages: iter(texts)


def test_a_function_of_the_messages_is_a_model() -> None:
    got: list[Any] = []

    def model(messages: list[dict[str, Any]]) -> str:
        got.extend(messages)
        return "Because."

    turn = ctxlab.send(CHAT, "Why?", model=model, agent=AGENT, timestamp=TIME)

    assert [message["content"] for message in got] == ["Be brief.", "Hi", "Hello.", "Why?"]
    assert [(node.role, node.content) for node in turn.nodes] == [("user", "Why?"), ("assistant", "Because.")]
    assert turn.reply is not None and turn.reply.agent_id == "g" and turn.reply.meta("modelName") == "model"
    assert turn.session.active_leaf_id == turn.reply.id
    assert (turn.error, turn.cancelled, turn.session.check()) == (None, False, ())
    assert turn.requests[0].payload.body["messages"] == got


def test_with_a_timestamp_a_turn_is_the_same_whenever_it_runs() -> None:
    first, second = (ctxlab.send(CHAT, "Why?", model=pieces("Be", "cause."), timestamp=TIME) for _ in range(2))

    assert first.session.to_data() == second.session.to_data()
    assert first.events == second.events
    assert first.nodes[0].timestamp == TIME


def test_macros_are_expanded_when_the_text_is_sent_and_greetings_are_settled() -> None:
    greeted = ctxlab.begin(ctxlab.Library(agents=(AGENT,)), user=ctxlab.UserProfile(id="k", name="Kim"))

    turn = ctxlab.send(greeted, "I am {{user}}", model=pieces("Yes."), agent=AGENT, user=ctxlab.UserProfile(name="Kim"))

    assert turn.nodes[0].content == "I am Kim"
    assert turn.nodes[0].meta("userProfileName") == "Kim"
    assert turn.session.greetings_are_settled
    assert [message["content"] for message in turn.requests[0].trace.messages] == [
        "Be brief.",
        "Welcome, Kim.",
        "I am Kim",
    ]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (lambda messages: 1 / 0, "the model '<lambda>' raised ZeroDivisionError: division by zero"),
        (lambda messages: None, "the model '<lambda>' gave None; a function as a model gives a text"),
        (lambda messages: ["a", 3], "gave a value of type int as a piece of its reply"),
        (lambda messages: {"choices": []}, "the reply has no choice with a message"),
        (lambda messages: {"x": 1}, "gave a dict without content"),
    ],
)
def test_a_model_that_fails_leaves_the_message_and_one_sentence(model: Any, sentence: str) -> None:
    turn = ctxlab.send(CHAT, "Why?", model=model)

    assert turn.error is not None and sentence in turn.error and "\n" not in turn.error
    assert turn.nodes[0].content == "Why?"
    assert turn.reply is not None and turn.reply.status == "error" and turn.reply.meta("error") == turn.error
    assert turn.session.check() == ()
    assert ctxlab.send(turn.session, "And now?", model=pieces("Fine.")).text == "Fine."


def test_a_build_that_fails_is_an_error_of_the_turn() -> None:
    turn = ctxlab.send(CHAT, "Why? " * 50, model=pieces("x"), budget_tokens=3)

    assert turn.error is not None and "budget" in turn.error
    assert turn.nodes[0].content == "Why? " * 50 and turn.requests == ()
    assert isinstance(turn.exception, ctxlab.ProcessorFailed)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"key": "k"}, "key is for a vendor's model"),
        ({"retries": ctxlab.RetryPolicy()}, "retries is for a vendor's model"),
        ({"parent": "nobody"}, "nobody"),
        ({"attachments": [3]}, r"attachments\[0\] is no file"),
        ({"log": "/nowhere/at/all.jsonl"}, "can't be written"),
        ({"agent": 3}, "agent"),
    ],
)
def test_wrong_arguments_raise_before_anything_happens(wrong: dict[str, Any], sentence: str) -> None:
    def model(messages: Any) -> str:
        raise AssertionError("it is asked")

    with pytest.raises(ctxlab.CtxlabError, match=sentence):
        ctxlab.stream(CHAT, "Why?", model=model, **wrong)


async def awaited(messages: Any) -> str:
    return ""


def test_a_function_that_has_to_be_awaited_is_no_model() -> None:
    with pytest.raises(WrongArgument, match="asynchronous"):
        ctxlab.send(CHAT, "Why?", model=awaited)


def test_without_a_text_the_message_that_waits_is_answered() -> None:
    turn = ctxlab.send(CHAT.append("Why?", id="u2"), model=pieces("Because."))

    assert [node.parent_id for node in turn.nodes] == ["u2"]
    with pytest.raises(WrongArgument, match="text is missing"):
        ctxlab.send(CHAT, model=pieces("x"))


# --- streams


def test_a_stream_gives_events_as_they_come_and_a_whole_session_between_them() -> None:
    seen = []
    running = ctxlab.stream(CHAT, "Why?", model=pieces("Be", "cause."), timestamp=TIME)
    for event in running:
        assert running.session.check() == ()
        seen.append((type(event), running.session.path()[-1].content))

    assert seen == [
        (TurnStarted, ""),
        (RequestSent, ""),
        (TextAdded, "Be"),
        (TextAdded, "Because."),
        (ReplyFinished, "Because."),
        (TurnFinished, "Because."),
    ]
    assert running.turn.text == "Because."


def test_async_for_gives_the_same_events() -> None:
    async def all_of() -> list[Any]:
        return [event async for event in ctxlab.stream(CHAT, "Why?", model=pieces("a", "b"), timestamp=TIME)]

    assert asyncio.run(all_of()) == list(ctxlab.send(CHAT, "Why?", model=pieces("a", "b"), timestamp=TIME).events)


@pytest.mark.parametrize("after", range(7))
def test_a_turn_is_cancelled_at_any_event_and_keeps_what_came(after: int) -> None:
    running = ctxlab.stream(CHAT, "Why?", model=pieces("a", "b", "c"))
    taken = [next(running) for _ in range(after)]
    words = running.session.path()[-1].content if taken else ""
    running.cancel()
    turn = running.turn

    whole = any(isinstance(event, ReplyFinished) for event in taken)
    assert turn.session.check() == ()
    assert [node.content for node in turn.nodes] == ["Why?", words]
    assert turn.cancelled is not whole and isinstance(turn.events[-1], TurnFinished if whole else TurnCancelled)
    assert turn.nodes[-1].meta("isCancelled") is (None if whole else True)


def test_cancelling_waits_for_no_model() -> None:
    begun, never = threading.Event(), threading.Event()

    def model(messages: Any) -> str:
        begun.set()
        never.wait()
        return "too late"

    running = ctxlab.stream(CHAT, "Why?", model=model)
    threading.Thread(target=lambda: (begun.wait(), running.cancel()), daemon=True).start()
    turn = running.turn
    never.set()

    assert turn.cancelled and turn.text == ""


def test_an_interrupt_cancels_the_turn_and_keeps_what_came() -> None:
    def interrupt(event: Any) -> None:
        if isinstance(event, TextAdded):
            raise KeyboardInterrupt

    turn = ctxlab.send(CHAT, "Why?", model=pieces("a", "b"), on_event=interrupt)

    assert turn.cancelled and [node.content for node in turn.nodes] == ["Why?", "a"]
    assert turn.session.check() == ()


def test_leaving_the_block_cancels_and_a_dropped_stream_hangs_up() -> None:
    ended = threading.Event()

    def model(messages: Any) -> Iterator[str]:
        try:
            while not ended.is_set():
                yield "x"
        finally:
            ended.set()

    with ctxlab.stream(CHAT, "Why?", model=model) as running:
        next(running)
        next(running)
    assert running.turn.cancelled and ended.wait(120)

    ended.clear()
    dropped = ctxlab.stream(CHAT, "Why?", model=model)
    next(dropped), next(dropped)
    del dropped
    gc.collect()
    assert ended.wait(120)


def test_queued_messages_go_out_when_the_turn_has_ended() -> None:
    running = ctxlab.stream(CHAT, "one", model=lambda messages: messages[-1]["content"].upper())
    running.queue("two")
    running.queue("three")
    running.queue("four", mode="chained")
    turn = running.turn

    said = [node.content for node in turn.nodes]
    assert said == ["one", "ONE", "two\n\nthree", "TWO\n\nTHREE", "four", "FOUR"]
    assert len(turn.requests) == 3 and turn.session.check() == ()
    with pytest.raises(WrongArgument, match="this turn has ended"):
        running.queue("five")


def test_queued_messages_stay_where_the_turn_fails() -> None:
    running = ctxlab.stream(CHAT, "one", model=lambda messages: 1 / 0)
    running.queue("two")

    assert [node.content for node in running.turn.nodes] == ["one", ""]


# --- again, on, for the user


def test_another_reply_is_a_sibling_and_changes_nothing_else() -> None:
    turn = ctxlab.regenerate(CHAT, "a1", model=pieces("Good day."))

    assert [node.parent_id for node in turn.nodes] == ["u1"]
    assert turn.session.node("a1").content == "Hello."
    assert [message["content"] for message in turn.requests[0].trace.messages] == ["Hi"]
    with pytest.raises(UnknownNode):
        ctxlab.regenerate(CHAT, "nobody", model=pieces("x"))


def test_a_reply_below_results_of_tools_is_written_again_below_them() -> None:
    call = {"toolCallsRequested": [{"requestId": "c", "toolName": "look", "args": "{}"}]}
    result = {"toolCall": {"requestId": "c", "toolName": "look"}}
    chat = CHAT.append("Look", id="u2").append("", role="assistant", id="a2", metadata=call)
    chat = chat.append("found", role="tool", id="t2", metadata=result).append("Done.", role="assistant", id="a3")

    turn = ctxlab.regenerate(chat, "a3", model=pieces("It is there."))

    assert [node.parent_id for node in turn.nodes] == ["t2"]


def test_an_edit_is_a_branch_that_is_then_answered() -> None:
    turn = ctxlab.send(CHAT.branch_from_edit("u1", "Hey"), model=pieces("Hey you."))

    assert [node.content for node in turn.session.path()][1:] == ["Hey", "Hey you."]
    assert turn.session.node("u1").content == "Hi"


@pytest.mark.parametrize("answer", [["Hello.", " How are you?"], [" How are you?"], ["Hel", "lo. How are you?"]])
def test_a_reply_that_goes_on_never_doubles_what_was_there(answer: list[str]) -> None:
    turn = ctxlab.continue_reply(CHAT, "a1", model=pieces(*answer))

    assert turn.text == "Hello. How are you?"
    assert turn.reply is not None and turn.reply.parent_id == "u1"
    assert turn.reply.meta("isContinuation") is True and turn.reply.meta("continuationPrefix") == "Hello."
    texts = "".join(event.text for event in turn.events if isinstance(event, TextAdded))
    assert texts == " How are you?"
    assert turn.session.node("a1").content == "Hello."


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (["Once upon A", " time"], "Once upon a time"),
        (["once\nupon", " a time"], "Once upon a time"),
        ([" time"], "Once upon a time"),
        (["Once"], "Once upon aOnce"),
        (["nother one"], "Once upon another one"),
    ],
)
@pytest.mark.parametrize("blank", ["", " "])
def test_a_beginning_that_is_said_again_a_little_otherwise_is_not_doubled(
    answer: list[str], text: str, blank: str
) -> None:
    chat = Session(id="s").append("Hi", id="u1").append(f"Once upon a{blank}", role="assistant", id="a1")
    turn = ctxlab.continue_reply(chat, "a1", model=pieces(*answer))

    assert turn.text.replace(" ", "") == text.replace(" ", "")


def test_a_reply_that_goes_on_and_is_cancelled_keeps_its_beginning() -> None:
    running = ctxlab.stream(CHAT, "x", model=pieces("x"))
    running.close()
    turn = ctxlab.continue_reply(CHAT, "a1", model=lambda messages: 1 / 0)

    assert turn.error is not None and turn.text == "Hello."


def test_the_model_writes_the_turn_of_the_user() -> None:
    got: list[Any] = []
    turn = ctxlab.relay(CHAT, "I wonder", model=lambda messages: got.extend(messages) or " why.")

    assert turn.reply is not None and (turn.reply.role, turn.text) == ("user", "I wonder why.")
    assert "I wonder" in got[-1]["content"] and got[-1]["role"] == "user"
    assert ctxlab.send(turn.session, model=pieces("So do I.")).text == "So do I."
    with pytest.raises(Refused, match="no message yet"):
        ctxlab.relay(Session(id="e"), model=pieces("x"))


# --- kept


def test_a_history_records_the_turn_as_one_step_at_which_undo_stops() -> None:
    history = ctxlab.History(CHAT)
    turn = ctxlab.send(history, "Why?", model=pieces("Because."))

    assert history.session is turn.session and history.labels == ("start", "send")
    with pytest.raises(Refused, match="breakpoint"):
        history.undo()
    assert history.undo(past_breakpoint=True).to_data() == CHAT.to_data()


def test_a_log_has_every_event_of_every_turn(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    first = ctxlab.send(CHAT, "Why?", model=pieces("Be", "cause."), log=path)
    second = ctxlab.send(first.session, "So?", model=lambda messages: 1 / 0, log=path)

    assert read_events(path) == (*first.events, *second.events)
    assert ctxlab.recover(CHAT, path).to_data() == second.session.to_data()
    assert ctxlab.recover(first.session, path).to_data() == second.session.to_data()


def test_a_broken_line_in_the_middle_of_a_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ctxlab.send(CHAT, "Why?", model=pieces("x"), log=path)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1][:9], *lines[2:]]))

    with pytest.raises(ctxlab.CtxlabError, match=r"log\.jsonl, line 2: this is no JSON"):
        ctxlab.recover(CHAT, path)


def test_a_log_of_another_session_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ctxlab.send(CHAT, "Why?", model=pieces("x"), log=path)

    with pytest.raises(Refused, match="is a log of session 's', not of 'other'"):
        ctxlab.recover(Session(id="other").append("x", id="y"), path)


def test_a_file_goes_with_the_message() -> None:
    turn = ctxlab.send(CHAT, "What is it?", model=pieces("A text."), attachments=[b"plain words"])

    assert turn.nodes[0].attachments is not None and len(turn.nodes[0].attachments) == 1


@pytest.mark.parametrize("in_folder", [True, False])
def test_a_picture_of_a_reply_is_kept(in_folder: bool, tmp_path: Path) -> None:
    part = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    reply = {"candidates": [{"content": {"parts": [{"text": "Here."}, part]}, "finishReason": "STOP"}]}
    turn = ctxlab.send(CHAT, "Draw", model=lambda messages: reply, **({"assets": tmp_path} if in_folder else {}))

    assert turn.error is None and turn.reply is not None and turn.reply.attachments is not None
    (file,) = turn.reply.attachments
    assert file.mime_type == "image/png"
    assert (file.path is not None) is in_folder and any(tmp_path.rglob("*")) is in_folder
    assert (PNG in str(turn.session.to_data())) is not in_folder


def test_old_messages_are_compressed_where_the_agent_wants_it() -> None:
    wanted = {"enabled": True, "autoTrigger": True, "triggerMode": "count", "countThreshold": 8}
    wanted |= {"minHistoryCount": 4, "protectRecentCount": 2, "compressCount": 6}
    agent = Agent(id="g", name="Guide", parameters={"contextCompression": wanted})
    chat = CHAT
    for n in range(6):
        chat = chat.append(f"Question {n} is about the lamp. " * 20).append(f"Answer {n}. " * 60, role="assistant")
    turn = ctxlab.send(chat, "Why?", model=pieces("Because."), agent=agent, timestamp=TIME)

    summaries = [event for event in turn.events if isinstance(event, Compressed)]
    assert summaries and turn.error is None and turn.session.check() == ()
    assert [node.content for node in turn.session.path()[-2:]] == ["Why?", "Because."]
    assert len(turn.requests[0].trace.messages) < len(chat.path())
    assert turn.nodes[-1].is_summary or any(node.is_summary for node in turn.nodes)


@pytest.mark.parametrize("summary", ["Six questions about the lamp, each answered.", ""])
def test_a_summariser_of_ones_own_writes_the_summary_and_an_empty_one_never_enters(summary: str) -> None:
    wanted = {"enabled": True, "triggerMode": "count", "countThreshold": 8, "minHistoryCount": 4}
    wanted |= {"protectRecentCount": 2, "compressCount": 6, "leastGain": 0}
    agent = Agent(id="g", name="Guide", parameters={"contextCompression": wanted})
    chat = CHAT
    for n in range(6):
        chat = chat.append(f"Question {n} is about the lamp. " * 20).append(f"Answer {n}. " * 60, role="assistant")
    turn = ctxlab.send(
        chat, "Why?", model=pieces("Because."), agent=agent, timestamp=TIME, summariser=lambda messages: summary
    )

    words = [node.content for node in turn.nodes if node.is_summary]
    assert turn.error is None and turn.text == "Because."
    assert bool(words) == bool(summary) and all(summary in each for each in words)


def long_chat() -> Session:
    chat = CHAT
    for n in range(6):
        chat = chat.append(f"Question {n} is about the lamp. " * 20).append(f"Answer {n}. " * 60, role="assistant")
    return chat


WANTED = {
    "enabled": True,
    "triggerMode": "count",
    "countThreshold": 8,
    "minHistoryCount": 4,
    "protectRecentCount": 2,
    "compressCount": 6,
    "leastGain": 0,
}


@pytest.mark.parametrize(
    ("settings", "note"),
    [
        ({**WANTED, "tokenThreshold": -5}, "tokenThreshold is -5"),
        ([1], "not an object; it is left out"),
        ({**WANTED, "tokenTreshold": 5}, "there is no setting 'tokenTreshold'"),
        ({**WANTED, "compressCount": 0}, "compress_count is 0"),
        ({**WANTED, "tiers": []}, "tiers is empty"),
        (
            {**WANTED, "summaryModel": {"modelId": "gpt-4o-mini"}},
            "summaryModel 'gpt-4o-mini' isn't used, since the turn",
        ),
        ({**WANTED, "summaryPrompt": "Short: {context}"}, "summaryPrompt isn't used"),
    ],
)
def test_settings_of_compression_that_are_not_gone_by_are_noted_once(settings: Any, note: str) -> None:
    agent = Agent(id="g", name="Guide", parameters={"contextCompression": settings})
    turn = ctxlab.send(long_chat(), "Why?", model=pieces("Because."), agent=agent, timestamp=TIME)

    texts = [each.text for each in turn.notes]
    assert turn.error is None and sum(note in text for text in texts) in (1, 2)
    assert len(set(texts)) == len(texts)


def test_the_model_of_the_settings_summarises_with_the_key_and_the_prompt_of_the_turn() -> None:
    wanted = {**WANTED, "summaryModel": {"modelId": "gpt-4o-mini"}, "summaryPrompt": "Short: {context}"}
    agent = Agent(id="g", name="Guide", parameters={"contextCompression": wanted})
    with FakeServer(lambda request: "A summary." if request.model == "gpt-4o-mini" else "Because.") as server:
        turn = ctxlab.send(
            long_chat(),
            "Why?",
            provider="openai",
            model="gpt-4o",
            key="sk-x",
            base_url=server.base_url("openai"),
            agent=agent,
        )

    assert turn.text == "Because." and {node.content for node in turn.nodes if node.is_summary} == {"A summary."}
    assert "Short: " in str(server.requests[0].body) and not any("summary" in note.text for note in turn.notes)


def test_a_turn_shows_itself_in_one_line_and_as_a_table() -> None:
    turn = ctxlab.send(CHAT, "<b>Why?</b>", model=pieces("Because."), timestamp=TIME)

    assert repr(turn) == "Turn('Because.', 2 nodes, 1 request)"
    assert "&lt;b&gt;" in turn._repr_html_() and "<b>Why" not in turn._repr_html_()
    assert list(turn.frame()["event"]) == ["TurnStarted", "RequestSent", "ReplyFinished"]


# --- what happens meanwhile


def test_a_step_made_while_a_turn_runs_is_kept_and_so_is_the_turn() -> None:
    history = ctxlab.History(CHAT)
    running = ctxlab.stream(history, "A", model=pieces("Answer."))
    next(running)
    mine = history.do(Session.append, "MINE", role="user").active_leaf_id
    turn = running.turn

    assert history.session is turn.session and running.session is turn.session
    assert history.session.node(mine or "").content == "MINE"
    assert (turn.nodes[0].content, turn.nodes[0].parent_id) == ("A", "a1")
    assert turn.text == "Answer." and turn.reply is history.session.leaf_node
    assert history.session.check() == ()
    assert history.undo(past_breakpoint=True).leaf_node == history.session.node(mine or "")


def test_two_turns_that_run_at_once_on_a_history_are_both_kept() -> None:
    history = ctxlab.History(CHAT)
    first = ctxlab.stream(history, "A", model=pieces("1"))
    second = ctxlab.stream(history, "B", model=pieces("2"))
    second.queue("C", mode="chained")
    next(first)
    next(second)
    turns = first.turn, second.turn

    assert [turn.text for turn in turns] == ["1", "2"]
    assert {node.content for node in history.session.nodes.values()} >= {"A", "B", "C", "1", "2"}
    assert [node.content for node in history.session.path()][-5:] == ["Hello.", "B", "2", "C", "2"]
    assert history.session.check() == ()


def test_a_turn_whose_parent_was_undone_goes_under_what_is_left() -> None:
    history = ctxlab.History(CHAT)
    history.do(Session.append, "Gone?", role="user")
    running = ctxlab.stream(history, model=pieces("Yes."))
    next(running)
    history.undo()

    assert running.turn.session is history.session
    assert [node.content for node in history.session.path()][-2:] == ["Hello.", "Yes."]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_a_program_that_exits_in_the_midst_of_a_turn_leaves_no_reply_open(error: BaseException) -> None:
    def model(messages: Any) -> Iterator[str]:
        yield "Be"
        raise error

    running = ctxlab.stream(CHAT, "Why?", model=model)
    with pytest.raises(type(error)):
        list(running)

    turn = running.turn
    assert turn.cancelled == isinstance(error, KeyboardInterrupt)
    assert turn.error == (None if turn.cancelled else "SystemExit: 3")
    assert turn.text == "Be" and turn.reply is not None and turn.reply.status in ("complete", "error")


def test_a_listener_that_waits_for_its_own_turn_is_an_error() -> None:
    kept: list[Any] = []
    running = ctxlab.stream(CHAT, "Why?", model=pieces("x"), on_event=lambda event: kept[0].turn)
    kept.append(running)

    with pytest.raises(WrongArgument, match="on_event can't wait for its own turn"):
        next(running)
    assert running.turn.text == "x"


def test_a_model_that_changes_its_messages_changes_no_request() -> None:
    def model(messages: list[dict[str, Any]]) -> str:
        messages[-1]["content"] = "Nothing."
        messages.clear()
        return "x"

    turn = ctxlab.send(CHAT, "Why?", model=model)

    assert [message["content"] for message in turn.requests[0].payload.body["messages"]] == ["Hi", "Hello.", "Why?"]


def test_an_empty_message_is_not_queued() -> None:
    with ctxlab.stream(CHAT, "Why?", model=pieces("x")) as running, pytest.raises(WrongArgument, match="empty"):
        running.queue("")


@pytest.mark.parametrize("wrong", [5, [3], "look"])
def test_what_is_no_approval_is_refused_before_anything_is_asked(wrong: Any) -> None:
    def look() -> str:
        """Look."""
        return "x"

    with pytest.raises(WrongArgument, match="approve"):
        ctxlab.stream(CHAT, "Why?", model=pieces("x"), tools=[look], approve=wrong)


# --- logs


def test_two_turns_from_one_session_are_both_recovered(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ctxlab.send(CHAT, "A", model=pieces("1"), log=path)
    second = ctxlab.send(CHAT, "B", model=pieces("2"), log=path)
    ctxlab.send(second.session, "C", model=pieces("3"), log=path)
    after = ctxlab.recover(CHAT, path)

    assert {node.content for node in after.nodes.values()} >= {"A", "B", "C", "1", "2", "3"}
    assert [node.content for node in after.path()][-5:] == ["Hello.", "B", "2", "C", "3"]
    assert ctxlab.recover(after, path).to_data() == after.to_data()


def test_a_session_that_moved_on_gets_the_turns_of_its_log_beside_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ctxlab.send(CHAT, "A", model=pieces("1"), log=path)
    moved_on = ctxlab.send(CHAT, "B", model=pieces("2")).session
    after = ctxlab.recover(moved_on, path)

    assert [node.content for node in after.path()][-3:] == ["Hello.", "A", "1"]
    assert {node.content for node in after.nodes.values()} >= {"B", "2"} and after.check() == ()


def test_a_turn_on_other_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    ctxlab.send(CHAT, "A", model=pieces("1"), log=path)

    with pytest.raises(Refused, match="'a1' on which the turn was begun isn't there, or its words are others"):
        ctxlab.recover(CHAT.edit("a1", "Other words."), path)


def test_halves_of_characters_and_long_numbers_are_logged_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    usage = {"prompt_tokens": 2**70 + 1, "completion_tokens": 1, "total_tokens": 2**70 + 2}
    message = {"role": "assistant", "content": "a\ud83d"}
    reply = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    turn = ctxlab.send(CHAT, "Why?", model=lambda messages: reply, log=path)

    assert turn.error is None and turn.text == "a\ud83d"
    assert read_events(path) == turn.events
    assert ctxlab.recover(CHAT, path).to_data() == turn.session.to_data()


def test_a_path_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(WriteError, match="null"):
        ctxlab.send(CHAT, "Why?", model=pieces("x"), log="a\0b")
    with pytest.raises(ReadError, match="null"):
        ctxlab.recover(CHAT, "a\0b")


def test_a_summary_made_on_messages_that_changed_meanwhile_is_left_out_and_said() -> None:
    wanted = {"enabled": True, "autoTrigger": True, "triggerMode": "count", "countThreshold": 8}
    wanted |= {"minHistoryCount": 4, "protectRecentCount": 2, "compressCount": 6}
    agent = Agent(id="g", name="Guide", parameters={"contextCompression": wanted})
    chat = CHAT
    for n in range(6):
        chat = chat.append(f"Question {n} is about the lamp. " * 20).append(f"Answer {n}. " * 60, role="assistant")
    history = ctxlab.History(chat)
    running = ctxlab.stream(history, "A", model=pieces("1"), agent=agent)
    next(running)
    history.do(Session.append, "MINE", role="user")
    turn = running.turn

    assert any(isinstance(event, Compressed) for event in turn.events)
    assert [note.text for note in turn.notes] == [SUMMARY_LEFT_OUT]
    assert not any(node.is_summary for node in history.session.nodes.values())
    assert [node.content for node in history.session.path()][-2:] == ["A", "1"]


def test_a_turn_that_waits_for_the_text_of_a_file_is_cancelled_and_the_message_stays() -> None:
    begun, gate, asked = threading.Event(), threading.Event(), []

    def slow(file: Any, facts: Any, progress: Any) -> str:
        begun.set()
        gate.wait()
        return "low tide"

    @ctxlab.processor("read-files", priority=250, waits=True)
    def read_files(ctx: Context, services: Services) -> Context:
        assert services.transcriber is not None
        for asset in (asset for draft in ctx.drafts for asset in draft.assets):
            said = services.transcriber.transcribe(asset.source, kind=asset.kind, name=asset.name).text
            ctx = ctx.note("info", said)
        return ctx

    files = AssetsInMemory({LibraryFile("tide.png"): b"slow and never before seen"})
    transcriber = FileTranscriber(files, [as_engine(slow, kinds=["image"], name="slow")])
    options: dict[str, Any] = {
        "model": lambda messages: asked.append(messages) or "Low.",
        "services": Services(WordTokenizer(), assets=files, transcriber=transcriber),
        "pipeline": Pipeline.of([SessionLoader(), read_files]),
    }
    picture = {"id": "t", "type": "image", "name": "tide.png", "mimeType": "image/png", "path": "tide.png"}
    running = ctxlab.stream(CHAT, "What is this?", attachments=[picture], **options)
    canceller = threading.Thread(target=lambda: begun.wait() and running.cancel())
    canceller.start()
    try:
        turn = running.turn
        canceller.join()

        assert turn.cancelled and turn.error is None and asked == [] and turn.requests == ()
        question, reply = turn.nodes
        assert (question.content, question.attachments[0].name) == ("What is this?", "tide.png")
        assert reply.meta("isCancelled") is True and turn.session.check() == ()
    finally:
        gate.set()

    again = ctxlab.regenerate(turn.session, question, **options)
    assert (again.error, again.text, len(asked)) == (None, "Low.", 1)
    assert [note.text for note in again.requests[0].trace.result.notes][-1] == "low tide"
