"""The run behind an answer: what the messages name is taken from them, and what they don't keep is said."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab import Agent, Library, Session, UserProfile
from ctxlab.errors import WrongArgument
from ctxlab.testing.fakes import WordTokenizer

WEI, LUO = Agent(id="wei", name="Wei", model_id="gpt-4o"), Agent(id="luo", name="Luo")
ADA = UserProfile(id="ada", name="Ada", content="She asks.")
LIBRARY = Library(agents=(LUO, WEI), users=(ADA,))


def asked() -> Session:
    return ctxlab.send(
        Session(id="s"),
        "Why?",
        agent=WEI,
        user=ADA,
        model=lambda messages: "Because.",
        timestamp="2026-11-23T10:00:00Z",
    ).session


def test_the_run_of_an_answer_is_the_one_whose_request_was_sent() -> None:
    turn = ctxlab.send(asked(), "And then?", agent=WEI, user=ADA, model=lambda messages: "Then.")
    assert turn.reply is not None

    found = ctxlab.answer_run(turn.session, turn.reply.id, library=LIBRARY)

    assert found.trace.messages == turn.requests[0].trace.messages
    assert "with the agent Wei and the user Ada, which the messages name, and with the model gpt-4o" in found.sentence
    assert "the settings and the budget are those of now" in found.sentence


def test_an_agent_that_is_not_at_hand_or_has_another_name_now_is_said() -> None:
    session = asked()

    gone = ctxlab.answer_run(session, session.leaf or "", LUO)
    renamed = ctxlab.answer_run(session, session.leaf or "", WEI.with_(name="Weiss"))

    assert "The agent wei that the answer names is not at hand." in gone.notes
    assert "Luo, which the messages name" not in gone.sentence
    assert "The agent was called Wei then: it was changed since." in renamed.notes


def test_a_function_is_no_model_and_an_edit_above_is_told() -> None:
    session = asked()
    reply = session.leaf or ""
    question = session.node(reply).parent_id or ""
    edited = session.edit(question, "Why not?", updated_at="2026-11-23T11:00:00Z")

    found = ctxlab.answer_run(edited, reply, WEI)

    assert "The answer names no model but the function <lambda>." in found.notes
    assert "1 message above it was edited after it was written." in found.notes


def test_a_summary_that_is_younger_is_left_out() -> None:
    session = asked()
    for n in range(3):
        session = ctxlab.send(
            session,
            f"The {n}th box holds {n}40 letters from the old harbour. What is in them?",
            agent=WEI,
            model=lambda messages: "They tell of the lighthouse keeper and of his long winter on the island.",
            timestamp="2026-11-23T10:01:00Z",
        ).session
    reply = session.leaf or ""
    before = ctxlab.answer_run(session, reply, WEI, tokenizer=WordTokenizer())
    compressed = ctxlab.compress(
        session, WEI, compression={"protectRecentCount": 2}, timestamp="2026-11-23T12:00:00Z"
    ).session

    found = ctxlab.answer_run(compressed, reply, WEI, tokenizer=WordTokenizer())

    assert [each["content"] for each in found.trace.messages] == [each["content"] for each in before.trace.messages]
    assert "1 summary made after it was left out." in found.notes


def test_a_message_that_answers_nothing_has_no_run() -> None:
    session = asked()
    question = session.node(session.leaf or "").parent_id or ""

    with pytest.raises(WrongArgument, match="is no answer to a message"):
        ctxlab.answer_run(session, question)
