"""A chat that goes from one conversation to another, or shares one: nothing that was said or typed is lost."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import ctxlab
from ctxlab import Session
from ctxlab.documents import History
from ctxlab_widgets import ChatPanel
from tests.widgets.chat_models import LONG, HeldModel, Page, because, chat, until

WRITTEN = "an answer is being written: stop it first, or wait for its end"


def other() -> Session:
    return Session(id="other").append("Another.", id="x")


def asked(page: Page, *waiting: str) -> Page:
    """The page with a question whose answer is held after its first word, and messages that wait for its end."""
    page.asks("send", text="Why?")
    until(page, lambda: any(piece["text"] for piece in page.pieces))
    for text in waiting:
        page.asks("send", text=text)
    return page


def contents(session: Session) -> list[str]:
    return [node.content for node in session.path() if node.content]


# --- messages that wait


@pytest.mark.parametrize("trait", ["session", "running"])
def test_a_message_that_is_sent_in_the_moment_an_answer_ends_is_the_next_turn(trait: str) -> None:
    page = Page(model=because)
    sent: list[str] = []

    def once(change: dict[str, object]) -> None:
        if not sent and page.panel.history.session.leaf not in ("a2", None):
            sent.append("And?")
            page.panel.send_message("And?")

    page.panel.observe(once, trait)
    page.asks("send", text="Why?")
    session = page.done()

    assert contents(session)[-4:] == ["Why?", "Because.", "And?", "Because."]
    assert page.panel.input == ""


def test_an_observer_that_fails_costs_no_message_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = HeldModel("Be", "cause.")
    page = asked(Page(model=model), "And?")
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)

    def fails(_: object) -> None:
        raise RuntimeError("of somebody else")

    page.panel.observe(fails, "session")
    thread = next(each for each in threading.enumerate() if each is page.panel.turns._thread._thread)
    model.go_on.set()
    thread.join(LONG)

    assert len(failed) == 1
    assert page.panel.input == "And?"


# --- another conversation


def test_a_turn_ends_in_the_conversation_in_which_it_began_and_its_queue_in_that_ones_draft() -> None:
    model = HeldModel("Be", "cause.")
    history = History(chat())
    page = asked(Page(history, model=model), "And?")
    page.panel.input = "half a"

    page.panel.session = other()
    assert "the answer was stopped" in page.panel.error
    assert "'s'" in page.panel.error
    assert page.panel.input == ""
    page.done()

    assert page.panel.session.id == "other"
    assert contents(page.panel.session) == ["Another."]
    assert contents(history.session)[-2:] == ["Why?", "Be"]
    assert page.panel.input == ""

    page.panel.input = "half another"
    page.panel.session = history.session
    assert page.panel.input == "And?\n\nhalf a"
    page.panel.session = other()
    assert page.panel.input == "half another"


def test_a_conversation_that_is_set_again_as_it_was_left_has_what_came_of_its_turn() -> None:
    page = asked(Page(model=HeldModel("Be", "cause.")))
    left = page.panel.session

    page.panel.session = other()
    page.done()
    page.panel.session = left

    assert contents(page.panel.session)[-2:] == ["Why?", "Be"]
    assert page.panel.session is page.panel.history.session


def test_what_is_sent_in_the_new_conversation_while_the_old_turn_ends_is_answered_there() -> None:
    model = HeldModel("Be", "cause.")
    page = asked(Page(model=model), "And?")

    page.panel.session = other()
    page.asks("send", text="Who?")
    model.go_on.set()
    session = page.done()

    assert contents(session) == ["Another.", "Who?", "Because."]


# --- drafts beside a file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ctxlab.write(chat(), tmp_path / "talk.json")
    return tmp_path / "talk.json"


def reopened(path: Path) -> str:
    return ChatPanel(str(path)).input


def test_a_chat_writes_over_no_newer_draft_of_another_one(path: Path) -> None:
    old = ChatPanel(str(path), model=because)
    old.input = "old"
    old.rest(LONG)
    new = ChatPanel(str(path), model=because)
    new.input = "new"
    new.close()

    old.close()

    assert reopened(path) == "new"


def test_messages_that_wait_when_a_chat_is_closed_are_in_the_draft_beside_the_file(path: Path) -> None:
    model = HeldModel("Be", "cause.")
    panel = ChatPanel(str(path), model=model)
    panel.send_message("Why?")
    assert model.begun.wait(LONG)
    panel.send_message("And?")
    panel.input = "half a"

    panel.close()

    assert reopened(path) == "And?\n\nhalf a"
    model.go_on.set()
    panel.wait(LONG)


# --- commands


@pytest.mark.parametrize("command", ["delete", "disable", "regenerate", "switch", "continue"])
def test_the_question_of_an_answer_that_is_written_is_left_alone(command: str) -> None:
    model = HeldModel("Be", "cause.")
    page = asked(Page(model=model))
    question = page.rows[-2]["key"]

    assert page.asks(command, key=question) == WRITTEN

    model.go_on.set()
    assert contents(page.done())[-2:] == ["Why?", "Because."]


@pytest.mark.parametrize("command", ["undo", "redo"])
def test_nothing_is_undone_while_an_answer_is_written(command: str) -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("disable", key="a1")
    asked(page)

    assert page.asks(command) == WRITTEN

    model.go_on.set()
    assert contents(page.done())[-1] == "Because."


def test_only_an_answer_is_gone_on_with() -> None:
    page = Page(model=because)

    assert page.asks("continue", key="u2") == "'u2' is no answer: only an answer can be gone on with"
    assert page.panel.turns.running is None


def test_of_two_chats_on_one_history_each_follows_the_other() -> None:
    history = History(chat())
    first, second = Page(history, model=because), Page(history, model=because)
    first.asks("send", text="Why?")
    first.done()

    told = second.asks("send", text="And?")
    session = second.done()

    assert told == "the conversation was changed in another place, and is shown as it is now"
    assert contents(session)[-4:] == ["Why?", "Because.", "And?", "Because."]
    assert second.rows[-3]["text"] == "Because."
    assert second.asks("delete", key="a1") == ""
    first.asks("resend")
    assert "a1" not in {row["key"] for row in first.rows}
