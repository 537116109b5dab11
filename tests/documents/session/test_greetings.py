"""Greetings: live as long as nothing was said."""

from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Agent, History, Session, UserProfile
from ctxlab.errors import Refused


def agent(*words: str, **fields: Any) -> Agent:
    greetings = [{"id": f"g{n}", "content": text} for n, text in enumerate(words, start=1)]
    return Agent.model_validate({"id": "ag", "name": "Ada", "greetings": greetings, **fields})


def texts(session: Session) -> list[str]:
    return [session[key].content for key in session.children(session.root_node_id or "")]


def live(session: Session) -> list[bool]:
    return [session[key].meta("greetingLive") for key in session.children(session.root_node_id or "")]


def test_a_new_session_begins_with_the_greetings_side_by_side() -> None:
    session = Session(id="s").greet(agent("Hi", "  ", "Hello"))

    assert texts(session) == ["Hi", "Hello"]
    assert session.leaf_node is not None
    assert session.leaf_node.content == "Hi"
    assert session.leaf_node.agent_id == "ag"
    assert session.check() == ()


def test_the_default_greeting_is_looked_at() -> None:
    session = Session(id="s").greet(agent("Hi", "Hello", defaultGreetingId="g2"))

    assert session.leaf_node is not None
    assert session.leaf_node.content == "Hello"


def test_words_are_made_by_who_knows_macros() -> None:
    session = Session(id="s").greet(agent("Hi {{user}}"), expand=lambda it: it.content.replace("{{user}}", "Al"))

    assert texts(session) == ["Hi Al"]


def test_live_greetings_count_as_no_messages() -> None:
    session = Session(id="s").greet(agent("Hi", "Hello"))

    assert session.message_count == 0
    assert session.append("Oh").message_count == 3


def test_greetings_follow_the_agent_and_the_chosen_one_stays_chosen() -> None:
    session = Session(id="s").greet(agent("Hi", "Hello")).choose_greeting("g2")

    session = session.greet(agent("Hi", "Good day", "Hey"))

    assert texts(session) == ["Hi", "Good day", "Hey"]
    assert session.leaf_node is not None
    assert session.leaf_node.content == "Good day"


def test_the_same_greetings_again_are_the_same_session() -> None:
    session = Session(id="s").greet(agent("Hi"))

    assert session.greet(agent("Hi")) is session


def test_another_agent_brings_its_own_or_none() -> None:
    session = Session(id="s").greet(agent("Hi", "Hello"))

    other = session.greet(Agent.model_validate({"id": "b", "greetings": [{"id": "z", "content": "Yo"}]}))

    assert texts(other) == ["Yo"]
    assert texts(other.greet(Agent(id="c"))) == []
    assert other.greet(Agent(id="c")).leaf == other.root_node_id


@pytest.mark.parametrize(
    "act",
    [
        lambda session: session.append("Oh"),
        lambda session: session.append_pair("Oh"),
        lambda session: session.branch(session.leaf),
        lambda session: session.branch_from_edit(session.leaf, "Hi!"),
        lambda session: session.edit(session.leaf, "Hi!"),
        lambda session: session.settle_greetings(),
    ],
)
def test_what_is_said_settles_them_for_good(act: Any) -> None:
    session = act(Session(id="s").greet(agent("Hi", "Hello")))

    assert session.greetings_are_settled
    assert not any(live(session))
    assert session.greet(agent("Other")) is session


def test_a_conversation_without_greetings_gets_none() -> None:
    session = Session(id="s").append("", role="system").append("Hi")

    assert session.greet(agent("Hello")) is session
    assert session.settle_greetings() is session


def test_greeting_is_a_step_that_can_be_undone() -> None:
    history = History(Session(id="s"))

    history.do(Session.greet, agent("Hi"))
    history.do(Session.append, "Oh")

    assert live(history.undo()) == [True]
    assert history.undo() == Session(id="s")
    assert live(history.jump(2)) == [False]


def test_an_unknown_greeting_is_refused() -> None:
    with pytest.raises(Refused, match="no greeting 'g9'; there are: 'g1'"):
        Session(id="s").greet(agent("Hi")).choose_greeting("g9")


def test_a_conversation_begins_with_its_macros_expanded() -> None:
    session = ctxlab.begin(agent("Hi {{user}}, I am {{char}}."), user=UserProfile(name="Al"))

    assert texts(session) == ["Hi Al, I am Ada."]
    assert ctxlab.greeted(session, agent("Hi {{user}}, I am {{char}}."), user=UserProfile(name="Al")) is session


def test_without_greetings_a_conversation_begins_empty() -> None:
    session = ctxlab.begin(Agent(id="a"))

    assert session.check() == ()
    assert session.leaf == session.root_node_id
